//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Clients, contexts, leases, handles and operations may end in any order: nothing leaks, nothing is used after its end,
// and each handler that waits is called or destroyed. Run under AddressSanitizer, too.

#include <future>
#include <map>
#include <memory>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

redis_server& the_server()
{
    static redis_server server;
    return server;
}

// A context and a client that can be destroyed in any order, at any time.
class mortals {
public:
    struct choice {
        bool real;    // a redis-server instead of memory://
        bool strand;  // the client's executor is a strand of the context
    };

    explicit mortals(choice c) : context(std::make_unique<asio::io_context>())
    {
        config options;
        options.url = c.real ? the_server().url() : "memory://";
        options.lease = 10s;
        options.log = [](log_level, std::string_view) {};
        if (c.real)
            the_server().command({"FLUSHALL"});
        auto const plain = asio::any_io_executor(context->get_executor());
        client.emplace(c.strand ? asio::any_io_executor(asio::make_strand(plain)) : plain, options);
        client->run(asio::detached);
    }

    // Runs the loop until the condition holds; returns false if that takes too long.
    template <class Predicate>
    bool until(Predicate holds)
    {
        auto const end = std::chrono::steady_clock::now() + time_limit;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            context->restart();
            context->run_one_for(2ms);
        }
        return true;
    }

    template <class Future>
    auto get(Future f)
    {
        REQUIRE(until([&] { return f.wait_for(0s) == std::future_status::ready; }));
        return f.get();
    }

    lease acquire(mutex const& m) { return get(m.acquire(asio::use_future)); }

    enum class order { client_first, context_first };

    void end(order o)
    {
        if (o == order::context_first)
            context.reset();
        client.reset();
        context.reset();
    }

    std::unique_ptr<asio::io_context> context;
    std::optional<holdfast::client> client;
};

using order = mortals::order;

mortals::choice any_choice()
{
    return GENERATE(
        mortals::choice{false, false},
        mortals::choice{false, true},
        mortals::choice{true, false},
        mortals::choice{true, true});
}

order any_order()
{
    return GENERATE(order::client_first, order::context_first);
}

// Returns the error of a future, or success.
template <class Future>
error_code error_of(Future f)
{
    REQUIRE(f.wait_for(time_limit) == std::future_status::ready);
    try {
        (void)f.get();
    } catch (boost::system::system_error const& e) {
        return e.code();
    }
    return {};
}

// Its use count is the number of living copies.
using witness = std::shared_ptr<int>;

TEST_CASE("a lease that outlives its client and its context is lost", "[lifetimes]")
{
    mortals m(any_choice());
    auto const first = any_order();
    auto l = m.acquire(mutex(*m.client, "m"));
    REQUIRE(l.valid());
    m.end(first);
    CHECK_FALSE(l.valid());
    CHECK(l.state() == lease_state::lost);
    CHECK_FALSE(l.empty());
    CHECK(l.name() == "m");
    CHECK(l.hold_count() <= 1);
    CHECK_FALSE(l.fencing_token());
    CHECK_FALSE(l.owner());
    CHECK_FALSE(bool(l));
    (void)l.valid_until();
    SECTION("it can be destroyed") {}
    SECTION("it can be moved and destroyed")
    {
        lease other(std::move(l));
        CHECK(l.empty());
        l = std::move(other);
        CHECK_FALSE(l.empty());
    }
    SECTION("its release completes with an error")
    {
        auto const ec = error_of(l.release(asio::use_future));
        CHECK((ec == errc::lease_lost || ec == errc::client_stopped));
        CHECK(l.empty());
    }
    SECTION("its extension completes with an error")
    {
        auto const ec = error_of(l.extend(1s, asio::use_future));
        CHECK((ec == errc::lease_lost || ec == errc::client_stopped));
    }
    SECTION("lost() completes as client_stopped")
    {
        auto result = l.lost(asio::use_future);
        REQUIRE(result.wait_for(time_limit) == std::future_status::ready);
        CHECK(result.get() == loss::client_stopped);
    }
    SECTION("a release that is never launched makes it empty")
    {
        auto operation = l.release();
        CHECK(l.empty());
    }
}

