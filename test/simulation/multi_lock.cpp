//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Several locks as one: all or nothing, nothing held while waiting, one round trip for free members.

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "simulation/contest.hpp"
#include "support/redirect.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

std::vector<any_lock> mutexes(holdfast::client& c, int count)
{
    std::vector<any_lock> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back(mutex(c, "m" + std::to_string(i)));
    return all;
}

TEST_CASE("a multi_lock acquires and releases free members of several clients in one round trip each", "[multi_lock]")
{
    arena a({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}});
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await d.ready();
        auto members = mutexes(c, 8);
        for (auto const& m : mutexes(d, 8))
            members.push_back(m);
        multi_lock all(members);
        auto l = co_await all.acquire();
        co_await l.release();  // both servers have the scripts now

        auto start = a.now();
        l = co_await all.acquire();
        CHECK(a.now() - start == 2ms);
        CHECK(l.valid());
        CHECK(l.state() == lease_state::held);
        CHECK(l.valid_until() > std::chrono::steady_clock::now());

        start = a.now();
        co_await l.release();
        CHECK(a.now() - start == 2ms);
        CHECK(l.empty());
        for (int i = 0; i < 8; ++i) {
            CHECK_FALSE(a.exists("m" + std::to_string(i)));
            CHECK_FALSE(a.exists("m" + std::to_string(i), "other"));
        }
    });
    CHECK(a.census(c) == engine::client_engine::census{});
    CHECK(a.census(d) == engine::client_engine::census{});
}

TEST_CASE("a multi_lock holds no member while it waits for another", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    auto& rival = a.client("B", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        auto in_the_way = co_await mutex(rival, "y").acquire();
        lease l;
        a.spawn([&]() -> awaitable<void> { l = co_await multi_lock(mutex(c, "x"), mutex(d, "y")).acquire(); });
        co_await a.sleep(100ms);
        for (int i = 0; i < 50; ++i) {
            co_await a.sleep(10ms);
            CHECK_FALSE(a.exists("x"));
        }
        CHECK(l.empty());
        auto const released = a.now();
        co_await in_the_way.release();
        while (l.empty() && a.now() < released + 1s)
            co_await a.sleep(1ms);
        CHECK(l.valid());
        CHECK(a.now() - released < 15ms);  // woken by the message
        CHECK(a.exists("x"));
        CHECK(a.exists("y", "other"));
    });
}

TEST_CASE("a multi_lock does not queue for a fair member while it waits for another member", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& rival = a.client("B");
    a.run([&]() -> awaitable<void> {
        fair_lock queue(c, "f");
        auto in_the_way = co_await mutex(rival, "x").acquire();
        lease l;
        a.spawn([&]() -> awaitable<void> { l = co_await multi_lock(queue, mutex(c, "x")).acquire(); });
        co_await a.sleep(1s);
        auto const locked = co_await queue.is_locked();
        CHECK_FALSE(locked);
        auto const waiting = co_await queue.waiters();
        CHECK(waiting.empty());
        auto in_front = co_await fair_lock(rival, "f").acquire();
        co_await in_the_way.release();
        co_await a.sleep(1s);
        CHECK_FALSE(a.exists("x"));  // now it waits for the fair lock, and holds nothing
        co_await in_front.release();
        co_await a.sleep(1s);
        CHECK(l.valid());
        CHECK(a.exists("x"));
    });
}

TEST_CASE("try_acquire of a multi_lock grants all members, or is busy or unavailable and holds none", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    auto& rival = a.client("B");
    a.run([&]() -> awaitable<void> {
        multi_lock both(mutex(c, "x"), mutex(d, "y"));
        auto held = co_await mutex(rival, "x").acquire();
        auto l = co_await both.try_acquire();
        CHECK(l.empty());
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("y", "other"));

        a.server("other").pause();
        error_code ec;
        l = co_await both.try_acquire(redirect(ec));
        CHECK_FALSE(ec);  // one member is busy, whatever the state of the other
        CHECK(l.empty());
        co_await held.release();
        l = co_await both.try_acquire(redirect(ec));
        CHECK(ec == errc::unavailable);
        a.server("other").resume();
        co_await a.sleep(2s);
        CHECK_FALSE(a.exists("x"));
        CHECK_FALSE(a.exists("y", "other"));
        l = co_await both.try_acquire();
        CHECK(l.valid());
    });
}

