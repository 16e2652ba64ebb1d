//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Processes contend while connections are killed, scripts flushed, the server and the processes paused, and processes
// killed: no two hold a lock at once, no update is lost, and whoever dies keeps nobody waiting for longer than a lease.
// HOLDFAST_CHAOS_SECONDS says for how long.

#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

#include "chaos/counters.hpp"
#include "support/chance.hpp"
#include "support/child.hpp"
#include "support/interval_checker.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto lease_time = 1500ms;

class battlefield {
public:
    battlefield(std::size_t processes, int tasks, std::uint64_t seed)
        : tasks_(tasks), counters_(server_.folder() / "counters"), chance_(seed)
    {
        for (std::size_t i = 0; i < processes; ++i)
            start_one();
    }

    // Everything that may go wrong without anybody breaking the rules, for so long.
    void rage(std::chrono::seconds time)
    {
        auto const end = clock::now() + time;
        while (clock::now() < end) {
            std::this_thread::sleep_for(chance_.between(20ms, 200ms));
            wake_paused(clock::now());
            strike();
        }
        wake_paused(clock::time_point::max());
    }

    // Somebody breaks them.
    void delete_keys(std::chrono::seconds time)
    {
        auto const end = clock::now() + time;
        while (clock::now() < end) {
            std::this_thread::sleep_for(10ms);
            for (auto const* name : lock_names)
                server_.command({"DEL", name});
        }
    }

    // Half of them end well, half are killed while they hold.
    void end()
    {
        for (std::size_t i = 0; i < alive_.size(); ++i)
            alive_[i]->signal(i % 2 == 0 ? SIGTERM : SIGKILL);
        for (auto const& c : alive_)
            CHECK(wait_until([&] { return c->is_over(); }));
    }

    // How long a newcomer waits for each of the locks.
    void check_newcomer()
    {
        live l;
        auto options = live::quick(server_.url());
        options.lease = lease_time;
        auto& c = l.client(options);
        for (std::size_t i = 0; i < lock_count; ++i) {
            any_lock const lock = i == 2 ? any_lock(reentrant_lock(c, lock_names[i], c.make_owner()))
                                         : any_lock(mutex(c, lock_names[i], {.fencing = i == 1}));
            l.run([&]() -> asio::awaitable<void> {
                auto const held = co_await lock.try_acquire({.wait = lease_time + 5s});
                CHECK(held.valid());
            });
        }
    }

    std::vector<held_interval> holds() const
    {
        std::vector<held_interval> all;
        int number = 0;
        for (auto const* group : {&alive_, &dead_})
            for (auto const& c : *group) {
                auto const who = "process " + std::to_string(++number);
                for (auto const& line : c->lines())
                    if (auto h = to_hold(line, who))
                        all.push_back(std::move(*h));
            }
        return all;
    }

    // Of the processes that ended well.
    std::uint64_t handed_off() const
    {
        std::uint64_t sum = 0;
        for (auto const& c : alive_) {
            std::istringstream stats(c->told("stats "));
            std::uint64_t acquired = 0, by_hand = 0;
            stats >> acquired >> by_hand;
            sum += by_hand;
        }
        return sum;
    }

    shared_counters& counters() { return counters_; }

    struct damage {
        int disconnected = 0, flushed = 0, server_stops = 0, process_stops = 0, process_kills = 0;
    };
    damage const& done() const { return done_; }

private:
    static std::optional<held_interval> to_hold(std::string const& line, std::string const& who)
    {
        std::istringstream words(line);
        std::string verb;
        held_interval h;
        if (!(words >> verb >> h.lock >> h.from >> h.to >> h.fence) || verb != "hold")
            return std::nullopt;
        h.who = who;
        return h;
    }

    void start_one()
    {
        alive_.push_back(std::make_unique<child>(std::vector<std::string>{
            HOLDFAST_CONTENDER,
            server_.url(),
            std::to_string(tasks_),
            std::to_string(lease_time.count()),
            server_.folder() / "counters"}));
    }

    void strike()
    {
        switch (chance_.below(10)) {
            case 0:
            case 1: return disconnect_one();
            case 2: return disconnect({"TYPE", "normal"});
            case 3: return disconnect({"TYPE", "pubsub"});
            case 4: ++done_.flushed; return void(server_.command({"SCRIPT", "FLUSH"}));
            case 5: return stop_server();
            case 6:
            case 7: return stop_process();
            case 8: return kill_process();
            default: return;
        }
    }

