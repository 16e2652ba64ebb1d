//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The faults of holdfast::testing::server, as a program with a client sees them. In real time: the tests wait for
// events.

#include <chrono>
#include <functional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast.hpp>
#include <holdfast/testing/server.hpp>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using testing::server;

// A server and a connected client, on which a test runs as a coroutine.
class bench {
public:
    explicit bench(std::function<void(config&)> const& adjust = {})
        : redis(context), client(context, make_config(redis, adjust))
    {
        client.run(asio::detached);
    }

    template <class Test>
    void run(Test test)
    {
        std::exception_ptr failure;
        auto const body = [&]() -> awaitable<void> {
            co_await client.ready(asio::use_awaitable);
            co_await test();
        };
        asio::co_spawn(context, body, [&](std::exception_ptr e) {
            failure = e;
            client.stop();
        });
        context.run();
        if (failure)
            std::rethrow_exception(failure);
    }

    asio::io_context context;
    server redis;
    holdfast::client client;

private:
    static config make_config(server const& s, std::function<void(config&)> const& adjust)
    {
        auto c = s.config();
        c.log = [](auto, auto) {};
        if (adjust)
            adjust(c);
        return c;
    }
};

awaitable<error_code> try_once(mutex const& m)
{
    auto [ec, held] = co_await m.try_acquire(asio::as_tuple(asio::use_awaitable));
    co_return ec;
}

TEST_CASE("advance() ends leases and times to live at once", "[memory]")
{
    bench b;
    b.run([&]() -> awaitable<void> {
        mutex m(b.client, "m");
        auto held = co_await m.acquire({.lease = 1h}, asio::use_awaitable);
        b.redis.advance(59min);
        CHECK(held.valid());
        CHECK(b.redis.is_locked("m"));
        b.redis.advance(2min);
        CHECK_FALSE(held.valid());
        CHECK_FALSE(b.redis.is_locked("m"));
        auto const why = co_await held.lost(asio::use_awaitable);
        CHECK(why == loss::expired);
    });
}

TEST_CASE("advance() makes the end of a wait due", "[memory]")
{
    bench b;
    b.run([&]() -> awaitable<void> {
        b.redis.hold("m");
        mutex m(b.client, "m");
        auto const begin = std::chrono::steady_clock::now();
        asio::post(b.context, [&] { b.redis.advance(1h); });
        auto const held = co_await m.try_acquire({.wait = 1h}, asio::use_awaitable);
        CHECK(held.empty());
        CHECK(std::chrono::steady_clock::now() - begin < 30min);
    });
}

TEST_CASE("a server that refuses commands is reported by its error, until it accepts them again", "[memory]")
{
    bench b([](config& c) { c.command_timeout = 100ms; });
    b.run([&]() -> awaitable<void> {
        mutex m(b.client, "m");
        struct row {
            server::refusal why;
            errc expected;
        };
        for (auto const [why, expected] :
             {row{server::refusal::out_of_memory, errc::server_refused},
              row{server::refusal::disk_error, errc::server_refused},
              row{server::refusal::no_replicas, errc::server_refused},
              row{server::refusal::not_permitted, errc::not_permitted},
              row{server::refusal::moved, errc::protocol},
              row{server::refusal::loading, errc::unavailable},
              row{server::refusal::busy, errc::unavailable},
              row{server::refusal::read_only, errc::unavailable}}) {
            CAPTURE(static_cast<int>(why));
            b.redis.refuse(why);
            auto const refused = co_await try_once(m);
            CHECK(refused == expected);
            b.redis.accept();
            auto held = co_await m.acquire(asio::use_awaitable);
            CHECK(held.valid());
            co_await held.release(asio::use_awaitable);
        }
    });
}

TEST_CASE("a command whose reply is lost was executed, and the client undoes an acquire", "[memory]")
{
    bench b;
    b.run([&]() -> awaitable<void> {
        mutex m(b.client, "m");
        b.redis.lose_reply();
        auto const held = co_await m.try_acquire(asio::use_awaitable);
        CHECK(held.valid());  // by its second attempt, on the second connection
        auto const stats = b.client.stats();
        CHECK(stats.connections == 2);
    });
}

TEST_CASE("what a delayed server sends arrives after the delay", "[memory]")
{
    bench b;
    b.run([&]() -> awaitable<void> {
        mutex m(b.client, "m");
        b.redis.delay(50ms);
        auto const begin = std::chrono::steady_clock::now();
        auto held = co_await m.acquire(asio::use_awaitable);
        CHECK(std::chrono::steady_clock::now() - begin >= 50ms);
        CHECK(held.valid());
        b.redis.delay(0ms);
        co_await held.release(asio::use_awaitable);
    });
}

TEST_CASE("a server that is slower than command_timeout is unavailable", "[memory]")
{
    bench b([](config& c) { c.command_timeout = 100ms; });
    b.run([&]() -> awaitable<void> {
        b.redis.delay(1h);
        auto const ec = co_await try_once(mutex(b.client, "m"));
        CHECK(ec == errc::unavailable);
    });
}

TEST_CASE("after a restart a lock exists only if the server kept its memory", "[memory]")
{
    bench b([](config& c) { c.lease = 300ms; });
    b.run([&]() -> awaitable<void> {
        mutex m(b.client, "m");
        auto held = co_await m.acquire({.lease = 1h}, asio::use_awaitable);
        b.redis.restart(server::memory::kept);
        CHECK(b.redis.is_locked("m"));
        co_await b.client.ready(asio::use_awaitable);
        CHECK(held.valid());
        co_await held.release(asio::use_awaitable);
        CHECK_FALSE(b.redis.is_locked("m"));

        held = co_await m.acquire(asio::use_awaitable);
        b.redis.restart(server::memory::lost);
        CHECK_FALSE(b.redis.is_locked("m"));
        auto const why = co_await held.lost(asio::use_awaitable);
        CHECK(why == loss::key_missing);
    });
}

}  // namespace
}  // namespace holdfast::test