TEST_CASE("try_acquire of a multi_lock ends within its wait time, with a busy or a silent member", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    auto& rival = a.client("B");
    a.run([&]() -> awaitable<void> {
        multi_lock both(mutex(c, "x"), mutex(d, "y"));
        auto held = co_await mutex(rival, "x").acquire();
        auto start = a.now();
        auto l = co_await both.try_acquire({.wait = 700ms});
        CHECK(l.empty());
        CHECK(a.now() - start >= 690ms);
        CHECK(a.now() - start <= 701ms);

        co_await held.release();
        co_await a.sleep(100ms);
        a.server("other").pause();
        start = a.now();
        error_code ec;
        l = co_await both.try_acquire({.wait = 300ms}, redirect(ec));
        CHECK(ec == errc::unavailable);
        CHECK(a.now() - start <= 301ms);
        a.server("other").resume();
        co_await a.sleep(1s);
        CHECK_FALSE(a.exists("x"));
        CHECK_FALSE(a.exists("y", "other"));
    });
}

TEST_CASE("acquire of a multi_lock continues to wait during an outage of a member's server", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        a.server("other").pause_for(5s);
        auto const start = a.now();
        auto l = co_await multi_lock(mutex(c, "x"), mutex(d, "y")).acquire();
        CHECK(l.valid());
        CHECK(a.now() - start >= 4s);
        CHECK(a.commands().size() < 40);
    });
}

TEST_CASE("a multi_lock lease is lost when one member is lost", "[multi_lock][loss]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        auto l = co_await multi_lock(mutex(c, "x"), mutex(d, "y")).acquire();
        co_await a.sleep(10s);
        CHECK(l.valid());  // both are renewed
        a.server("other").execute({"DEL", "y"});
        auto const why = co_await l.lost();
        CHECK(why == loss::key_missing);
        CHECK_FALSE(l.valid());
        CHECK(l.state() == lease_state::lost);
        CHECK(a.exists("x"));  // a key is never deleted under a running holder
        error_code ec;
        co_await l.extend(5s, redirect(ec));
        CHECK(ec == errc::lease_lost);
        co_await l.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
        CHECK_FALSE(a.exists("x"));
    });
}

TEST_CASE("lost() of a multi_lock lease reports a release, a cancellation and a stopped client", "[multi_lock][loss]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        multi_lock both(mutex(c, "x"), mutex(d, "y"));
        auto l = co_await both.acquire();
        error_code released;
        a.spawn([&]() -> awaitable<void> { co_await l.lost(redirect(released)); });
        asio::cancellation_signal signal;
        error_code cancelled;
        a.spawn([&]() -> awaitable<void> {
            co_await l.lost(asio::bind_cancellation_slot(signal.slot(), redirect(cancelled)));
        });
        co_await a.sleep(10ms);
        signal.emit(asio::cancellation_type::total);
        co_await a.sleep(10ms);
        CHECK(cancelled == asio::error::operation_aborted);
        CHECK_FALSE(released);
        auto waiting = l.lost(asio::deferred);
        co_await l.release();
        co_await a.sleep(10ms);
        CHECK(released == errc::released);
        error_code late;
        co_await std::move(waiting)(redirect(late));
        CHECK(late == errc::released);

        l = co_await both.acquire();
        d.stop();
        auto const why = co_await l.lost();
        CHECK(why == loss::client_stopped);
        CHECK_FALSE(l.valid());
    });
}

