//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Providers of credentials that complete on threads of their own, also while the client and its context are destroyed.

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>

#include "session/provider_call.hpp"
#include "support/child.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

config options(credentials_provider p)
{
    config c{.url = "memory://", .log = [](log_level, std::string_view) {}};
    c.credentials = std::move(p);
    return c;
}

TEST_CASE("a provider may complete on any thread, also while its client is destroyed", "[threads][credentials]")
{
    asio::thread_pool others(2);
    for (int round = 0; round < 50; ++round) {
        auto context = std::make_unique<asio::thread_pool>(2);
        std::atomic<int> questions = 0;
        auto c = std::make_unique<client>(*context, options([&](credentials_request, credentials_handler done) {
            ++questions;
            asio::post(others, [done] { done({"me", "pw", 1ms}); });
        }));
        c->run(asio::detached);
        auto const held = mutex(*c, "m").acquire(asio::use_future).get();
        CHECK(held.valid());
        CHECK(wait_until([&] { return questions > 1; }));
        c.reset();
        context.reset();
    }
    others.join();
}

TEST_CASE("a handler may be called after the end of its client and context", "[threads][credentials]")
{
    for (int round = 0; round < 50; ++round) {
        std::mutex protects_kept;
        std::vector<credentials_handler> kept;
        auto context = std::make_unique<asio::thread_pool>(2);
        auto c = std::make_unique<client>(*context, options([&](credentials_request, credentials_handler done) {
            std::scoped_lock const guard(protects_kept);
            kept.push_back(std::move(done));
        }));
        c->run(asio::detached);
        REQUIRE(wait_until([&] {
            std::scoped_lock const guard(protects_kept);
            return !kept.empty();
        }));
        auto const done = kept.front();
        std::thread late([done] {
            for (int i = 0; i < 100; ++i)
                done({"me", "pw"});
        });
        c.reset();
        context.reset();
        late.join();
        done({"me", "pw"});
    }
}

// The answer is the last event before the context ends: nothing else waits for the thread of the provider.
TEST_CASE("a provider's thread has left the context when its answer arrives", "[threads][credentials]")
{
    struct answered final : session::provider_call::receiver {
        void on_answer(session::provider_call const&, std::exception_ptr, credentials) override { is_done = true; }
        std::atomic<bool> is_done = false;
    };
    asio::thread_pool others(1);
    for (int round = 0; round < 500; ++round) {
        auto context = std::make_unique<asio::thread_pool>(1);
        auto const to = std::make_shared<answered>();
        auto call = std::make_shared<session::provider_call>(engine::strand(context->get_executor()), to);
        asio::post(others, [call = std::move(call)] { call->complete(nullptr, {"me", "pw"}); });
        while (!to->is_done)
            std::this_thread::yield();
        context.reset();
    }
    others.join();
}

TEST_CASE("a coroutine of a provider is cancelled without a race when its client stops", "[threads][credentials]")
{
    for (int round = 0; round < 50; ++round) {
        asio::thread_pool context(2);
        std::atomic<bool> is_asked = false;
        client c(context, options(coroutine_provider([&](credentials_request) -> asio::awaitable<credentials> {
                     asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
                     is_asked = true;
                     co_await timer.async_wait(asio::use_awaitable);
                     co_return credentials{};
                 })));
        c.run(asio::detached);
        CHECK(wait_until([&] { return is_asked.load(); }));
        c.stop();
        context.join();  // does not wait for the timer
    }
}

}  // namespace
}  // namespace holdfast::test
