//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A red_lock as a member of a multi_lock: the multi_lock needs all its members, the red_lock a majority of its servers.

#include <optional>
#include <string_view>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"
#include "simulation/red_arena.hpp"
#include "support/cancellable_acquire.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr red_options long_timeout{.node_timeout = 400ms, .trust_new_nodes = true};
constexpr red_options long_timeout_fenced{.fencing = true, .node_timeout = 400ms, .trust_new_nodes = true};

struct handles {
    red_lock r;
    mutex m;
    multi_lock both;
};

// A red_lock "r" over three servers and a mutex "m" on a fourth.
struct quorum_and_one : nodes {
    explicit quorum_and_one(simulation_options o = {.world = {.fifo = true}}) : nodes(4, std::move(o)) {}

    handles locks(std::string_view where = "A", red_options o = trusting)
    {
        auto const all = clients(where);
        return locks_of(all, o);
    }

    static handles locks_of(std::vector<holdfast::client const*> const& all, red_options o = trusting)
    {
        red_lock r({all[0], all[1], all[2]}, "r", o);
        mutex m(*all[3], "m");
        return {r, m, multi_lock(r, m)};
    }

    bool is_free() { return keys("r") + keys("m") == 0; }
};

awaitable<void> until_connected(quorum_and_one& a)
{
    co_await a.sleep(100ms);
}

// Runs a test body with four servers and clients that are connected to them.
template <class Scenario>
void among_four(red_options o, Scenario scenario)
{
    quorum_and_one a;
    auto const locks = a.locks("A", o);
    a.run([&]() -> awaitable<void> {
        co_await until_connected(a);
        co_await scenario(a, locks);
    });
}

template <class Scenario>
void among_four(Scenario scenario)
{
    among_four(trusting, std::move(scenario));
}

TEST_CASE(
    "a multi_lock with a red_lock needs a majority of the red_lock's servers and all other members",
    "[multi_lock][red_lock]")
{
    among_four(fenced, [](quorum_and_one& a, handles const& locks) -> awaitable<void> {
        auto l = co_await locks.both.acquire();
        CHECK(l.name() == "r+m");
        CHECK(l.state() == lease_state::held);
        CHECK(a.keys("r") == 3);
        CHECK(a.keys("m") == 1);
        CHECK(l.fencing_token("r"));
        CHECK_FALSE(l.fencing_token("m"));
        co_await l.release();
        CHECK(a.is_free());

        a.node(1).pause();
        auto const start = a.now();
        l = co_await locks.both.acquire();
        CHECK(a.now() - start < 50ms);  // two rounds of node_timeout, 15 ms
        CHECK(l.valid());
        {
            auto const given_back = std::move(l);
        }
        co_await a.sleep(10ms);
        a.node(1).resume();
        co_await a.sleep(1s);
        CHECK(a.is_free());
    });
}

TEST_CASE(
    "extend() of a multi_lock extends a member red_lock, or fails without a majority of servers",
    "[multi_lock][red_lock]")
{
    among_four([](quorum_and_one& a, handles const& locks) -> awaitable<void> {
        auto l = co_await locks.both.acquire({.lease = 1s});
        co_await l.extend(3s);
        co_await a.sleep(2s);
        CHECK(l.valid());
        a.node(0).pause();
        co_await l.extend(3s);  // a majority is enough
        co_await a.sleep(2s);
        CHECK(l.valid());
        a.node(1).pause();
        error_code ec;
        co_await l.extend(3s, redirect(ec));
        CHECK(ec == errc::unavailable);
        co_await a.sleep(1500ms);
        CHECK_FALSE(l.valid());  // although the mutex is valid for longer
        co_await l.extend(3s, redirect(ec));
        CHECK(ec == errc::lease_lost);
        a.node(0).resume();
        a.node(1).resume();
        co_await l.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
        co_await a.sleep(1s);
        CHECK(a.is_free());
    });
}

TEST_CASE("a multi_lock lease is lost when a member red_lock loses its majority", "[multi_lock][red_lock][loss]")
{
    among_four([](quorum_and_one& a, handles const& locks) -> awaitable<void> {
        auto l = co_await locks.both.acquire();
        a.node(0).execute({"SET", "r", "somebody else", "PX", "60000"});
        co_await a.sleep(10s);
        CHECK(l.valid());  // only a minority is lost
        CHECK(l.state() == lease_state::held);
        a.node(1).execute({"DEL", "r"});
        auto const why = co_await l.lost();
        CHECK(why == loss::key_missing);
        CHECK_FALSE(l.valid());
        CHECK(a.keys("m") == 1);  // a key is never deleted under a running holder
        error_code ec;
        co_await l.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
        a.node(0).execute({"DEL", "r"});
        CHECK(a.is_free());
    });
}

