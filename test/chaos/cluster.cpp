//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Renewed locks of every kind in a cluster whose slots move and whose primaries fail, and a rival that tries all of
// them. HOLDFAST_CHAOS_SECONDS is the time with faults.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "chaos/cluster_faults.hpp"
#include "support/interval_checker.hpp"
#include "support/live_thread.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using clock = std::chrono::steady_clock;

constexpr auto cluster_lease = 10s;

// A lock as the holder and as the rival use it: a held read excludes a write.
struct contested {
    std::string name;
    any_lock lock;
};

std::vector<std::string> one_letter_names()
{
    std::vector<std::string> all;
    for (char c = 'a'; c <= 'k'; ++c)
        all.emplace_back(1, c);
    return all;
}

// Nine for each name, with the members of each multi_lock in three slots.
std::vector<contested> contested_locks(client& c, bool is_holder)
{
    std::vector<contested> all;
    auto const add = [&](std::string const& name, any_lock lock) { all.push_back({name, std::move(lock)}); };
    auto const side = [&](read_write_lock const& lock, bool reads) {
        return reads ? any_lock(lock.read()) : any_lock(lock.write());
    };
    for (auto const& n : one_letter_names()) {
        add(n + "-m", mutex(c, n + "-m"));
        add(n + "-f", mutex(c, n + "-f", {.fencing = true}));
        add(n + "-r", reentrant_lock(c, n + "-r", c.make_owner()));
        add(n + "-rf", reentrant_lock(c, n + "-rf", c.make_owner(), {.fencing = true}));
        add(n + "-q", fair_lock(c, n + "-q", {.fencing = true}));
        add(n + "-rd", side(read_write_lock(c, n + "-rd"), is_holder));
        add(n + "-w", side(read_write_lock(c, n + "-w", {.fencing = true}), !is_holder));
        add(n + "-s", semaphore(c, n + "-s", {.permits = 1}));
        add(n + "-x", multi_lock(mutex(c, n + "-1"), mutex(c, n + "-2"), mutex(c, n + "-3")));
    }
    return all;
}

std::vector<std::string> election_names()
{
    return {"boss-1", "boss-2", "boss-3", "boss-4", "boss-5", "boss-6"};
}

std::vector<std::string> keys_to_move()
{
    auto all = election_names();
    for (auto const& n : one_letter_names())
        for (auto const* const end : {"-m", "-f", "-r", "-rf", "-q", "-rd", "-w", "-s", "-1", "-2", "-3"})
            all.push_back(n + end);
    return all;
}

// What the renewals of the holder look like. Called on the thread of the holder, read when that has ended.
class renewals : public observer {
public:
    void on_acquired(lock_event const& e) noexcept override { last_[std::string(e.name)] = clock::now(); }
    void on_renewed(lock_event const& e) noexcept override
    {
        ++count;
        auto const now = clock::now();
        auto const [at, is_new] = last_.try_emplace(std::string(e.name), now);
        longest_gap = std::max(longest_gap, std::chrono::duration_cast<std::chrono::milliseconds>(now - at->second));
        at->second = now;
    }
    void on_at_risk(lock_event const&) noexcept override { ++at_risk; }

    std::size_t count = 0;
    std::size_t at_risk = 0;
    std::chrono::milliseconds longest_gap{};

private:
    std::map<std::string, clock::time_point> last_;
};

// Acquires all locks and leaderships, and holds them until it is told to release them.
class long_holder {
public:
    explicit long_holder(std::string u) : url_(std::move(u)) {}

    awaitable<void> operator()(live& l)
    {
        auto options = live::quick(url_);
        options.lease = cluster_lease;
        options.observer = seen;
        auto& c = l.client(options);
        for (auto const& each : contested_locks(c, true)) {
            auto held = co_await each.lock.acquire();
            leases_.push_back({each.name, std::move(held), clock::now()});
        }
        for (auto const& name : election_names()) {
            auto held = co_await election(c, name).campaign("here");
            terms_.push_back({name, std::move(held), clock::now()});
        }
        size = leases_.size() + terms_.size();
        while (!enough)
            co_await sleep_for(50ms);
        for (auto& each : leases_)
            co_await end(each, [&] { return each.held.release(asio::use_awaitable); });
        for (auto& each : terms_)
            co_await end(each, [&] { return each.held.resign(asio::use_awaitable); });
        lost = c.stats().lost;
        bool const is_empty = co_await comes_true([&] { return live::census(c) == engine::client_engine::census{}; });
        left_something = !is_empty;
    }

    std::shared_ptr<renewals> seen = std::make_shared<renewals>();
    std::atomic<std::size_t> size = 0;  // 0: not all are acquired
    std::atomic<bool> enough = false;
    std::vector<held_interval> holds = {};
    std::uint64_t lost = 0;
    bool left_something = false;

private:
    template <class Held>
    struct hold {
        std::string name;
        Held held;
        clock::time_point from;
    };

