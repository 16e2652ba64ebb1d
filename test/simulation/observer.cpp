//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// When an observer is called: never from inside a library call of the user, but for the end of its context.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// Records the events, and whether one came while the user was inside a call.
class witness final : public observer {
public:
    void on_acquired(lock_event const&) noexcept override { note("acquired"); }
    void on_busy(lock_event const&) noexcept override { note("busy"); }
    void on_released(lock_event const&) noexcept override { note("released"); }
    void on_lost(lock_event const&) noexcept override { note("lost"); }

    // Marks a call of the user.
    template <class Call>
    void inside(Call call)
    {
        is_inside_ = true;
        call();
        is_inside_ = false;
    }

    std::vector<std::string> events;
    int intrusions = 0;

private:
    void note(char const* event)
    {
        events.emplace_back(event);
        intrusions += is_inside_;
    }

    bool is_inside_ = false;
};

TEST_CASE("an observer is never called from inside a library call of the user", "[observer]")
{
    arena a;
    auto const observer = std::make_shared<witness>();
    auto config = arena::quick();
    config.observer = observer;
    auto& c = a.client("A", config);
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        reentrant_lock const lock(c, "m", c.make_owner());
        lease outer, inner;
        outer = co_await lock.acquire();
        observer->inside([&] { lock.acquire([&](error_code, lease l) { inner = std::move(l); }); });  // sends nothing
        co_await a.sleep(10ms);
        REQUIRE(inner.valid());
        CHECK(observer->events == std::vector<std::string>{"acquired", "acquired"});
        observer->inside([&] { inner.release(asio::detached); });
        observer->inside([&] { auto const destroyed = std::move(outer); });
        co_await a.sleep(10ms);
        CHECK(observer->events.back() == "released");

        auto last = co_await mutex(c, "n").acquire();
        error_code ec;
        observer->inside([&] { mutex(c, "n").try_acquire([&](error_code e, lease) { ec = e; }); });
        co_await a.sleep(10ms);
        CHECK(observer->events.back() == "busy");
        observer->inside([&] { c.stop(); });
        CHECK(last.valid());  // the loss is reported later, on the strand
        co_await a.sleep(10ms);
        CHECK(observer->events.back() == "lost");
        CHECK_FALSE(last.valid());
    });
    CHECK(observer->intrusions == 0);
}

// The events of a composite lock do not come from the engine: the thread that destroys its lease sends them.
TEST_CASE("an observer learns of a multi_lock's acquire and release outside of the user's calls", "[observer]")
{
    arena a;
    auto const observer = std::make_shared<witness>();
    auto config = arena::quick();
    config.observer = observer;
    auto& c = a.client("A", config);
    auto& other = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        multi_lock const both(mutex(c, "x"), mutex(c, "y"));
        lease l;
        for (bool const is_released : {true, false}) {
            observer->events.clear();
            observer->inside([&] { both.acquire([&](error_code, lease got) { l = std::move(got); }); });
            co_await a.sleep(10ms);
            REQUIRE(l.valid());
            CHECK(observer->events == std::vector<std::string>{"acquired"});
            observer->inside([&] {
                if (is_released)
                    l.release(asio::detached);
                else
                    l = lease();
            });
            co_await a.sleep(10ms);
            CHECK(observer->events == std::vector<std::string>{"acquired", "released"});
        }
        auto const held = co_await mutex(other, "y").acquire();
        observer->inside([&] { both.try_acquire([](error_code, lease const&) {}); });
        co_await a.sleep(10ms);
        CHECK(observer->events.back() == "busy");
    });
    CHECK(observer->intrusions == 0);
}

// The events of one lease, with the number of its acquire.
class event_recorder final : public observer {
public:
    std::vector<std::string> events;
    std::vector<std::uint64_t> numbers;
    std::vector<lock_kind> kinds;

private:
    void note(char const* what, lock_event const& e)
    {
        if (events.empty() || events.back() != what)
            events.emplace_back(what);
        numbers.push_back(e.acquire);
        kinds.push_back(e.kind);
    }
    void on_waiting(lock_event const& e) noexcept override { note("waiting", e); }
    void on_acquired(lock_event const& e) noexcept override { note("acquired", e); }
    void on_renewed(lock_event const& e) noexcept override
    {
        note("renewed", e);
        CHECK(e.lag > 0us);
    }
    void on_at_risk(lock_event const& e) noexcept override { note("at risk", e); }
    void on_released(lock_event const& e) noexcept override { note("released", e); }
    void on_lost(lock_event const& e) noexcept override { note("lost", e); }
};