TEST_CASE("leases that outlive their client and context keep their owner and their fencing token", "[lifetimes]")
{
    mortals m(any_choice());
    auto const first = any_order();
    auto const me = m.client->make_owner("me");
    reentrant_lock const order_lock(*m.client, "o", me);
    auto outer = m.get(order_lock.acquire(asio::use_future));
    auto inner = m.get(order_lock.acquire(asio::use_future));
    auto fenced = m.get(mutex(*m.client, "f", {.fencing = true}).acquire(asio::use_future));
    REQUIRE(inner.hold_count() == 2);
    auto const token = fenced.fencing_token();
    REQUIRE(token);
    m.end(first);
    CHECK_FALSE(outer.valid());
    CHECK_FALSE(inner.valid());
    CHECK(outer.owner() == me);
    CHECK_FALSE(order_lock.is_held());
    CHECK(fenced.fencing_token() == token);
}

TEST_CASE("acquires and queries on handles that outlive their client and context end as client_stopped", "[lifetimes]")
{
    mortals m(any_choice());
    auto const first = any_order();
    std::optional<owner> const me(m.client->make_owner("me"));
    auto const whole = m.client->process_owner();
    mutex const seat(*m.client, "seat", {.fencing = true});
    reentrant_lock const order_lock(*m.client, "order", *me);
    any_lock const any{order_lock};
    {
        auto const held = m.get(order_lock.acquire(asio::use_future));  // and released by its destructor
    }
    m.end(first);
    CHECK(me->label() == "me");
    CHECK_FALSE(*me == whole);
    CHECK(seat.name() == "seat");
    CHECK(any.name() == "order");
    mutex const copy = seat;
    any_lock const another = copy;
    CHECK(another.name() == "seat");
    CHECK_FALSE(order_lock.is_held());
    CHECK(error_of(seat.acquire(asio::use_future)) == errc::client_stopped);
    CHECK(error_of(another.try_acquire({.wait = 1s}, asio::use_future)) == errc::client_stopped);
    CHECK(error_of(order_lock.acquire(asio::use_future)) == errc::client_stopped);
    CHECK(error_of(any.is_locked(asio::use_future)) == errc::client_stopped);
    CHECK(error_of(any.holders(asio::use_future)) == errc::client_stopped);
    CHECK(error_of(any.force_release(asio::use_future)) == errc::client_stopped);
}

TEST_CASE(
    "an operation that is launched after the end of its client and context completes with an error", "[lifetimes]")
{
    mortals m(any_choice());
    auto const first = any_order();
    auto acquire = mutex(*m.client, "m").acquire();
    auto never = mutex(*m.client, "m").try_acquire({.wait = 1s});
    auto ready = m.client->ready();
    auto shutdown = m.client->shutdown();
    auto held = m.acquire(mutex(*m.client, "other"));
    auto lost = held.lost();
    auto extend = held.extend(1s);
    auto release = held.release();
    m.end(first);
    CHECK(error_of(std::move(acquire)(asio::use_future)) == errc::client_stopped);
    CHECK(error_of(std::move(ready)(asio::use_future)) == errc::client_stopped);
    CHECK(error_of(std::move(shutdown)(asio::use_future)) == errc::client_stopped);
    CHECK(std::move(lost)(asio::use_future).get() == loss::client_stopped);
    auto const extended = error_of(std::move(extend)(asio::use_future));
    CHECK((extended == errc::client_stopped || extended == errc::lease_lost));
    auto const released = error_of(std::move(release)(asio::use_future));
    CHECK((released == errc::client_stopped || released == errc::lease_lost));
}