TEST_CASE(
    "a multi_lock lease releases all members when destroyed, assigned to, or its release is not launched",
    "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        multi_lock both(mutex(c, "x"), mutex(c, "y"));
        {
            auto const l = co_await both.acquire();
        }
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("x"));
        CHECK_FALSE(a.exists("y"));
        auto l = co_await both.acquire();
        {
            auto const operation = l.release();  // and never launched
            CHECK(l.empty());
        }
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("x"));
        l = co_await both.acquire();
        l = co_await mutex(c, "z").acquire();
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("y"));
        CHECK(l.name() == "z");
        l = lease();
        co_await a.sleep(0ms);
        CHECK(c.stats().held == 0);
    });
}

TEST_CASE("extend() extends all members, and the lease is valid as long as the member that ends first", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        auto l = co_await multi_lock(mutex(c, "x"), mutex(d, "y")).acquire({.lease = 1s});
        co_await l.extend(5s);
        co_await a.sleep(4s);
        CHECK(l.valid());
        CHECK(a.exists("x"));
        CHECK(a.exists("y", "other"));
        error_code ec;
        co_await l.extend(0ms, redirect(ec));
        CHECK(ec == errc::invalid_option);
        a.server("other").pause();
        co_await l.extend(60s, redirect(ec));
        CHECK(ec == errc::unavailable);
        a.server("other").resume();
        co_await a.sleep(1500ms);
        CHECK_FALSE(l.valid());  // although x is valid for longer
    });
}

TEST_CASE("with_lock, is_locked(), holders(), force_release() and fencing tokens work on a multi_lock", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        multi_lock both(mutex(c, "x", {.fencing = true}), mutex(c, "y", {.fencing = true}), mutex(c, "z"));
        std::optional<std::uint64_t> x, y;
        co_await with_lock(both, {.wait = 1s}, [&](lease& l) -> awaitable<void> {
            x = l.fencing_token("x");
            y = l.fencing_token("y");
            CHECK_FALSE(l.fencing_token("z"));
            CHECK_FALSE(l.fencing_token("nobody"));
            CHECK_FALSE(l.fencing_token());
            CHECK(l.hold_count() == 1);
            auto const locked = co_await both.is_locked();
            CHECK(locked);
            auto const all = co_await both.holders();
            CHECK(all.size() == 3);
        });
        CHECK(x);
        CHECK(y);
        auto const left = co_await both.is_locked();
        CHECK_FALSE(left);
        auto const in_the_way = co_await mutex(c, "z").acquire();
        auto const locked = co_await both.is_locked();
        CHECK(locked);
        auto const forced = co_await both.force_release();
        CHECK(forced);
        CHECK_FALSE(a.exists("z"));
    });
}

TEST_CASE("the loss of a member cancels the body of with_lock", "[multi_lock][with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        bool cancelled = false;
        auto body = [&](lease&) -> awaitable<void> {
            error_code ec;
            a.server().execute({"DEL", "y"});
            co_await a.at("A").sleep(1h, redirect(ec));
            cancelled = ec == asio::error::operation_aborted;
        };
        multi_lock both(mutex(c, "x"), mutex(c, "y"));
        auto const ec = co_await error_of(with_lock(both, body));
        CHECK(ec == errc::lease_lost);
        CHECK(cancelled);
        CHECK_FALSE(a.exists("x"));
    });
}

