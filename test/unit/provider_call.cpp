//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a provider may do: complete anywhere, twice, never, after the end of the session or of its context; throw.

#include "session/provider_call.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

namespace holdfast::session {
namespace provider_call_test {

namespace asio = boost::asio;

struct listener final : provider_call::receiver {
    void on_answer(provider_call const&, std::exception_ptr failure, holdfast::credentials c) override
    {
        answers.push_back(failure ? message(failure) : c.user + "/" + c.password);
    }

    static std::string message(std::exception_ptr const& e)
    {
        try {
            std::rethrow_exception(e);
        } catch (std::exception const& x) {
            return std::string("failed: ") + x.what();
        }
    }

    std::vector<std::string> answers;
};

// A call, and the session's side of it.
struct asked {
    explicit asked(credentials_provider p, credentials_request what = {})
        : call(std::make_shared<provider_call>(engine::strand(context->get_executor()), to))
    {
        call->start(std::make_shared<credentials_provider const>(std::move(p)), what);
    }

    void run()
    {
        context->restart();
        context->poll();
    }

    std::unique_ptr<asio::io_context> context = std::make_unique<asio::io_context>();
    std::shared_ptr<listener> to = std::make_shared<listener>();
    std::shared_ptr<provider_call> call;  // is destroyed before the context
};

using lines = std::vector<std::string>;

TEST_CASE("provider call: the answer arrives in a turn of its own", "[session][credentials]")
{
    bool was_asked = false;
    asked a(
        [&](credentials_request what, credentials_handler done) {
            was_asked = true;
            CHECK(what.is_refused);
            done({.user = "me", .password = "pw"});
        },
        {.is_refused = true});
    CHECK_FALSE(was_asked);
    a.context->poll_one();
    CHECK(was_asked);
    CHECK(a.to->answers.empty());
    a.run();
    CHECK(a.to->answers == lines{"me/pw"});
}

TEST_CASE("provider call: it may complete later and on another thread", "[session][credentials]")
{
    std::optional<credentials_handler> kept;
    asked a([&](credentials_request, credentials_handler done) { kept = done; });
    a.run();
    CHECK(a.to->answers.empty());
    std::thread([&] { (*kept)(boost::system::error_code(), {.user = "me", .password = "pw"}); }).join();
    a.run();
    CHECK(a.to->answers == lines{"me/pw"});
}

TEST_CASE("provider call: only the first completion counts", "[session][credentials]")
{
    asked a([&](credentials_request, credentials_handler done) {
        done({.password = "first"});
        done({.password = "second"});
        throw std::runtime_error("third");
    });
    a.run();
    CHECK(a.to->answers == lines{"/first"});
}

TEST_CASE("provider call: an error and an exception are failures", "[session][credentials]")
{
    asked failing([](credentials_request, credentials_handler done) { done(asio::error::host_not_found, {}); });
    failing.run();
    REQUIRE(failing.to->answers.size() == 1);
    CHECK(failing.to->answers[0].starts_with("failed: "));
    asked throwing([](credentials_request, credentials_handler) { throw std::runtime_error("no"); });
    throwing.run();
    CHECK(throwing.to->answers == lines{"failed: no"});
}

TEST_CASE("provider call: the answer of an abandoned call is dropped", "[session][credentials]")
{
    std::optional<credentials_handler> kept;
    asked a([&](credentials_request, credentials_handler done) { kept = done; });
    a.run();
    a.call->abandon();
    (*kept)({.password = "late"});
    a.run();
    CHECK(a.to->answers.empty());
}

TEST_CASE("provider call: the cancellation reaches the provider on the strand of the call", "[session][credentials]")
{
    bool is_cancelled = false, is_on_strand = false;
    asked a([&](credentials_request, credentials_handler done) {
        auto const executor = done.get_executor();
        auto const* const on = executor.target<engine::strand>();
        REQUIRE(on);
        done.get_cancellation_slot().assign([&, on = *on](asio::cancellation_type what) {
            is_cancelled = what == asio::cancellation_type::terminal;
            is_on_strand = on.running_in_this_thread();
        });
    });
    a.run();
    a.call->abandon();
    CHECK_FALSE(is_cancelled);
    a.run();
    CHECK(is_cancelled);
    CHECK(is_on_strand);
}

TEST_CASE(
    "provider call: a completion after the end of the receiver and of its context does nothing",
    "[session][credentials]")
{
    std::optional<credentials_handler> kept;
    asked a([&](credentials_request, credentials_handler done) { kept = done; });
    a.run();
    a.to.reset();
    a.call->forget();
    a.call.reset();
    a.context.reset();
    (*kept)({.password = "late"});
    kept->get_executor();  // needs no context
}

TEST_CASE("provider call: a coroutine is a provider, and its exception is a failure", "[session][credentials]")
{
    asked a(coroutine_provider([](credentials_request) -> asio::awaitable<holdfast::credentials> {
        co_return holdfast::credentials{.user = "me", .password = "pw"};
    }));
    a.run();
    CHECK(a.to->answers == lines{"me/pw"});
    asked failing(coroutine_provider([](credentials_request) -> asio::awaitable<holdfast::credentials> {
        throw std::runtime_error("no");
        co_return holdfast::credentials{};
    }));
    failing.run();
    CHECK(failing.to->answers == lines{"failed: no"});
}

TEST_CASE("provider call: an abandoned coroutine is cancelled", "[session][credentials]")
{
    bool is_destroyed = false;
    struct guard {
        bool& flag;
        ~guard() { flag = true; }
    };
    asked a(coroutine_provider([&](credentials_request) -> asio::awaitable<holdfast::credentials> {
        guard const g{is_destroyed};
        asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
        co_await timer.async_wait(asio::use_awaitable);
        co_return holdfast::credentials{};
    }));
    a.run();
    CHECK_FALSE(is_destroyed);
    a.call->abandon();
    a.run();
    CHECK(is_destroyed);
    CHECK(a.to->answers.empty());
}

}  // namespace provider_call_test
}  // namespace holdfast::session
