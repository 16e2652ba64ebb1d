//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every transition of a client's lifecycle, state by state.

#include <initializer_list>

#include <catch2/catch_test_macros.hpp>

#include "engine/runtime/lifecycle.hpp"

namespace holdfast::engine {
namespace engine_lifecycle_test {

enum class event { start, close, end, stop };

void apply(lifecycle& l, event e)
{
    switch (e) {
        case event::start: l.start(); break;
        case event::close: l.close(); break;
        case event::end: l.end(); break;
        case event::stop: l.stop(); break;
    }
}

// A client after those events.
struct client_after {
    client_after(std::initializer_list<event> events)
    {
        for (auto const e : events)
            apply(made, e);
    }

    lifecycle made;
};

struct fresh : client_after {
    fresh() : client_after{} {}
};
struct running : client_after {
    running() : client_after{event::start} {}
};
struct closing : client_after {
    closing() : client_after{event::start, event::close} {}
};
struct ending : client_after {
    ending() : client_after{event::start, event::close, event::end} {}
};
struct stopped : client_after {
    stopped() : client_after{event::start, event::stop} {}
};

TEST_CASE_METHOD(fresh, "a new client accepts no operation until it is started", "[lifecycle]")
{
    CHECK(made.admission_error() == errc::not_running);
    CHECK_FALSE(made.is_stopped());
    CHECK(made.start() == error_code());
    CHECK(made.admission_error() == error_code());
}

TEST_CASE_METHOD(fresh, "a new client that is closed cannot be started", "[lifecycle]")
{
    made.close();
    CHECK(made.admission_error() == errc::client_stopped);
    CHECK_FALSE(made.is_stopped());
    CHECK(made.start() == errc::already_running);
}

TEST_CASE_METHOD(fresh, "a new client that is stopped cannot be started", "[lifecycle]")
{
    CHECK(made.stop());
    CHECK(made.is_stopped());
    CHECK(made.start() == errc::client_stopped);
}

TEST_CASE_METHOD(running, "a running client cannot be started again", "[lifecycle]")
{
    CHECK(made.start() == errc::already_running);
    CHECK(made.admission_error() == error_code());
}

TEST_CASE_METHOD(running, "a client that closes accepts no operation, but is not stopped yet", "[lifecycle]")
{
    made.close();
    CHECK(made.admission_error() == errc::client_stopped);
    CHECK_FALSE(made.is_stopped());
}

TEST_CASE_METHOD(running, "one call of stop() stops a running client", "[lifecycle]")
{
    CHECK(made.stop());
    CHECK(made.is_stopped());
    CHECK(made.admission_error() == errc::client_stopped);
}

TEST_CASE_METHOD(closing, "a client that closes can be stopped, but not started again", "[lifecycle]")
{
    CHECK(made.start() == errc::already_running);
    made.close();
    CHECK_FALSE(made.is_stopped());
    CHECK(made.stop());
    CHECK(made.is_stopped());
}

TEST_CASE_METHOD(running, "bodies are not asked to end before the client closes", "[lifecycle]")
{
    made.end();
    CHECK_FALSE(made.is_ending());
    CHECK(made.admission_error() == error_code());
}

TEST_CASE_METHOD(closing, "a client that closes asks bodies to end later", "[lifecycle]")
{
    CHECK_FALSE(made.is_ending());
    made.end();
    CHECK(made.is_ending());
    CHECK(made.admission_error() == errc::client_stopped);
    CHECK_FALSE(made.is_stopped());
}

TEST_CASE_METHOD(
    ending, "a client that has asked bodies to end can be stopped, but neither closed nor started", "[lifecycle]")
{
    CHECK(made.start() == errc::already_running);
    made.close();
    CHECK(made.is_ending());
    made.end();
    CHECK(made.is_ending());
    CHECK(made.stop());
    CHECK(made.is_stopped());
}

TEST_CASE_METHOD(stopped, "a stopped client stays stopped", "[lifecycle]")
{
    made.close();
    CHECK(made.is_stopped());
    made.end();
    CHECK(made.is_stopped());
    CHECK(made.is_ending());
    CHECK_FALSE(made.stop());
    CHECK(made.start() == errc::client_stopped);
    CHECK(made.admission_error() == errc::client_stopped);
}

}  // namespace engine_lifecycle_test
}  // namespace holdfast::engine
