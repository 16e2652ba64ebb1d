//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A server in cluster mode: all kinds of locks work on the only node of a cluster, without a command over several hash
// slots; any other member of a cluster is refused for good.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/hash_slot.hpp"
#include "sim/redis_model.hpp"
#include "simulation/arena.hpp"
#include "simulation/contest.hpp"
#include "support/all_leases.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

using names = std::vector<std::string>;

// Counts commands, and those that were refused because of their hash slots.
class cluster_arena : public arena {
public:
    cluster_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}})
    {
        server().model().set_cluster_mode(true);
        server().check([this](executed const& e) {
            ++counts_[std::string(e.what.args[0])];
            if (e.what.reply && e.what.reply->is_error() && e.what.reply->text.starts_with("CROSSSLOT"))
                ++crossed;
            if (!e.what.in_script && e.what.args[0] == "EVALSHA")
                most_keys = std::max(most_keys, std::stoi(std::string(e.what.args[2])));
        });
    }

    int count(std::string const& command) const { return counts_.contains(command) ? counts_.at(command) : 0; }
    long lines_with(std::string_view part) const
    {
        return std::ranges::count_if(log(), [&](auto const& l) { return l.find(part) != l.npos; });
    }

    int crossed = 0;
    int most_keys = 0;

private:
    std::map<std::string, int> counts_;
};

// Six names in four hash slots.
names const spread{"m0", "m1", "m2", "{tag}:a", "{tag}:b", "{tag}:c"};

// One lock of each kind for each name.
std::vector<any_lock> locks_of_spread_names(holdfast::client& c)
{
    std::vector<any_lock> all;
    for (auto const& n : spread) {
        all.emplace_back(mutex(c, n + "-m"));
        all.emplace_back(mutex(c, n + "-f", {.fencing = true}));
        all.emplace_back(reentrant_lock(c, n + "-r", c.make_owner()));
        all.emplace_back(fair_lock(c, n + "-q", {.fencing = true}));
        all.emplace_back(read_write_lock(c, n + "-rd").read());
        all.emplace_back(read_write_lock(c, n + "-w", {.fencing = true}).write());
    }
    return all;
}

// ---- contests

TEST_CASE("mutual exclusion and progress hold on a cluster of one node", "[cluster][contention]")
{
    fault_plan const faults{.disconnect = 0.02, .split_write = 0.1, .flush_scripts = 0.02};
    run_contests({.locks = 4, .cancel = 0.2, .is_cluster = true, .faults = faults}, seeds_or(300));
    for (auto const kind : {contested_kind::fenced_fair, contested_kind::read_write})
        run_contests({.locks = 3, .kind = kind, .cancel = 0.2, .is_cluster = true, .faults = faults}, seeds_or(150));
}

TEST_CASE("no lease is lost on a cluster of one node when locks are renewed together", "[cluster][contention]")
{
    run_contests(
        {.rounds = 2,
         .locks = 6,
         .longest_hold = 3s,
         .is_cluster = true,
         .faults = {.disconnect = 0.01},
         .config = {.lease = 1'000ms, .command_timeout = 500ms, .poll_interval = 1'000ms}},
        seeds_or(100));
}

// ---- batches

TEST_CASE("leases of all kinds survive reconnections on a cluster of one node", "[cluster]")
{
    REQUIRE(core::hash_slot("m0-m") != core::hash_slot("m1-m"));
    cluster_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (auto const& l : locks_of_spread_names(c))
            held.push_back(co_await l.acquire());
        for (int i = 0; i < 5; ++i) {
            a.server().model().disconnect_all();
            co_await a.sleep(4s);
            CHECK(are_valid(held));
        }
        held.clear();
        co_await a.sleep(100ms);
    });
    CHECK(c.stats().lost == 0);
    CHECK(a.crossed == 0);
    CHECK(a.most_keys >= 3);  // one slot: still together
    CHECK(a.count("CLUSTER") == 6);
    CHECK(a.lines_with("by one script") == 0);
    CHECK(a.census(c) == engine::client_engine::census{});
}