    template <class Held, class Release>
    awaitable<void> end(hold<Held>& h, Release release)
    {
        auto const to = std::min(h.held.valid_until(), clock::now());
        holds.push_back({h.name, "holder", nanoseconds(h.from), nanoseconds(to)});
        try {
            co_await release();
        } catch (std::exception const&) {
            // a lost lease, which the statistics count
        }
    }

    std::string const url_;
    std::vector<hold<lease>> leases_;
    std::vector<hold<leadership>> terms_;
};

// Tries all locks again and again.
class rival {
public:
    explicit rival(std::string u) : url_(std::move(u)) {}

    awaitable<void> operator()(live& l)
    {
        auto options = live::quick(url_);
        options.command_timeout = 1s;
        auto& c = l.client(options);
        for (auto const& each : contested_locks(c, false))
            l.spawn([this, each] { return try_lock(each); });
        for (auto const& name : election_names())
            l.spawn([this, boss = election(c, name), name] { return campaign(boss, name); });
        while (!enough)
            co_await sleep_for(50ms);
        co_await comes_true([&] { return running_ == 0; });
    }

    std::atomic<bool> enough = false;
    std::vector<held_interval> holds = {};
    std::size_t attempts = 0;
    std::size_t failures = 0;

private:
    awaitable<void> try_lock(contested what)
    {
        ++running_;
        while (!enough) {
            error_code ec;
            auto got = co_await what.lock.try_acquire(redirect(ec));
            count(ec);
            co_await note(
                what.name, std::move(got), [](lease& held, error_code& e) { return held.release(redirect(e)); });
        }
        --running_;
    }

    awaitable<void> campaign(election boss, std::string name)
    {
        ++running_;
        while (!enough) {
            error_code ec;
            auto got = co_await boss.campaign("rival", {.wait = 200ms}, redirect(ec));
            count(ec);
            co_await note(
                name, std::move(got), [](leadership& held, error_code& e) { return held.resign(redirect(e)); });
        }
        --running_;
    }

    void count(error_code ec)
    {
        ++attempts;
        failures += ec && ec != errc::busy;
    }

    template <class Held, class Release>
    awaitable<void> note(std::string name, Held got, Release release)
    {
        auto const from = clock::now();
        if (got.empty())
            co_return co_await sleep_for(200ms);
        co_await sleep_for(1ms);
        holds.push_back({name, "rival", nanoseconds(from), nanoseconds(std::min(got.valid_until(), clock::now()))});
        error_code ec;
        co_await release(got, ec);
    }

    std::string const url_;
    int running_ = 0;
};

TEST_CASE("100 renewed locks outlast reshards, failovers, kills and freezes of primaries", "[chaos][cluster]")
{
    bool const is_long = chaos_time() >= 60s;
    auto const limit = chaos_time() + 300s;
    server_cluster cluster(3, server_cluster::replicas::one_each);
    long_holder holds(cluster.url());
    rival tries(cluster.url());
    cluster_faults faults(cluster, keys_to_move(), chaos_seed());
    auto const begin = clock::now();
    {
        live_thread const first([&](live& l) { return holds(l); }, limit);
        REQUIRE(wait_until([&] { return holds.size != 0 || first.is_over(); }));
        live_thread const second([&](live& l) { return tries(l); }, limit);
        try {
            faults.rage(chaos_time(), is_long ? 6s : 1s, is_long ? 9s : 2s);
        } catch (std::exception const& e) {
            FAIL_CHECK(e.what());
        }
        holds.enough = true;
        wait_until([&] { return first.is_over(); });
        tries.enough = true;
    }
    auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(clock::now() - begin).count();
    auto all = holds.holds;
    std::ranges::copy(tries.holds, std::back_inserter(all));
    auto const violation = find_violation(all);
    auto const questions = cluster.slots_requests();
    std::cout << "cluster: " << holds.size << " leases for " << seconds << " s, " << holds.seen->count
              << " renewals, longest gap between two " << holds.seen->longest_gap.count() << " ms, at risk "
              << holds.seen->at_risk << " times, " << holds.lost << " lost; a rival tried " << tries.attempts
              << " times (" << tries.failures << " without a reply); " << to_string(faults.done()) << "; MOVED "
              << cluster.errors("MOVED") << ", ASK " << cluster.errors("ASK") << ", TRYAGAIN "
              << cluster.errors("TRYAGAIN") << ", CLUSTERDOWN " << cluster.errors("CLUSTERDOWN") << ", CLUSTER SLOTS "
              << questions << "; violations: " << violation.value_or("none") << std::endl;
    CHECK(holds.size >= 100);
    CHECK(holds.lost == 0);
    CHECK_FALSE(holds.left_something);
    CHECK(violation.value_or("none") == "none");
    CHECK(tries.attempts > 100);
    CHECK(cluster.errors("CROSSSLOT") == 0);
    // Of two clients, each of which asks at most ten times in a second while the map changes, and less and less often
    // while it does not.
    CHECK(questions < 60 + 60 * faults.done().total());
}

}  // namespace
}  // namespace holdfast::test