TEST_CASE("a multi_lock releases all members when a member red_lock gets no majority", "[multi_lock][red_lock]")
{
    among_four([](quorum_and_one& a, handles const& locks) -> awaitable<void> {
        a.node(0).pause();
        a.node(2).pause();
        error_code ec;
        auto l = co_await locks.both.try_acquire(redirect(ec));
        CHECK(ec == errc::no_quorum);
        CHECK(l.empty());
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("r", "n1"));
        CHECK_FALSE(a.exists("m", "n3"));
        l = co_await locks.both.try_acquire({.wait = 300ms}, redirect(ec));
        CHECK(ec == errc::no_quorum);
        a.node(0).resume();
        a.node(2).resume();
        co_await a.sleep(1s);
        CHECK(a.is_free());
    });
}

TEST_CASE("a multi_lock acquire waits until a member red_lock gets a majority", "[multi_lock][red_lock]")
{
    among_four([](quorum_and_one& a, handles const& locks) -> awaitable<void> {
        a.node(0).pause();
        a.node(2).pause_for(5s);
        auto const start = a.now();
        error_code ec;
        auto l = co_await locks.both.acquire(redirect(ec));
        CHECK_FALSE(ec);
        CHECK(l.valid());
        CHECK(a.now() - start >= 4s);
        a.node(0).resume();
    });
}

TEST_CASE("the wait time of a multi_lock also limits the round of a member red_lock", "[multi_lock][red_lock]")
{
    among_four(long_timeout_fenced, [](quorum_and_one& a, handles const& locks) -> awaitable<void> {
        a.node(0).pause();
        a.node(1).pause();
        auto const start = a.now();
        error_code ec;
        auto l = co_await locks.both.try_acquire({.wait = 100ms}, redirect(ec));
        CHECK(a.now() - start <= 101ms);
        CHECK(ec == errc::no_quorum);
        CHECK(l.empty());
        a.node(0).resume();
        a.node(1).resume();
        co_await a.sleep(1s);
        CHECK(a.is_free());
    });
}

TEST_CASE("a member red_lock uses the last part of a millisecond of a multi_lock's wait", "[multi_lock][red_lock]")
{
    quorum_and_one a({.world = {.fifo = true}, .network = {.delay = {10us, 10us}}});
    auto const locks = a.locks();
    auto const theirs = a.locks("B");
    a.run([&]() -> awaitable<void> {
        co_await until_connected(a);
        auto in_the_way = co_await theirs.m.acquire();
        error_code ec;
        lease got;
        a.spawn([&]() -> awaitable<void> { got = co_await locks.both.try_acquire({.wait = 3ms}, redirect(ec)); });
        co_await a.sleep(1'975us);
        in_the_way = {};
        co_await a.sleep(10ms);
        CHECK_FALSE(ec);
        CHECK(got.valid());
    });
}

TEST_CASE(
    "a multi_lock refuses a red_lock together with one of that red_lock's own locks",
    "[multi_lock][red_lock][bad_input]")
{
    nodes a(4);
    auto const all = a.clients();
    red_lock const red({*all[0], *all[1], *all[2]}, "r", trusting);
    red_lock const other({*all[2], *all[3]}, "r", trusting);
    mutex const own(*all[1], "r");
    mutex const separate(*all[3], "r");
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        for (auto const& both : {multi_lock(red, own), multi_lock(own, red), multi_lock(red, other)}) {
            auto const ec = co_await error_of(both.try_acquire({.wait = 1s}, use_awaitable));
            CHECK(ec == errc::invalid_option);
            CHECK(all[0]->last_failure().message.find("also a member of a red_lock") != std::string::npos);
        }
        auto l = co_await multi_lock(red, separate).acquire();
        CHECK(l.valid());
    });
}

