//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Clients of two execution contexts, of which one ends while operations wait in the other. These tests run in real time
// on memory://, so they wait for events, never for a duration.

#include <chrono>
#include <memory>
#include <optional>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <holdfast.hpp>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// One thread runs both contexts alternately, so that a test knows what has been delivered when the second one ends.
class two_contexts {
public:
    two_contexts() : own_(make_client(here_)), other_(make_client(*there_)) {}
    ~two_contexts()
    {
        own_.reset();
        other_.reset();
    }

    client& own() { return *own_; }
    client& other() { return *other_; }
    asio::io_context::executor_type executor() { return here_.get_executor(); }

    // Runs both contexts until the predicate holds.
    template <class Predicate>
    void until(Predicate holds)
    {
        auto const limit = std::chrono::steady_clock::now() + 60s;
        while (!holds() && std::chrono::steady_clock::now() < limit) {
            run_here();
            run_there();
        }
        REQUIRE(holds());
    }

    // Runs only the first context.
    void run_here()
    {
        here_.restart();
        here_.run_one_for(1ms);
        here_.poll();
    }

    void run_there()
    {
        if (!there_)
            return;
        there_->restart();
        there_->poll();
    }

    // Destroys the second client, then its context, before messages to that client are delivered.
    void end_other()
    {
        other_.reset();
        there_.reset();
    }

    lease acquire(any_lock const& lock)
    {
        std::optional<lease> got;
        lock.acquire(asio::bind_executor(executor(), [&](error_code ec, lease l) {
            CHECK_FALSE(ec);
            got = std::move(l);
        }));
        until([&] { return got.has_value(); });
        return std::move(*got);
    }

    bool is_locked(any_lock const& lock)
    {
        std::optional<bool> answer;
        lock.is_locked(asio::bind_executor(executor(), [&](error_code, bool locked) { answer = locked; }));
        for (auto const limit = std::chrono::steady_clock::now() + 60s;
             !answer && std::chrono::steady_clock::now() < limit;)
            run_here();
        REQUIRE(answer);
        return *answer;
    }

private:
    static std::unique_ptr<client> make_client(asio::io_context& c)
    {
        auto made = std::make_unique<client>(c, config{.url = "memory://", .log = [](log_level, std::string_view) {}});
        made->run([](error_code) {});
        return made;
    }

    asio::io_context here_{1};
    std::unique_ptr<asio::io_context> there_ = std::make_unique<asio::io_context>(1);
    std::unique_ptr<client> own_;
    std::unique_ptr<client> other_;
};

TEST_CASE(
    "the release of a multi_lock completes as client_stopped when one client's context ends", "[contexts][multi_lock]")
{
    two_contexts w;
    mutex const first(w.own(), "x");
    auto held = w.acquire(multi_lock(first, mutex(w.other(), "y")));
    std::optional<error_code> end;
    bool const is_launched_before = GENERATE(true, false);
    CAPTURE(is_launched_before);
    if (!is_launched_before)
        w.end_other();
    held.release(asio::bind_executor(w.executor(), [&](error_code ec) { end = ec; }));
    if (is_launched_before)
        w.end_other();
    while (w.is_locked(first))
        ;
    w.until([&] { return end.has_value(); });
    CHECK(*end == errc::client_stopped);
}

TEST_CASE(
    "a multi_lock lease that is destroyed after one client's context has ended releases the other member",
    "[contexts][multi_lock]")
{
    two_contexts w;
    mutex const first(w.own(), "x");
    auto held = w.acquire(multi_lock(first, mutex(w.other(), "y")));
    bool const is_dropped_before = GENERATE(true, false);
    CAPTURE(is_dropped_before);
    if (is_dropped_before)
        held = {};
    w.end_other();
    CHECK_FALSE(held.valid());
    held = {};
    while (w.is_locked(first))
        ;
}

TEST_CASE("pending operations complete in the handler's context when the context of their client ends", "[contexts]")
{
    two_contexts w;
    mutex const lock(w.other(), "y");
    auto held = w.acquire(lock);
    std::optional<error_code> extended, acquired, asked, lost, released;
    auto const note = [&](std::optional<error_code>& end) {
        return asio::bind_executor(w.executor(), [&end](error_code ec, auto const&...) { end = ec; });
    };
    held.extend(1min, note(extended));
    held.lost(note(lost));
    lock.acquire(asio::bind_executor(w.executor(), [&](error_code ec, lease) { acquired = ec; }));
    lock.is_locked(note(asked));
    held.release(note(released));
    w.end_other();
    w.run_here();
    CHECK(extended == errc::client_stopped);
    CHECK(acquired == errc::client_stopped);
    CHECK(asked == errc::client_stopped);
    CHECK(released == errc::client_stopped);
    REQUIRE(lost);
    CHECK_FALSE(*lost);  // no error: the lease is lost
}

}  // namespace
}  // namespace holdfast::test