TEST_CASE("a server that is not in cluster mode is not asked for its slots", "[cluster]")
{
    cluster_arena a;
    a.server().model().set_cluster_mode(false);
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (auto const& n : spread)
            held.push_back(co_await mutex(c, n).acquire());
        co_await a.sleep(4s);
        CHECK(are_valid(held));
    });
    CHECK(a.count("CLUSTER") == 0);
    CHECK(a.most_keys > 1);  // several slots in one script
}

TEST_CASE("locks work if the access rules deny CLUSTER SLOTS", "[cluster]")
{
    cluster_arena a;
    a.server().model().deny_command("cluster|slots");
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (auto const& n : spread)
            held.push_back(co_await mutex(c, n).acquire());
        co_await a.sleep(10s);
        CHECK(are_valid(held));
    });
    CHECK(a.crossed == 0);
}

// ---- multi_lock

TEST_CASE("a multi_lock over several hash slots is acquired in one round trip, a script for each slot", "[cluster]")
{
    cluster_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();  // before, the client does not know that the server has hash slots
        auto const all = multi_lock(mutex(c, "m0"), mutex(c, "{tag}:a"), mutex(c, "m1"), mutex(c, "{tag}:b"));
        auto l = co_await all.acquire();
        co_await l.release();  // the server has the scripts now
        a.commands();
        auto const start = a.now();
        l = co_await all.acquire();
        CHECK(a.now() - start == 2ms);
        auto sent = a.commands();
        std::ranges::sort(sent);
        CHECK(sent == names{"EVALSHA", "SET", "SET"});
        CHECK(l.valid());
        co_await a.sleep(10s);
        CHECK(l.valid());
        co_await l.release();
        for (auto const* n : {"m0", "m1", "{tag}:a", "{tag}:b"})
            CHECK_FALSE(a.exists(n));
    });
    CHECK(a.crossed == 0);
    CHECK(a.census(c) == engine::client_engine::census{});
}

TEST_CASE("a multi_lock over several hash slots keeps no member when one of them is held", "[cluster]")
{
    cluster_arena a;
    auto& c = a.client();
    auto& rival = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto in_the_way = co_await mutex(rival, "m1").acquire();
        auto const all = multi_lock(mutex(c, "m0"), mutex(c, "m1"), mutex(c, "m2"));
        auto l = co_await all.try_acquire();
        CHECK(l.empty());
        co_await a.sleep(10ms);
        CHECK_FALSE((a.exists("m0") || a.exists("m2")));

        auto const mine = co_await mutex(c, "m2").acquire();
        a.commands();
        l = co_await all.try_acquire();
        CHECK(l.empty());
        CHECK(a.commands().empty());  // this process holds a member: nothing is sent, for no slot
    });
    CHECK(a.crossed == 0);
}

// Contends for some of the mutexes m0 ... m5, in both directions.
awaitable<void> dine(cluster_arena& a, holdfast::client& c, unsigned id, std::map<unsigned, int>& holders)
{
    for (unsigned round = 0; round < 10; ++round) {
        CAPTURE(id, round);
        std::vector<unsigned> chosen{(id + round) % 6, (id + 2 * round + 1) % 6};
        if (chosen[0] == chosen[1])
            chosen.pop_back();
        std::vector<any_lock> members;
        for (auto const n : chosen)
            members.emplace_back(mutex(c, "m" + std::to_string(n)));
        auto l = co_await multi_lock(members).acquire();
        for (auto const n : chosen)
            CHECK(holders[n]++ == 0);
        co_await a.sleep(std::chrono::milliseconds(3 * id));
        CHECK(l.valid());
        for (auto const n : chosen)
            --holders[n];
        error_code ec;  // the connection may not last long enough to confirm the release in time
        co_await l.release(asio::redirect_error(asio::use_awaitable, ec));
        CHECK((!ec || ec == errc::unavailable));
    }
}