TEST_CASE("operations under way complete as client_stopped when their client is destroyed", "[lifetimes]")
{
    mortals m(any_choice());
    mutex const seat(*m.client, "seat");
    auto held = m.acquire(seat);
    auto waits = seat.acquire(asio::use_future);
    auto waits_some = seat.try_acquire({.wait = 1h}, asio::use_future);
    auto lost = held.lost(asio::use_future);
    SECTION("the acquires wait already")
    {
        m.until([&] { return m.client->stats().waiting == 2; });
    }
    SECTION("the acquires have just begun") {}
    auto query = seat.is_locked(asio::use_future);
    auto shutdown = m.client->shutdown({.grace = 1h}, asio::use_future);
    m.client.reset();
    REQUIRE(m.until([&] { return shutdown.wait_for(0s) == std::future_status::ready; }));
    REQUIRE(m.until([&] { return query.wait_for(0s) == std::future_status::ready; }));
    REQUIRE(m.until([&] { return lost.wait_for(0s) == std::future_status::ready; }));
    REQUIRE(m.until([&] { return waits.wait_for(0s) == std::future_status::ready; }));
    REQUIRE(m.until([&] { return waits_some.wait_for(0s) == std::future_status::ready; }));
    CHECK(error_of(std::move(waits)) == errc::client_stopped);
    CHECK(error_of(std::move(waits_some)) == errc::client_stopped);
    CHECK(error_of(std::move(query)) == errc::client_stopped);
    CHECK_FALSE(error_of(std::move(shutdown)));
    CHECK(lost.get() == loss::client_stopped);
    CHECK_FALSE(held.valid());
}

TEST_CASE("handlers that are pending when the context ends are destroyed, not called", "[lifetimes]")
{
    mortals m(any_choice());
    auto const first = any_order();
    std::map<std::string_view, std::weak_ptr<int>> handlers;
    bool called = false;
    // Each handler has a witness of its own, which shows the handlers that were not destroyed.
    auto const handler_of = [&](std::string_view what) {
        auto const own = std::make_shared<int>(0);
        handlers[what] = own;
        return [&called, own](auto const&...) { called = true; };
    };

    SECTION("the loop never ran")
    {
        m.client->ready(handler_of("ready"));
        mutex(*m.client, "m").acquire(handler_of("acquire"));
        mutex(*m.client, "m").try_acquire({.wait = 1s}, handler_of("try_acquire"));
        mutex(*m.client, "m").acquire(asio::cancel_after(1h, handler_of("cancel_after")));
        multi_lock(mutex(*m.client, "a"), mutex(*m.client, "b"))
            .acquire(asio::cancel_after(1h, handler_of("multi_lock")));
        m.client->shutdown(handler_of("shutdown"));
    }
    SECTION("operations of every kind are under way")
    {
        mutex const seat(*m.client, "seat");
        auto held = m.acquire(seat);
        seat.acquire(handler_of("acquire"));
        seat.try_acquire({.wait = 1h}, handler_of("try_acquire"));
        held.lost(handler_of("lost"));
        REQUIRE(m.until([&] { return m.client->stats().waiting == 2; }));
        seat.is_locked(handler_of("is_locked"));
        seat.holders(handler_of("holders"));
        mutex(*m.client, "other").acquire(handler_of("another acquire"));
        held.extend(20s, handler_of("extend"));
        m.client->shutdown({.grace = 1h}, handler_of("shutdown"));
        m.context->poll_one();
    }
    SECTION("a release is under way")
    {
        auto held = m.acquire(mutex(*m.client, "m"));
        held.release(handler_of("release"));
        m.context->poll_one();
    }
    SECTION("the releases of a multi_lock are under way")
    {
        auto held = m.get(multi_lock(mutex(*m.client, "a"), mutex(*m.client, "b")).acquire(asio::use_future));
        held.release(asio::cancel_after(1h, handler_of("release")));
        m.context->poll_one();
    }
    SECTION("an acquire of a multi_lock is under way")
    {
        multi_lock const both(mutex(*m.client, "a"), mutex(*m.client, "b"));
        auto held = m.get(both.acquire(asio::use_future));
        held.release(asio::detached);
        REQUIRE(m.until([&] { return m.client->stats().held == 0; }));
        both.acquire(asio::cancel_after(1h, handler_of("multi_lock")));
        m.context->poll_one();
    }
    SECTION("an acquire is granted, and its handler has not run yet")
    {
        mutex(*m.client, "m").acquire(asio::bind_executor(m.context->get_executor(), handler_of("acquire")));
        // It is granted when the hold is counted; the handler is posted then.
        while (!called && m.client->stats().acquired == 0) {
            m.context->restart();
            m.context->run_one_for(2ms);
        }
    }
    called = false;
    m.end(first);
    CHECK_FALSE(called);
    for (auto const& [what, own] : handlers) {
        CAPTURE(what);
        CHECK(own.expired());
    }
}