TEST_CASE(
    "a multi_lock merges duplicate members and refuses conflicting, missing or invalid ones", "[multi_lock][bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        auto const me = c.make_owner();
        multi_lock inner(mutex(c, "x"), mutex(c, "y"));
        auto l = co_await multi_lock(mutex(c, "x"), inner, mutex(c, "x"), reentrant_lock(c, "r", me)).acquire();
        CHECK(l.name() == "x+y+r");
        co_await l.release();

        read_write_lock doc(c, "doc", me);
        l = co_await multi_lock(doc.read(), mutex(c, "x"), doc.write()).acquire();
        CHECK(l.name() == "doc+x");
        auto const all = co_await doc.write().holders();
        CHECK(all.size() == 1);
        CHECK(all.front().writer);
        auto downgraded = co_await error_of(l.downgrade(use_awaitable));
        CHECK(downgraded == errc::invalid_option);
        co_await l.release();

        auto const error_about = [&](multi_lock const& m) -> awaitable<std::string> {
            auto const ec = co_await error_of(m.acquire(use_awaitable));
            CHECK(ec == errc::invalid_option);
            auto const queried = co_await error_of(m.is_locked(use_awaitable));
            CHECK(queried == errc::invalid_option);
            co_return c.last_failure().message;
        };
        auto said = co_await error_about(multi_lock(mutex(c, "x"), reentrant_lock(c, "x", me)));
        CHECK(said.find("\"x\" is a member as two kinds") != said.npos);
        said = co_await error_about(multi_lock(multi_lock(mutex(c, "x"), reentrant_lock(c, "x", me)), mutex(c, "z")));
        CHECK(said.find("\"x\" is a member as two kinds") != said.npos);
        said = co_await error_about(multi_lock(reentrant_lock(c, "x", me), reentrant_lock(c, "x", c.make_owner())));
        CHECK(said.find("two owners") != said.npos);
        co_await error_about(multi_lock(std::vector<any_lock>()));

        auto ec = co_await error_of(inner.try_acquire({.wait = -1ms}, use_awaitable));
        CHECK(ec == errc::invalid_option);
        ec = co_await error_of(inner.acquire({.lease = 1ms}, use_awaitable));
        CHECK(ec == errc::invalid_option);
        ec = co_await error_of(multi_lock(mutex(c, "x"), mutex(c, "")).acquire(use_awaitable));
        CHECK(ec == errc::invalid_name);
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("x"));
    });
}

TEST_CASE("a multi_lock completes with the error of a member and releases the other members", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"RPUSH", "list", "x"});
        auto const ec = co_await error_of(multi_lock(mutex(c, "x"), mutex(c, "list")).acquire(use_awaitable));
        CHECK(ec == errc::wrong_type);
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("x"));
    });
}

TEST_CASE("a multi_lock re-enters a reentrant member that its owner already holds", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        reentrant_lock mine(c, "mine", me);
        auto const outer = co_await mine.acquire();
        auto l = co_await multi_lock(mine, mutex(c, "x")).acquire();
        CHECK(l.valid());
        co_await l.release();
        CHECK(outer.valid());
        CHECK(a.exists("mine"));
    });
}

TEST_CASE("a multi_lock lease whose handler never runs is not renewed", "[multi_lock][renewal]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> { co_await c.ready(); });
    a.at("B").pause();
    multi_lock(mutex(c, "x"), mutex(c, "y"))
        .acquire(asio::bind_executor(a.at("B").get_executor(), [](error_code, lease) {}));
    a.run([&]() -> awaitable<void> { co_await a.sleep(100ms); });
    CHECK(a.exists("x"));
    a.run([&]() -> awaitable<void> { co_await a.sleep(4s); });
    CHECK_FALSE(a.exists("x"));
    CHECK_FALSE(a.exists("y"));
    a.at("B").resume();
}

// Dining philosophers: the forks are mutexes on two servers. Each philosopher acquires a multi_lock of one to three
// neighbouring forks, in either order; some acquires are cancelled or time out.
class table {
public:
    explicit table(std::uint64_t seed, fault_plan const& faults)
        : arena_({.world = {.seed = seed}, .faults = faults}), is_healthy_(faults.lose_reply + faults.disconnect == 0)
    {
        for (auto const* process : {"A", "B", "C"}) {
            for (auto const* server : {"s0", "s1"})
                clients_.push_back(&arena_.client(process, arena::quick(), server));
            for (unsigned i = 0; i < 3; ++i)
                arena_.spawn([this, process] { return dine(process); }, process);
        }
    }

    void run()
    {
        auto& world = arena_.world();
        world.run_for(20s);
        for (auto const* server : {"s0", "s1"})
            arena_.server(server).faults = {};
        for (int i = 0; i < 600 && diners_ > 0; ++i)
            world.run_for(1s);
        REQUIRE(diners_ == 0);  // every contender has completed
        world.run_for(10s);
        for (unsigned fork = 0; fork < forks; ++fork)
            REQUIRE_FALSE(arena_.exists(name_of(fork), server_of(fork)));
        for (auto* c : clients_) {
            REQUIRE(arena_.census(*c) == engine::client_engine::census{});
            REQUIRE(c->stats().held + c->stats().waiting == 0);
        }
    }