TEST_CASE("multi_locks over several hash slots exclude each other over reconnections", "[cluster]")
{
    cluster_arena a;
    std::map<unsigned, int> holders;
    int running = 6;
    std::vector<holdfast::client*> const clients{&a.client("A"), &a.client("B")};
    a.run([&]() -> awaitable<void> {
        for (unsigned id = 1; id <= 6; ++id)
            a.spawn([&, id]() -> awaitable<void> {
                co_await dine(a, *clients[id % 2], id, holders);
                --running;
            });
        for (int i = 0; running > 0 && i < 1'000; ++i) {
            co_await a.sleep(100ms);
            a.server().model().disconnect_all();
        }
        co_await a.sleep(10s);
    });
    CHECK(running == 0);
    CHECK(a.crossed == 0);
    for (auto* const c : clients)
        CHECK(a.census(*c) == engine::client_engine::census{});
}

// ---- members of a cluster of several nodes

TEST_CASE("a member of a cluster of several primaries is refused with one clear error", "[cluster]")
{
    cluster_arena a;
    a.server().model().set_slots({{0, 8191, "self"}, {8192, 16383, "other"}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const start = a.now();
        for (auto const* n : {"m0", "m1", "m2"})
            CHECK(co_await error_of(mutex(c, n).acquire()) == errc::protocol);
        CHECK(a.now() - start < 100ms);
        CHECK(error_code(errc::protocol) == cond::misconfigured);
        CHECK(
            c.last_failure().message.find("a member of a Redis Cluster of 2 primaries, which redis:// cannot use")
            != std::string::npos);
        CHECK(a.count("CLUSTER") == 1);
        co_await a.sleep(60s);
    });
    CHECK(a.count("SET") == 0);
    CHECK(a.count("CLUSTER") <= 40);  // the client connects again every few seconds
    CHECK(a.lines_with("no connection to") == 1);
}

TEST_CASE("a member of a cluster that does not have all slots is refused", "[cluster]")
{
    cluster_arena a;
    a.server().model().set_slots({{0, 8191, "self"}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> { CHECK(co_await error_of(mutex(c, "m0").acquire()) == errc::protocol); });
    CHECK(a.lines_with("8192 of 16384 hash slots have no primary") > 0);
    CHECK(a.count("SET") == 0);
}

TEST_CASE("MOVED from a server that had all slots leads to a new greeting, which refuses it", "[cluster]")
{
    cluster_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().model().set_slots({{0, 0, "self"}, {1, 16383, "other"}});
        CHECK(co_await error_of(mutex(c, "m0").acquire()) == errc::protocol);
        co_await a.sleep(5s);
        CHECK(co_await error_of(mutex(c, "m0").acquire()) == errc::protocol);
    });
    CHECK(a.count("SET") == 1);
    CHECK(a.lines_with("a Redis Cluster of 2 primaries") > 0);
}

TEST_CASE("a release of a read is repeated until the slots of the other readers have moved, too", "[cluster]")
{
    cluster_arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto longer = co_await read_write_lock(c, "w").read().acquire({.lease = 20s});
        auto const before = a.server().model().keys().names();
        auto shorter = co_await read_write_lock(d, "w").read().acquire({.lease = 5s});
        // The release of the longer read looks at the slot of the other one, which is not in its KEYS.
        for (auto const& key : a.server().model().keys().names())
            if (std::ranges::find(before, key) == before.end())
                a.server().model().give_away(key);
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(100ms);
            a.server().model().take_back_all();
        });
        auto const begun = a.now();
        co_await longer.release();
        CHECK(a.now() - begun >= 100ms);
        co_await shorter.release();
        CHECK_FALSE(a.exists("w"));
    });
    CHECK(a.census(c) == engine::client_engine::census{});
}

}  // namespace
}  // namespace holdfast::test