// A coroutine that owns its client and waits for it: only the end of the context destroys it.
awaitable<void> own_and_wait(std::unique_ptr<client> own, witness alive, int where)
{
    (void)alive;
    own->run(asio::detached);
    mutex m(*own, "m");
    if (where == 0)
        co_await own->ready();
    auto held = co_await m.acquire();
    ++*alive;
    if (where == 1)
        auto never = co_await m.acquire();
    if (where == 2)
        co_await held.lost();
    if (where == 3) {
        auto body = [&](lease& l) -> awaitable<void> {
            ++*alive;
            co_await l.lost();
        };
        co_await with_lock(mutex(*own, "n"), body);
    }
    if (where == 4)
        co_await own->shutdown({.grace = 1h});
    co_await sleep_for(1h);
}

TEST_CASE("a coroutine that owns its client is destroyed with the context", "[lifetimes]")
{
    auto const real = GENERATE(false, true);
    auto const where = GENERATE(range(0, 6));
    CAPTURE(real, where);
    witness const alive = std::make_shared<int>(0);
    {
        config options;
        options.url = real ? the_server().url() : "memory://";
        options.log = [](log_level, std::string_view) {};
        if (real)
            the_server().command({"FLUSHALL"});
        asio::io_context context;
        auto own = std::make_unique<client>(context, options);
        asio::co_spawn(context, own_and_wait(std::move(own), alive, where), asio::detached);
        SECTION("it has not begun") {}
        SECTION("it has run a few steps")
        {
            for (int i = 0; i < 7; ++i)
                context.run_one_for(100ms);
        }
        SECTION("it is suspended at its wait")
        {
            auto const end = std::chrono::steady_clock::now() + time_limit;
            while (*alive < (where == 3 ? 2 : 1) && std::chrono::steady_clock::now() < end)
                context.run_one_for(10ms);
            context.run_for(20ms);
            CHECK(*alive >= 1);
        }
    }
    CHECK(alive.use_count() == 1);
}

TEST_CASE("a thread pool that ends destroys all pending handlers", "[lifetimes]")
{
    auto const real = GENERATE(false, true);
    witness const alive = std::make_shared<int>(0);
    lease survivor;
    {
        config options;
        options.url = real ? the_server().url() : "memory://";
        options.log = [](log_level, std::string_view) {};
        if (real)
            the_server().command({"FLUSHALL"});
        asio::thread_pool pool(2);
        client c(pool, options);
        c.run(asio::detached);
        mutex const m(c, "m");
        survivor = m.acquire(asio::use_future).get();
        for (int i = 0; i < 50; ++i) {
            m.acquire([alive](auto const&...) {});
            mutex(c, "m" + std::to_string(i)).acquire([alive](auto const&...) {});
        }
        survivor.lost([alive](auto const&...) {});
        pool.stop();
        pool.join();
    }
    CHECK(alive.use_count() == 1);
    CHECK_FALSE(survivor.valid());
}

TEST_CASE("a client that never runs can be moved and destroyed", "[lifetimes]")
{
    auto const alive = std::make_shared<int>(0);
    asio::io_context context;
    std::optional<mutex> m;
    {
        config options;
        options.url = "memory://";
        options.log = [alive](log_level, std::string_view) {};
        client first(context, options);
        m.emplace(first, "m");
        client second(std::move(first));
        error_code result;
        m->acquire([&](error_code ec, lease) { result = ec; });
        context.run();
        CHECK(result == errc::not_running);
    }
    context.restart();
    context.run();
    CHECK(alive.use_count() <= 2);
    m.reset();
    CHECK(alive.use_count() == 1);
}

TEST_CASE("a lease that is destroyed after stop() leaves its key, which expires", "[lifetimes]")
{
    mortals m({true, GENERATE(false, true)});
    {
        auto l = m.acquire(mutex(*m.client, "m"));
        m.client->stop();
    }
    REQUIRE(m.until([&] { return !m.client->stats().held; }));
    m.client.reset();
    m.context->restart();
    m.context->run_for(100ms);
    auto const left = the_server().command({"PTTL", "m"}).integer;
    CHECK(left > 0);
    CHECK(left <= 10'000);
}

}  // namespace
}  // namespace holdfast::test