TEST_CASE(
    "a multi_lock that lists the same red_lock twice acquires that red_lock once", "[multi_lock][red_lock][bad_input]")
{
    quorum_and_one a;
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        red_lock const r({all[0], all[1], all[2]}, "r", trusting);
        red_lock const backwards({all[2], all[1], all[0]}, "r", trusting);
        red_lock const other({all[0], all[1], all[2]}, "other", trusting);
        auto l = co_await multi_lock(r, backwards, other, multi_lock(other, r)).try_acquire();
        CHECK(l.valid());
        CHECK(l.name() == "r+other");

        red_lock const another_kind({all[0], all[1], all[2]}, "r", fenced);
        auto const ec = co_await error_of(multi_lock(r, another_kind).acquire(use_awaitable));
        CHECK(ec == errc::invalid_option);
        CHECK(all[0]->last_failure().message.find("\"r\" is a member as two kinds") != std::string::npos);
    });
}

// ---- cancellation

// What another process holds when the acquire begins.
enum class scene { nobody, mutex_held, red_lock_held };

// Cancels an acquire after that many handlers have run. Returns false if the acquire ended before.
bool cancel_with_member(scene s, std::uint64_t handlers)
{
    quorum_and_one a;
    auto const all = a.clients();
    auto const locks = a.locks_of(all);
    auto const theirs = a.locks("B");
    lease in_the_way;
    a.run([&]() -> awaitable<void> {
        co_await until_connected(a);
        if (s == scene::mutex_held)
            in_the_way = co_await theirs.m.acquire();
        else if (s == scene::red_lock_held)
            in_the_way = co_await theirs.r.acquire();
    });
    cancellable_acquire attempt;
    locks.both.acquire(attempt.handler());
    auto const begin = a.world().steps();
    auto const is_time = [&] { return attempt.done || a.world().steps() - begin >= handlers; };
    a.world().run_until(is_time);
    a.run([&]() -> awaitable<void> {
        if (!attempt.done)
            attempt.cancel(asio::cancellation_type::total);
        co_await a.sleep(1ms);
        REQUIRE(attempt.done);
        CHECK(attempt.got.valid() == !attempt.ec);
        CHECK(attempt.is_plausible());
        attempt.got = {};
        in_the_way = {};
        co_await a.sleep(5s);
        CHECK(a.is_free());
        for (auto const* c : all)
            CHECK(a.census(const_cast<client&>(*c)) == engine::client_engine::census{});
        auto l = co_await theirs.both.try_acquire();
        CHECK(l.valid());
    });
    return attempt.was_cancelled;
}

TEST_CASE(
    "a cancelled multi_lock acquire ends at once while a member red_lock waits for silent servers",
    "[multi_lock][red_lock][cancellation]")
{
    among_four(long_timeout, [](quorum_and_one& a, handles const& locks) -> awaitable<void> {
        for (unsigned i : {0u, 1u})
            a.node(i).pause();
        asio::cancellation_signal signal;
        error_code ec;
        bool ended = false;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await locks.both.acquire(asio::bind_cancellation_slot(signal.slot(), redirect(ec)));
            ended = true;
        });
        co_await a.sleep(100ms);
        CHECK_FALSE(ended);
        signal.emit(asio::cancellation_type::total);
        co_await a.sleep(0ms);
        CHECK(ended);
        CHECK(ec == asio::error::operation_aborted);
        for (unsigned i : {0u, 1u})
            a.node(i).resume();
        co_await a.sleep(1s);
        CHECK(a.is_free());
    });
}

TEST_CASE(
    "a multi_lock acquire with a red_lock, cancelled after any handler, leaves nothing behind",
    "[multi_lock][red_lock][cancellation]")
{
    for (auto const s : {scene::nobody, scene::mutex_held, scene::red_lock_held}) {
        std::uint64_t points = 0;
        bool more = true;
        // An acquire that waits does not end by itself.
        while (more && points < 600) {
            CAPTURE(int(s), points);
            more = cancel_with_member(s, points++);
        }
        CHECK(points > 10);
        CHECK(more == (s != scene::nobody));
    }
}

// ---- contests

// Processes acquire the red_lock, the mutex, or both in either order; some acquires are cancelled, some time out.
class crossing {
public:
    crossing(std::uint64_t seed, fault_plan const& faults)
        : arena_({.world = {.seed = seed}}), is_healthy_(faults.lose_reply + faults.disconnect == 0)
    {
        for (unsigned i = 0; i < arena_.count; ++i)
            arena_.node(i).faults = faults;
        for (auto const* process : {"A", "B", "C"}) {
            clients_.push_back(arena_.clients(process));
            for (int i = 0; i < 2; ++i)
                arena_.spawn([this, process, all = clients_.back()] { return go(process, all); }, process);
        }
    }