TEST_CASE("all events of an acquire and its lease have one number, and the kind of the lock", "[observer]")
{
    using list = std::vector<std::string>;
    for (bool const is_semaphore : {false, true}) {
        arena a;
        auto const observer = std::make_shared<event_recorder>();
        auto config = arena::quick();
        config.observer = observer;
        auto& c = a.client("A", config);
        auto const lock = is_semaphore ? any_lock(semaphore(c, "s", {.permits = 3})) : any_lock(mutex(c, "m"));
        a.run([&]() -> awaitable<void> {
            auto held = co_await lock.acquire();
            co_await a.sleep(5s);
            co_await held.release();
            co_await a.sleep(10ms);
            CHECK(observer->events == list{"waiting", "acquired", "renewed", "released"});
            held = co_await lock.acquire();
            co_await a.sleep(2s);
            a.server().pause();
            co_await a.sleep(10s);
            a.server().resume();
            CHECK(observer->events.back() == "lost");
            CHECK(observer->events.at(observer->events.size() - 2) == "at risk");
        });
        auto const& all = observer->numbers;
        CHECK(all.front() > 0);
        CHECK(all.back() > all.front());
        CHECK(std::ranges::is_sorted(all));
        auto const kind = is_semaphore ? lock_kind::semaphore : lock_kind::mutex;
        CHECK(std::ranges::all_of(observer->kinds, [&](auto k) { return k == kind; }));
    }
}

// In real time on memory://, so it waits for an event, not for a duration.
TEST_CASE("an execution context that ends before its client reports its leases as lost", "[observer][lifetimes]")
{
    auto const observer = std::make_shared<witness>();
    auto context = std::make_unique<asio::io_context>(1);
    client c(*context, {.url = "memory://", .observer = observer, .log = [](log_level, std::string_view) {}});
    c.run(asio::detached);
    lease held;
    mutex(c, "observed").acquire([&](error_code, lease l) { held = std::move(l); });
    auto const limit = std::chrono::steady_clock::now() + 60s;
    while (held.empty() && std::chrono::steady_clock::now() < limit)
        context->run_one_for(10ms);
    REQUIRE(held.valid());
    CHECK(observer->events == std::vector<std::string>{"acquired"});
    context.reset();
    CHECK(observer->events == std::vector<std::string>{"acquired", "lost"});
    CHECK(held.state() == lease_state::lost);
    held = {};
    CHECK(observer->events.size() == 2);
}

TEST_CASE("an observer may start operations from its callbacks", "[observer]")
{
    struct greedy final : observer {
        void on_released(lock_event const& e) noexcept override
        {
            if (e.name == "m")
                mutex(*of, "n").try_acquire([this](error_code, lease l) { got = !l.empty(); });
        }
        client* of = nullptr;
        bool got = false;
    };
    arena a;
    auto const observer = std::make_shared<greedy>();
    auto config = arena::quick();
    config.observer = observer;
    auto& c = a.client("A", config);
    observer->of = &c;
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "m").acquire();
        co_await held.release();
        co_await a.sleep(1s);
        CHECK(observer->got);
        CHECK_FALSE(a.exists("n"));
    });
}

// What a tracer sees: the thread and the moment of the initiation, and what belongs to an event.
class tracing final : public observer {
public:
    int initiated = 0;
    int waiting = 0;
    std::string subject;
    std::vector<std::optional<std::uint64_t>> tokens;
    std::vector<error_code> releases;
    std::weak_ptr<void> context;

private:
    std::shared_ptr<void> on_initiated(lock_event const& e) noexcept override
    {
        ++initiated;
        subject = std::string(e.name) + ", " + std::string(e.label) + ", " + std::string(to_string(e.kind));
        auto const made = std::make_shared<int>();
        context = made;
        return made;
    }
    void on_waiting(lock_event const&) noexcept override { ++waiting; }
    void on_acquired(lock_event const& e) noexcept override { tokens.push_back(e.fencing_token); }
    void on_released(lock_event const& e) noexcept override { releases.push_back(e.code); }
};