    unsigned meals() const { return meals_; }

private:
    static constexpr unsigned forks = 5;

    chance& luck() { return arena_.world().chance(); }
    static std::string name_of(unsigned fork) { return "fork" + std::to_string(fork); }
    static std::string server_of(unsigned fork) { return "s" + std::to_string(fork % 2); }
    any_lock fork_of(std::string_view process, unsigned fork)
    {
        auto const diner = static_cast<std::size_t>(process[0] - 'A');
        return mutex(*clients_[2 * diner + fork % 2], name_of(fork));
    }

    awaitable<void> dine(std::string_view process)
    {
        ++diners_;
        for (int round = 0; round < 6; ++round) {
            std::vector<any_lock> wanted;
            auto const count = 1 + luck().below(3);
            auto const first = static_cast<unsigned>(luck().below(forks));
            for (unsigned i = 0; i < count; ++i)
                wanted.push_back(fork_of(process, (first + i) % forks));
            if (luck().happens(0.5))
                std::ranges::reverse(wanted);
            auto l = co_await take(process, multi_lock(wanted));
            if (l.empty())
                continue;
            ++meals_;
            co_await arena_.sleep(luck().between(0ms, 20ms), process);
            if (luck().happens(0.5))
                co_await l.release(redirect(ignored_));
        }
        --diners_;
    }

    awaitable<lease> take(std::string_view process, multi_lock all)
    {
        error_code ec;
        bool const was_connected = arena_.now() - start_ > 20ms;
        auto& signal = arena_.world().new_signal();
        auto const cancelled = std::make_shared<core::instant>(core::never);
        if (luck().happens(0.3))
            arena_.world().at(arena_.now() + luck().between(0ms, 30ms), [this, process, &signal, cancelled] {
                *cancelled = arena_.now();
                asio::post(
                    arena_.at(process).get_executor(), [&signal] { signal.emit(asio::cancellation_type::partial); });
            });
        auto token = asio::bind_cancellation_slot(signal.slot(), redirect(ec));
        lease l;
        switch (luck().below(3)) {
            case 0: l = co_await all.try_acquire(token); break;
            case 1:
                l = co_await all.try_acquire({.wait = std::chrono::milliseconds(1 + luck().below(100))}, token);
                break;
            default: l = co_await all.acquire(token); break;
        }
        bool const expected = !ec || ec == asio::error::operation_aborted || ec == errc::unavailable;
        CHECK(expected);
        CHECK_FALSE((is_healthy_ && was_connected && ec == errc::unavailable));
        CHECK((*cancelled == core::never || arena_.now() == *cancelled));  // cancelled at once, in any phase
        co_return l;
    }

    arena arena_;
    bool const is_healthy_;
    core::instant const start_ = arena_.now();
    std::vector<holdfast::client*> clients_;
    error_code ignored_;
    unsigned diners_ = 0;
    unsigned meals_ = 0;
};

TEST_CASE("multi_locks with members in any order do not deadlock and leave nothing behind", "[multi_lock][contest]")
{
    unsigned meals = 0;
    for (std::uint64_t seed = 1; seed <= seeds_or(500); ++seed) {
        CAPTURE(seed);
        table t(seed, {});
        t.run();
        meals += t.meals();
    }
    CHECK(meals > 0);
}

TEST_CASE("multi_locks over servers with faults leave nothing behind", "[multi_lock][contest]")
{
    for (std::uint64_t seed = 1; seed <= seeds_or(300); ++seed) {
        CAPTURE(seed);
        table(seed, {.lose_reply = 0.01, .disconnect = 0.02, .drop_push = 0.2}).run();
    }
}

}  // namespace
}  // namespace holdfast::test
