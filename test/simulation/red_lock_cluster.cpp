//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A red_lock whose members are Redis Clusters: each has one vote, and its primary counts when this client has known it
// as the primary for max_lease.

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/hash_slot.hpp"
#include "simulation/contest.hpp"
#include "simulation/red_arena.hpp"
#include "support/interval_checker.hpp"
#include "support/simulated_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr unsigned cluster_count = 3;

struct three_clusters : arena {
    explicit three_clusters(world_options w = {.fifo = true}) : arena({.world = w, .network = {.delay = {1ms, 1ms}}})
    {
        for (auto const* prefix : {"x-", "y-", "z-"})
            clusters.push_back(std::make_unique<simulated_cluster>(
                simulated(), cluster_options{.prefix = prefix, .gossip = {5ms, 5ms}}));
    }
    ~three_clusters()
    {
        for (auto const& c : clients_)
            c->stop();
    }

    holdfast::client& client_of(unsigned cluster, std::string_view where, unsigned seed = 0)
    {
        auto& p = at(where);
        auto config = quick();
        config.log = [lines = lines_](log_level, std::string_view line) { lines->emplace_back(line); };
        auto const name = clusters.at(cluster)->names().at(seed);
        auto const make_io = [this, &p, name](engine::strand s, holdfast::config const& c, engine::log l) {
            return simulated().make_cluster_io(p, std::move(s), c, std::move(l), {name});
        };
        clients_.push_back(
            std::make_unique<holdfast::client>(detail::client_access::make(p.get_executor(), config, make_io)));
        clients_.back()->run(boost::asio::detached);
        return *clients_.back();
    }

    std::vector<holdfast::client const*> one_of_each(std::string_view where)
    {
        std::vector<holdfast::client const*> all;
        for (unsigned i = 0; i < cluster_count; ++i)
            all.push_back(&client_of(i, where));
        return all;
    }

    // As a failover to a replica that has received nothing: another node has the slot, without its keys.
    void replace_primary(unsigned cluster, std::string_view key)
    {
        auto& c = *clusters.at(cluster);
        auto const slot = core::hash_slot(key);
        auto const other = c.model().primary_of(slot) == c.names()[0] ? c.names()[1] : c.names()[0];
        c.model().assign(slot, slot, other);
    }

    void pause(unsigned cluster, bool paused)
    {
        for (unsigned i = 0; i < cluster_count; ++i)
            paused ? clusters[cluster]->node(i).pause() : clusters[cluster]->node(i).resume();
    }

    unsigned keys(std::string_view name)
    {
        unsigned found = 0;
        for (auto const& c : clusters)
            for (auto const& node : c->names())
                found += exists(name, node);
        return found;
    }

    unsigned count_lines(std::string_view part) const
    {
        unsigned found = 0;
        for (auto const& line : *lines_)
            found += line.find(part) != line.npos;
        return found;
    }

    std::vector<std::unique_ptr<simulated_cluster>> clusters;

private:
    // The lines outlive this object, for which the connections of the simulation still log their end.
    std::shared_ptr<std::vector<std::string>> lines_ = std::make_shared<std::vector<std::string>>();
    std::vector<std::unique_ptr<holdfast::client>> clients_;
};

TEST_CASE("a red_lock of three clusters is held while two of them hold it", "[red_lock][cluster]")
{
    three_clusters a;
    auto const all = a.one_of_each("A");
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        red_lock const lock(all, "r", {.fencing = true, .trust_new_nodes = true});
        auto first = co_await lock.acquire();
        co_await a.sleep(100ms);
        CHECK(a.keys("r") == 3);
        auto const token = first.fencing_token();
        co_await first.release();
        co_await a.sleep(100ms);
        CHECK(a.keys("r") == 0);
        a.pause(1, true);
        auto second = co_await lock.acquire();
        CHECK(second.valid());
        CHECK(second.fencing_token() > token);
        co_await a.sleep(10s);
        CHECK(second.state() == lease_state::held);
        co_await second.release();
        a.pause(1, false);
    });
}

TEST_CASE("a cluster counts when the client has known the primary of the slot for max_lease", "[red_lock][cluster]")
{
    three_clusters a;
    a.world().run_for(20s);  // the servers themselves are old enough
    auto const all = a.one_of_each("A");
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        auto const begun = a.now();
        red_lock const lock(all, "r");  // max_lease is 3 s
        error_code ec;
        auto l = co_await lock.try_acquire({.wait = 2500ms}, redirect(ec));
        CHECK(ec == errc::no_quorum);
        CHECK(all[0]->last_failure().message.find("become a primary, less than max_lease ago") != std::string::npos);
        l = co_await lock.acquire();
        CHECK(l.valid());
        CHECK(a.now() - begun >= 3s);
        CHECK(a.now() - begun < 6s);
    });
}