    void run()
    {
        auto& world = arena_.world();
        world.run_for(20s);
        for (unsigned i = 0; i < arena_.count; ++i)
            arena_.node(i).faults = {};
        for (int i = 0; i < 600 && under_way_ > 0; ++i)
            world.run_for(1s);
        REQUIRE(under_way_ == 0);  // every contender has completed
        world.run_for(10s);
        REQUIRE(arena_.is_free());
        for (auto const& all : clients_)
            for (auto const* c : all)
                REQUIRE(arena_.census(const_cast<client&>(*c)) == engine::client_engine::census{});
    }

    unsigned granted() const { return granted_; }

private:
    test::chance& luck() { return arena_.world().chance(); }

    awaitable<void> go(std::string_view process, std::vector<client const*> all)
    {
        ++under_way_;
        auto const locks = arena_.locks_of(all);
        multi_lock const reverse(locks.m, locks.r);
        any_lock const choice[] = {locks.both, reverse, locks.r, locks.m};
        for (int round = 0; round < 5; ++round)
            co_await once(process, choice[luck().below(4)]);
        --under_way_;
    }

    awaitable<void> once(std::string_view process, any_lock lock)
    {
        auto& signal = arena_.world().new_signal();
        if (luck().happens(0.3))
            arena_.world().at(arena_.now() + luck().between(0ms, 40ms), [this, process, &signal] {
                asio::post(
                    arena_.at(process).get_executor(), [&signal] { signal.emit(asio::cancellation_type::total); });
            });
        error_code ec;
        auto const token = asio::bind_cancellation_slot(signal.slot(), redirect(ec));
        lease l;
        std::optional<std::chrono::milliseconds> wait;
        if (luck().happens(0.3)) {
            wait = std::chrono::milliseconds(luck().below(100));
            l = co_await lock.try_acquire({.wait = wait}, token);
        } else
            l = co_await lock.acquire(token);
        bool const expected = is_expected(ec, lock, wait);
        CAPTURE(process, lock.name(), wait.value_or(-1ms) / 1ms, ec.message());
        REQUIRE(expected);
        if (l.empty())
            co_return;
        ++granted_;
        co_await hold(process, lock.name());
        if (luck().happens(0.5))
            co_await l.release(redirect(ec));
    }

    // Without a fault, an acquire ends as unavailable only before the clients are connected, and as no_quorum only if
    // it has a wait time that ends before the first round. The last round of a multi_lock may be the first one in which
    // it gets to the red_lock.
    bool is_expected(error_code ec, any_lock const& lock, std::optional<std::chrono::milliseconds> wait) const
    {
        if (!ec || ec == asio::error::operation_aborted)
            return true;
        if (!is_healthy_ || arena_.now() < begin_ + 120ms)
            return ec == errc::unavailable || ec == errc::no_quorum;
        bool const has_red_lock = lock.name().find('r') != std::string_view::npos;
        bool const is_multi = lock.name().find('+') != std::string_view::npos;
        bool const is_short = wait > 0ms && (is_multi || wait <= longest_round);
        return ec == errc::no_quorum && has_red_lock && is_short;
    }

    // Checks that no member has two holders.
    awaitable<void> hold(std::string_view process, std::string_view name)
    {
        unsigned const mine = (name.find('r') != name.npos ? 1u : 0u) | (name.find('m') != name.npos ? 2u : 0u);
        REQUIRE((in_use_ & mine) == 0);
        in_use_ |= mine;
        co_await arena_.sleep(luck().between(0ms, 20ms), process);
        in_use_ &= ~mine;
    }

    static constexpr auto longest_round = 10ms;  // with a script that is not loaded

    quorum_and_one arena_;
    bool const is_healthy_;
    core::instant const begin_ = arena_.now();
    std::vector<std::vector<client const*>> clients_;
    unsigned in_use_ = 0;
    unsigned under_way_ = 0;
    unsigned granted_ = 0;
};

TEST_CASE(
    "multi_locks with a red_lock in any member order do not deadlock and leave nothing behind",
    "[multi_lock][red_lock][contest]")
{
    unsigned granted = 0;
    for (std::uint64_t seed = 1; seed <= seeds_or(300); ++seed) {
        CAPTURE(seed);
        crossing c(
            seed, seed % 2 == 0 ? fault_plan{} : fault_plan{.lose_reply = 0.01, .disconnect = 0.01, .drop_push = 0.2});
        c.run();
        granted += c.granted();
    }
    CHECK(granted > 0);
}

}  // namespace
}  // namespace holdfast::test
