//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of semaphores in a half-moved hash slot, all of whose keys are at the source still. When a script removes
// the last member, the timeouts are gone, and every later command for that key fails. No permit is lost then: free and
// held ones add up to the number of permits as before.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "sim/cluster_model.hpp"
#include "sim/command_words.hpp"
#include "sim/redis_model.hpp"
#include "simulation/listener.hpp"

namespace holdfast::test {
namespace {

namespace scripts = engine::scripts;
using strings = std::vector<std::string>;

class half_moved_semaphore {
    static constexpr auto counter = "permits";
    static constexpr auto timeouts = "{permits}:timeout";
    static constexpr auto numbers = "holdfast_permit_numbers:{permits}";
    static constexpr auto queue = "holdfast_permit_queue:{permits}";
    static constexpr auto waiters = "holdfast_permit_waiters:{permits}";
    static constexpr auto fence = "holdfast_fence:{permits}";

public:
    half_moved_semaphore()
    {
        cluster_.add("source", source_);
        cluster_.add("destination", destination_);
        cluster_.assign(0, 16383, "source");
    }

    static std::string holder(int n) { return "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(n); }

    std::string run(engine::script const& script, strings const& keys, strings const& arguments)
    {
        strings words{"EVAL", std::string(script.text), std::to_string(keys.size())};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return to_string(say(words));
    }

    std::string acquire(strings const& contenders)
    {
        strings arguments{"2000", "3", "86400000", "channel"};
        arguments.insert(arguments.end(), contenders.begin(), contenders.end());
        return run(scripts::permits_acquire, {counter, timeouts}, arguments);
    }
    std::string acquire_numbered(int n)
    {
        return run(
            scripts::permits_acquire_numbered,
            {counter, timeouts, numbers, fence},
            {"2000", "3", "86400000", "channel", holder(n), "86400000"});
    }
    std::string acquire_fairly(int n)
    {
        return run(
            scripts::permits_fair_acquire,
            {counter, timeouts, queue, waiters},
            {"2000", "3", "86400000", "channel", holder(n), "1", "15000", "1"});
    }
    std::string release(int n)
    {
        return run(scripts::permits_release, {counter, timeouts}, {"channel", holder(n), "1"});
    }
    std::string release_all(std::vector<int> const& of)
    {
        strings keys, arguments;
        for (int const n : of) {
            keys.insert(keys.end(), {counter, timeouts});
            arguments.insert(arguments.end(), {holder(n), "1", "channel"});
        }
        return run(scripts::permits_release_all, keys, arguments);
    }
    std::string leave(int n)
    {
        return run(
            scripts::permits_fair_leave, {counter, timeouts, queue, waiters}, {holder(n), "1", "channel", "15000"});
    }
    std::string set(std::string const& total)
    {
        return run(scripts::permits_set, {counter, timeouts}, {total, "86400000", "channel"});
    }
    std::string force_release() { return run(scripts::permits_force_release, {counter, timeouts}, {"channel", ""}); }

    // From now on a key that is not at the source may be at the destination.
    void begin_move() { cluster_.begin_move(core::hash_slot(counter), "destination"); }
    void let_leases_end() { now_us_ += 20'000'000; }

    std::int64_t free_and_held()
    {
        if (!cluster_.destination_of(core::hash_slot(counter)).empty())
            cluster_.move(core::hash_slot(counter), "destination");
        auto const free = simulated::to_integer(say({"GET", counter}, destination_, id_there_).text).value_or(0);
        return free + say({"ZCARD", timeouts}, destination_, id_there_).integer;
    }

private:
    simulated::value say(strings const& text) { return say(text, source_, id_); }
    simulated::value say(strings const& text, simulated::redis_model& to, simulated::connection_id as)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        return to.execute(as, views, now_us_).value_or(simulated::nil());
    }

    std::shared_ptr<simulated::lua_engine> lua_ = std::make_shared<simulated::lua_engine>();
    simulated::redis_model source_{lua_}, destination_{lua_};
    listener listener_, listener_there_;
    simulated::connection_id id_ = source_.connect(listener_), id_there_ = destination_.connect(listener_there_);
    std::int64_t now_us_ = 1'800'000'000'123'456;
    simulated::cluster_model cluster_;
};

TEST_CASE_METHOD(
    half_moved_semaphore, "a batch of releases in a half-moved slot loses no permit", "[half-moved][semaphore]")
{
    REQUIRE(acquire({holder(1), "1", holder(2), "1"}) == "nil");
    begin_move();
    // The last one was never granted: its attempt was lost.
    CHECK(release_all({1, 2, 3}) == "[1, 1, 0]");
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(half_moved_semaphore, "a release in a half-moved slot loses no permit", "[half-moved][semaphore]")
{
    REQUIRE(acquire({holder(1), "1"}) == "nil");
    begin_move();
    CHECK(release(1) == "1");
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore, "permits that are over are not lost in a half-moved slot", "[half-moved][semaphore]")
{
    REQUIRE(acquire({holder(1), "2", holder(2), "1"}) == "nil");
    begin_move();
    let_leases_end();
    acquire({holder(3), "1"});
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore, "numbered permits that are over are not lost in a half-moved slot", "[half-moved][semaphore]")
{
    for (int const n : {1, 2, 3})
        REQUIRE(acquire_numbered(n).starts_with("[1, "));
    begin_move();
    let_leases_end();
    acquire_numbered(4);
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore, "fair permits that are over are not lost in a half-moved slot", "[half-moved][semaphore]")
{
    for (int const n : {1, 2, 3})
        REQUIRE(acquire_fairly(n) == "nil");
    REQUIRE(acquire_fairly(4).starts_with("[0, "));
    begin_move();
    SECTION("the first waiter finds them")
    {
        let_leases_end();
        acquire_fairly(4);
    }
    SECTION("another client finds them")
    {
        let_leases_end();
        acquire_fairly(5);
    }
    SECTION("they are released")
    {
        for (int const n : {1, 2, 3, 4})
            leave(n);
    }
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore,
    "set_permits() and force_release() lose no permit in a half-moved slot",
    "[half-moved][semaphore]")
{
    REQUIRE(acquire({holder(1), "2", holder(2), "1"}) == "nil");
    begin_move();
    SECTION("the same number, when all are over")
    {
        let_leases_end();
        set("3");
    }
    SECTION("by force")
    {
        force_release();
    }
    CHECK(free_and_held() == 3);
}

}  // namespace
}  // namespace holdfast::test