// B holds the lock at the clusters 0 and 1. The primary of cluster 0 is replaced by one without the key.
TEST_CASE("the vote of a promoted replica does not count for max_lease", "[red_lock][cluster]")
{
    for (bool const trusts : {false, true}) {
        CAPTURE(trusts);
        three_clusters a;
        auto const ours = a.one_of_each("A");
        auto const theirs = a.one_of_each("B");
        bool two = false;
        a.run([&]() -> awaitable<void> {
            co_await ready(ours);
            co_await ready(theirs);
            co_await a.sleep(10s);
            a.pause(2, true);
            auto held = co_await red_lock(theirs, "r").acquire();
            co_await a.sleep(100ms);  // the third cluster cannot join any more
            a.pause(2, false);
            co_await a.sleep(1s);
            a.replace_primary(0, "r");
            red_lock const lock(ours, "r", {.trust_new_nodes = trusts});
            lease l;
            error_code ec;
            while (held.valid() && l.empty()) {
                l = co_await lock.try_acquire(redirect(ec));
                two = two || (l.valid() && held.valid());
                co_await a.sleep(1ms);
            }
            l = lease();
            // The holder has lost its majority, and the clusters count again later.
            l = co_await lock.acquire();
            CHECK(l.valid());
        });
        CHECK(two == trusts);
    }
}

TEST_CASE("a primary that restarts in a cluster does not count for max_lease", "[red_lock][cluster]")
{
    three_clusters a;
    auto const all = a.one_of_each("A");
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        co_await a.sleep(10s);
        red_lock const lock(all, "r");
        co_await (co_await lock.acquire()).release();
        a.pause(2, true);
        a.clusters[0]->server_of("r").restart(true);
        error_code ec;
        auto l = co_await lock.try_acquire({.wait = 2s}, redirect(ec));
        CHECK(ec == errc::no_quorum);
        l = co_await lock.acquire();
        CHECK(l.valid());
        a.pause(2, false);
    });
}

TEST_CASE("two clients of one cluster are no two votes, and the cluster is named", "[red_lock][cluster]")
{
    three_clusters a;
    auto& x = a.client_of(0, "A", 0);
    auto& same = a.client_of(0, "A", 1);
    auto& y = a.client_of(1, "A");
    a.run([&]() -> awaitable<void> {
        std::vector<client const*> const all{&x, &same, &y};
        co_await ready(all);
        error_code ec;
        co_await red_lock(all, "r", trusting).acquire(redirect(ec));
        CHECK(ec == errc::invalid_option);
        auto const words = x.last_failure().message;
        CAPTURE(words);
        CHECK(words.find("members: two of them are in one Redis Cluster, that of x-") != std::string::npos);
        co_await a.sleep(100ms);
        CHECK(a.keys("r") == 0);
    });
}

TEST_CASE("the log says once that a cluster is no independent server", "[red_lock][cluster]")
{
    three_clusters a;
    auto const all = a.one_of_each("A");
    a.run([&]() -> awaitable<void> {
        red_lock const lock(all, "r", trusting);
        co_await ready(all);
        co_await (co_await lock.acquire()).release();
        co_await (co_await lock.acquire()).release();
    });
    CHECK(a.count_lines("lock \"r\": a Redis Cluster is no independent server") == 1);
}

TEST_CASE(
    "contenders for a red_lock of clusters exclude each other while hash slots move", "[red_lock][cluster][contest]")
{
    for (std::uint64_t seed = 1; seed <= seeds_or(15); ++seed) {
        CAPTURE(seed);
        three_clusters a({.seed = seed});
        std::vector<held_interval> holds;
        unsigned under_way = 0;
        auto contend = [&](std::string where) -> awaitable<void> {
            ++under_way;
            auto const all = a.one_of_each(where);
            red_lock const lock(all, "r", trusting);
            for (int i = 0; i < 5; ++i) {
                auto l = co_await lock.acquire();
                auto const from = a.now();
                co_await a.sleep(a.world().chance().between(0ms, 20ms), where);
                auto const to = l.valid() ? a.now() : from;
                holds.push_back({"r", where, from.time_since_epoch().count(), to.time_since_epoch().count() + 1});
                error_code ignored;
                co_await l.release(redirect(ignored));
            }
            --under_way;
        };
        for (std::string const where : {"A", "B", "C"})
            a.spawn([&contend, where] { return contend(where); }, where);
        for (int i = 0; i < 6; ++i) {
            a.world().run_for(a.world().chance().between(10ms, 200ms));
            a.clusters[a.world().chance().below(cluster_count)]->move_on("r");
        }
        for (int i = 0; i < 300 && under_way > 0; ++i)
            a.world().run_for(1s);
        REQUIRE(under_way == 0);
        a.world().run_for(10s);
        CHECK(holds.size() == 15);
        CHECK(a.keys("r") == 0);
        CHECK(find_violation(holds).value_or("none") == "none");
    }
}

}  // namespace
}  // namespace holdfast::test