struct traced_arena {
    arena a;
    std::shared_ptr<tracing> observer = std::make_shared<tracing>();
    client* c = nullptr;

    traced_arena()
    {
        auto config = arena::quick();
        config.observer = observer;
        c = &a.client("A", config);
    }
};

TEST_CASE("the initiation of an acquire is reported inside the call that initiates it", "[observer]")
{
    traced_arena t;
    t.a.run([&]() -> awaitable<void> {
        co_await t.c->ready();
        fair_lock const lock(*t.c, "f", t.c->make_owner("worker"));
        auto operation = lock.acquire(asio::deferred);
        CHECK(t.observer->initiated == 0);
        lease held;
        std::move(operation)([&](error_code, lease l) { held = std::move(l); });
        CHECK(t.observer->initiated == 1);
        CHECK(t.observer->waiting == 0);
        CHECK(t.observer->subject == "f, worker, fair");
        co_await t.a.sleep(10ms);
        CHECK(t.observer->waiting == 1);

        multi_lock const both(mutex(*t.c, "x"), mutex(*t.c, "y"));
        lease pair;
        both.acquire([&](error_code, lease l) { pair = std::move(l); });
        CHECK(t.observer->initiated == 2);
        CHECK(t.observer->subject.ends_with("multi"));
        co_await t.a.sleep(10ms);
        CHECK(t.observer->initiated == 2);  // its members are no acquires of the user
    });
}

TEST_CASE("an acquire with an invalid option is not initiated", "[observer]")
{
    traced_arena t;
    t.a.run([&]() -> awaitable<void> {
        error_code ec;
        co_await mutex(*t.c, "m").acquire({.lease = 1ms}, asio::redirect_error(asio::deferred, ec));
        CHECK(ec == errc::invalid_option);
        co_await mutex(*t.c, "").acquire(asio::redirect_error(asio::deferred, ec));
        CHECK(ec == errc::invalid_name);
        CHECK(t.observer->initiated == 0);
    });
}

TEST_CASE(
    "the context of an acquire ends with it, when its client stops and when its lease outlives the client",
    "[observer]")
{
    auto t = std::make_unique<traced_arena>();
    auto const observer = t->observer;
    auto& c = *t->c;
    lease held;
    t->a.run([&]() -> awaitable<void> {
        held = co_await mutex(c, "m").acquire();
        auto const of_held = observer->context;
        CHECK_FALSE(of_held.expired());
        mutex(c, "m").acquire([](error_code, lease const&) {});
        auto const of_waiter = observer->context;
        co_await t->a.sleep(10ms);
        CHECK_FALSE(of_waiter.expired());
        c.stop();
        co_await t->a.sleep(10ms);
        CHECK(of_waiter.expired());
        mutex(c, "m").acquire([](error_code, lease const&) {});
        co_await t->a.sleep(10ms);
        CHECK(observer->context.expired());
        held = lease();
        co_await t->a.sleep(10ms);
        CHECK(of_held.expired());
    });
}

TEST_CASE("on_acquired has the fencing token of the lease", "[observer]")
{
    traced_arena t;
    t.a.run([&]() -> awaitable<void> {
        auto const plain = co_await mutex(*t.c, "m").acquire();
        auto const fenced = co_await mutex(*t.c, "n", {.fencing = true}).acquire();
        co_await t.a.sleep(10ms);
        CHECK(t.observer->tokens == std::vector<std::optional<std::uint64_t>>{std::nullopt, fenced.fencing_token()});
    });
}

TEST_CASE("the release of a composite lock that was lost says so", "[observer]")
{
    traced_arena t;
    t.a.run([&]() -> awaitable<void> {
        multi_lock const both(mutex(*t.c, "x"), mutex(*t.c, "y"));
        {
            auto const held = co_await both.acquire();
        }
        co_await t.a.sleep(10ms);
        {
            auto const held = co_await both.acquire();
            t.a.server().execute({"DEL", "y"});
            co_await t.a.sleep(10s);
            CHECK(held.state() == lease_state::lost);
        }
        co_await t.a.sleep(10ms);
        CHECK(t.observer->releases == std::vector<error_code>{{}, errc::lease_lost});
    });
}

}  // namespace
}  // namespace holdfast::test
