//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Processes contend for red_locks over five servers, while minorities of these are killed and restarted empty, paused
// or cut off, and the processes are paused and killed: no two hold a lock at once, and fencing tokens grow. Before that
// there is a time without faults, in which no acquire fails. HOLDFAST_CHAOS_SECONDS is the time with faults.

#include <array>
#include <atomic>
#include <deque>
#include <iostream>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"
#include "support/proxy.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t server_count = 5;

// Five servers behind proxies, and faults of at most two of them at a time.
class provinces {
public:
    explicit provinces(std::uint64_t seed) : chance_(seed)
    {
        for (auto& s : servers_)
            ways_.emplace_back(s.socket_path());
        std::this_thread::sleep_for(chaos_lease + 2500ms);  // a server that was just started does not count
    }

    battlefield::words_of contenders(int tasks) const
    {
        std::vector<std::string> words{
            HOLDFAST_RED_CONTENDER, std::to_string(chaos_lease.count()), std::to_string(tasks)};
        for (auto const& w : ways_)
            words.push_back(w.url());
        return [words](redis_server&, std::size_t) { return words; };
    }

    void suffer(std::atomic<bool> const& enough)
    {
        while (!enough) {
            auto const first = chance_.below(server_count);
            auto const second = (first + 1 + chance_.below(server_count - 1)) % server_count;
            bool const was_killed = strike_both(first, second);
            std::this_thread::sleep_for(chance_.between(50ms, 1s));
            heal(first);
            heal(second);
            // A server that lost its data counts again when every lease that it forgot has ended; until then it
            // belongs to the minority.
            std::this_thread::sleep_for(was_killed ? chaos_lease + 2500ms : chance_.between(50ms, 500ms));
        }
    }

    // A fault that the library need not tolerate: keys that a majority loses early.
    void forget_majority(std::chrono::seconds time)
    {
        auto const end = battlefield::clock::now() + time;
        while (battlefield::clock::now() < end) {
            std::this_thread::sleep_for(10ms);
            for (std::size_t i = 0; i < 3; ++i)
                servers_[i].command({"DEL", "plain", "fenced"});
        }
    }

    std::string summary() const
    {
        return std::to_string(done_[0]) + " server kills, " + std::to_string(done_[1]) + " stops, "
               + std::to_string(done_[2]) + " partitions, " + std::to_string(done_[3]) + " disconnections, "
               + std::to_string(done_[4]) + " slow servers";
    }

private:
    bool strike_both(std::size_t first, std::size_t second)
    {
        bool const one = strike(first);
        bool const other = strike(second);
        return one || other;
    }

    // Returns true if the server lost its data.
    bool strike(std::size_t i)
    {
        auto const how = chance_.below(5);
        ++done_[how];
        switch (how) {
            case 0: servers_[i].restart(); return true;
            case 1: servers_[i].freeze(); break;
            case 2: ways_[i].black_hole(); break;
            case 3: ways_[i].cut(true); break;
            default: ways_[i].delay(proxy::direction::to_client, 200ms);
        }
        return false;
    }

    void heal(std::size_t i)
    {
        servers_[i].thaw();
        ways_[i].heal();
        ways_[i].delay(proxy::direction::to_client, 0ms);
    }

    std::deque<redis_server> servers_ = std::deque<redis_server>(server_count);
    std::deque<proxy> ways_;
    chance chance_;
    std::array<int, 5> done_{};
};

TEST_CASE("mutual exclusion of red_locks holds while minorities of their servers fail", "[chaos][red_lock]")
{
    provinces p(chaos_seed());
    battlefield b(5, p.contenders(6), chaos_lease, chaos_seed());
    auto const calm = b.calm(2s);
    std::atomic<bool> enough = false;
    std::thread fate([&] { p.suffer(enough); });
    b.rage(chaos_time());
    enough = true;
    fate.join();
    b.end();

    auto holds = b.holds();
    auto const grants = holds.size();
    auto const fenced = std::ranges::count_if(holds, [](auto const& h) { return h.fence != 0; });
    auto const violation = find_violation(std::move(holds));
    CHECK(violation.value_or("none") == "none");
    CHECK(grants > 50);
    CHECK(fenced > 10);
    CHECK(b.unavailable_in(calm) == 0);
    std::cout << "red chaos: " << grants << " grants, " << fenced << " of them fenced, " << p.summary() << ", "
              << to_string(b.done()) << ", violations: " << violation.value_or("none") << std::endl;
}

TEST_CASE("chaos: the checker finds an overlap when a majority loses its keys early", "[chaos][red_lock]")
{
    provinces p(1);
    battlefield b(3, p.contenders(6), chaos_lease, 1);
    p.forget_majority(4s);
    b.end();
    auto const violation = find_violation(without_tokens(b.holds()));
    REQUIRE(violation);
    CHECK(violation->starts_with("overlap"));
    std::cout << "red negative control: " << *violation << std::endl;
}

}  // namespace
}  // namespace holdfast::test