    void disconnect(std::vector<std::string> whom)
    {
        ++done_.disconnected;
        whom.insert(whom.begin(), {"CLIENT", "KILL"});
        whom.insert(whom.end(), {"SKIPME", "yes"});
        server_.command(whom);
    }

    void disconnect_one()
    {
        std::istringstream list(server_.command({"CLIENT", "LIST"}).text);
        std::vector<std::string> ids;
        for (std::string line; std::getline(list, line);)
            if (line.starts_with("id="))
                ids.push_back(line.substr(3, line.find(' ') - 3));
        if (!ids.empty())
            disconnect({"ID", ids[chance_.below(ids.size())]});
    }

    void stop_server()
    {
        ++done_.server_stops;
        server_.freeze();
        std::this_thread::sleep_for(chance_.between(50ms, 2s));
        server_.thaw();
    }

    // For longer than a lease, while the others go on.
    void stop_process()
    {
        auto* const c = alive_[chance_.below(alive_.size())].get();
        if (std::ranges::any_of(paused_, [&](auto const& p) { return p.who == c; }))
            return;
        ++done_.process_stops;
        c->pause();
        paused_.push_back(
            {c, clock::now() + std::chrono::nanoseconds(chance_.between(lease_time / 2, 2 * lease_time))});
    }

    void kill_process()
    {
        auto const i = chance_.below(alive_.size());
        ++done_.process_kills;
        std::erase_if(paused_, [&](auto const& p) { return p.who == alive_[i].get(); });
        alive_[i]->signal(SIGKILL);
        dead_.push_back(std::move(alive_[i]));
        alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(i));
        start_one();
    }

    void wake_paused(clock::time_point now)
    {
        std::erase_if(paused_, [&](auto const& p) {
            if (p.until > now)
                return false;
            p.who->resume();
            return true;
        });
    }

    struct pause {
        child* who;
        clock::time_point until;
    };

    int tasks_;
    redis_server server_;
    shared_counters counters_;
    chance chance_;
    std::vector<std::unique_ptr<child>> alive_;
    std::vector<std::unique_ptr<child>> dead_;
    std::vector<pause> paused_;
    damage done_;
};

TEST_CASE("exclusion holds under chaos", "[chaos]")
{
    auto const* wanted = std::getenv("HOLDFAST_CHAOS_SECONDS");
    auto const* seed = std::getenv("HOLDFAST_CHAOS_SEED");
    battlefield b(8, 200, seed ? std::strtoull(seed, nullptr, 10) : 1);
    b.rage(std::chrono::seconds(wanted ? std::atoi(wanted) : 10));
    b.end();
    b.check_newcomer();

    auto holds = b.holds();
    auto const grants = holds.size();
    auto const violation = find_violation(std::move(holds));
    CHECK(violation.value_or("none") == "none");
    CHECK(grants > 100);

    std::uint64_t lost = 0, late = 0;
    for (std::size_t i = 0; i < lock_count; ++i) {
        auto const& counter = b.counters()[i];
        CAPTURE(lock_names[i], counter.written(), counter.lost(), counter.late());
        CHECK(counter.written() > 0);
        CHECK(counter.count() == counter.written());
        CHECK(counter.lost() <= (std::string(lock_names[i]) == "fenced" ? 0 : counter.late()));
        lost += counter.lost();
        late += counter.late();
    }
    auto const& d = b.done();
    std::cout << "chaos: " << grants << " grants, " << b.handed_off() << " hand-offs by those that ended well, "
              << d.disconnected << " disconnections, " << d.flushed << " script flushes, " << d.server_stops
              << " server stops, " << d.process_stops << " process stops, " << d.process_kills << " process kills, "
              << late << " late writes, " << lost << " updates lost, violations: " << violation.value_or("none")
              << std::endl;
}

TEST_CASE("chaos: keys deleted behind the back of their holders are noticed by the checker", "[chaos]")
{
    battlefield b(3, 30, 1);
    b.delete_keys(4s);
    b.end();
    auto const violation = find_violation(b.holds());
    REQUIRE(violation);
    CHECK(violation->starts_with("overlap"));
    std::cout << "negative control: " << *violation << std::endl;
}

}  // namespace
}  // namespace holdfast::test
