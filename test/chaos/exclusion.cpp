//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Processes contend while connections are killed, scripts flushed, the server and the processes paused, and processes
// killed: no two hold a lock at once, no update is lost, and a killed process keeps others waiting for no longer than a
// lease time. Before that there is a time without faults, in which no acquire ends as unavailable.
// HOLDFAST_CHAOS_SECONDS is the time with faults.

#include <iostream>
#include <sstream>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "chaos/counters.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

std::string counters_of(redis_server const& s)
{
    return s.folder() / "counters";
}

battlefield::words_of contenders(int tasks)
{
    return [tasks](redis_server& server, std::size_t) -> std::vector<std::string> {
        return {
            HOLDFAST_CONTENDER,
            server.url(),
            std::to_string(tasks),
            std::to_string(chaos_lease.count()),
            counters_of(server)};
    };
}

// Checks that a new client gets each of the locks in time.
void check_locks_are_free(redis_server& server)
{
    live l;
    auto options = live::quick(server.url());
    options.lease = chaos_lease;
    auto& c = l.client(options);
    for (std::size_t i = 0; i < lock_count; ++i) {
        any_lock const lock = i == 2 ? any_lock(reentrant_lock(c, lock_names[i], c.make_owner()))
                                     : any_lock(mutex(c, lock_names[i], {.fencing = i == 1}));
        l.run([&]() -> asio::awaitable<void> {
            auto const held = co_await lock.try_acquire({.wait = chaos_lease + 5s});
            CHECK(held.valid());
        });
    }
}

// A fault that the library need not tolerate.
void delete_keys(redis_server& server, std::chrono::seconds time)
{
    auto const end = battlefield::clock::now() + time;
    while (battlefield::clock::now() < end) {
        std::this_thread::sleep_for(10ms);
        for (auto const* name : lock_names)
            server.command({"DEL", name});
    }
}

// The hand-offs of the processes that ended well.
std::uint64_t handed_off(battlefield const& b)
{
    std::uint64_t sum = 0;
    for (auto const& line : b.reported_at_end("stats")) {
        std::istringstream stats(line);
        std::uint64_t acquired = 0, by_hand = 0;
        stats >> acquired >> by_hand;
        sum += by_hand;
    }
    return sum;
}

TEST_CASE("mutual exclusion holds while connections, processes and the server fail", "[chaos]")
{
    battlefield b(8, contenders(200), chaos_lease, chaos_seed());
    shared_counters counters(counters_of(b.server()));
    auto const calm = b.calm(2s);
    b.rage(chaos_time());
    b.end();
    check_locks_are_free(b.server());

    auto holds = b.holds();
    auto const grants = holds.size();
    auto const violation = find_violation(std::move(holds));
    CHECK(violation.value_or("none") == "none");
    CHECK(grants > 100);
    CHECK(b.unavailable_in(calm) == 0);

    std::uint64_t lost = 0, late = 0;
    for (std::size_t i = 0; i < lock_count; ++i) {
        auto const& counter = counters[i];
        CAPTURE(lock_names[i], counter.written(), counter.lost(), counter.late());
        CHECK(counter.written() > 0);
        CHECK(counter.count() == counter.written());
        CHECK(counter.lost() <= (std::string(lock_names[i]) == "fenced" ? 0 : counter.late()));
        lost += counter.lost();
        late += counter.late();
    }
    std::cout << "chaos: " << grants << " grants, " << handed_off(b) << " hand-offs by those that ended well, "
              << to_string(b.done()) << ", " << late << " late writes, " << lost
              << " updates lost, violations: " << violation.value_or("none") << std::endl;
}

TEST_CASE("chaos: the checker finds an overlap when keys are deleted while they are held", "[chaos]")
{
    battlefield b(3, contenders(30), chaos_lease, 1);
    delete_keys(b.server(), 4s);
    b.end();
    auto const violation = find_violation(without_tokens(b.holds()));
    REQUIRE(violation);
    CHECK(violation->starts_with("overlap"));
    std::cout << "negative control: " << *violation << std::endl;
}

}  // namespace
}  // namespace holdfast::test
