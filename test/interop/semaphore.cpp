//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Permits of one semaphore, and counts of one latch, by clients of both libraries.

#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "interop/figures.hpp"
#include "interop/meeting.hpp"
#include "support/child.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr terms one_long_attempt{.lease = 5min, .wait = 0ms};

// One semaphore of both libraries; threads with an even number acquire two permits by Holdfast.
struct shared_permits {
    meeting& m = the_meeting();
    lock_id const id{"permits", new_name()};

    std::string try_acquire(peer_process& side, int thread)
    {
        return side.acquire(id, thread, one_long_attempt).text();
    }
    std::string release(peer_process& side, int thread) { return side.release(id, thread).text(); }
    std::string call(peer_process& side, std::string const& verb, int number = 0)
    {
        return side.call(verb, id, number).text();
    }
    void check_counts(std::string const& free, std::string const& total)
    {
        for (auto* const side : {&m.redisson(), &m.holdfast()}) {
            CAPTURE(side->name());
            CHECK(call(*side, "free") == free);
            CHECK(call(*side, "total") == total);
        }
    }
};

TEST_CASE(
    "permits that one library holds are not granted by the other, and both count the same", "[interop][semaphore]")
{
    shared_permits s;
    auto &redisson = s.m.redisson(), &ours = s.m.holdfast();
    CHECK(s.call(redisson, "set", 3) == "true");
    CHECK(s.try_acquire(redisson, 1) == "granted");
    CHECK(s.try_acquire(ours, 2) == "granted");  // two permits
    s.check_counts("0", "3");
    CHECK(s.try_acquire(redisson, 3) == "busy");
    CHECK(s.try_acquire(ours, 3) == "busy");
    CHECK(s.release(redisson, 1) == "released");
    CHECK(s.try_acquire(ours, 4) == "busy");
    CHECK(s.try_acquire(ours, 1) == "granted");
    CHECK(s.release(ours, 2) == "released");
    CHECK(s.try_acquire(redisson, 5) == "granted");
    CHECK(s.try_acquire(redisson, 6) == "granted");
    CHECK(s.try_acquire(redisson, 7) == "busy");
    for (int thread : {5, 6})
        CHECK(s.release(redisson, thread) == "released");
    CHECK(s.release(ours, 1) == "released");
    s.check_counts("3", "3");
}

TEST_CASE("a semaphore that Holdfast made is one of Redisson, and either changes its permits", "[interop][semaphore]")
{
    shared_permits s;
    auto &redisson = s.m.redisson(), &ours = s.m.holdfast();
    CHECK(s.call(ours, "resize", 2) == "done");
    CHECK(s.call(redisson, "set", 7) == "false");
    CHECK(s.try_acquire(redisson, 1) == "granted");
    CHECK(s.try_acquire(ours, 1) == "granted");
    CHECK(s.call(redisson, "resize", 1) == "done");
    s.check_counts("-1", "1");
    CHECK(s.release(ours, 1) == "released");
    CHECK(s.try_acquire(ours, 3) == "busy");
    CHECK(s.call(ours, "resize", 2) == "done");
    CHECK(s.try_acquire(ours, 3) == "granted");
    CHECK(s.release(redisson, 1) == "released");
    CHECK(s.release(ours, 3) == "released");
    s.check_counts("2", "2");
}

TEST_CASE("the release of a permit wakes a waiter of the other library", "[interop][semaphore]")
{
    auto const s = any_sides(the_meeting());
    CAPTURE(s.direction());
    shared_permits p;
    CHECK(p.call(p.m.redisson(), "set", 1) == "true");
    std::vector<std::chrono::nanoseconds> taken;
    for (int i = 0; i < 7; ++i) {
        REQUIRE(p.try_acquire(s.holder, 1) == "granted");
        auto const enters = s.waiter.acquire(p.id, 3, five_minutes);
        REQUIRE(wait_until([&] { return p.m.subscribers("redisson_sc:{" + p.id.name + "}") > 0; }));
        auto const begin = clock::now();
        CHECK(p.release(s.holder, 1) == "released");
        REQUIRE(is_grant(enters));
        taken.push_back(enters.get().at - begin);
        CHECK(p.release(s.waiter, 3) == "released");
    }
    note_figures("wake-up, permits", s.direction(), taken);
}

TEST_CASE("a permit of Redisson whose lease has ended is granted by Holdfast", "[interop][semaphore]")
{
    shared_permits s;
    CHECK(s.call(s.m.redisson(), "set", 1) == "true");
    CHECK(s.m.redisson().acquire(s.id, 1, {.lease = 100ms, .wait = 0ms}).text() == "granted");
    CHECK(s.try_acquire(s.m.holdfast(), 1) == "busy");
    // 10 s after the end: the clock of its client may be behind.
    CHECK(is_grant(s.m.holdfast().acquire(s.id, 1, {.lease = 5min, .wait = 15s})));
    CHECK(s.release(s.m.holdfast(), 1) == "released");
}

TEST_CASE("a latch is counted down by both libraries, and opens for the waiters of both", "[interop][latch]")
{
    auto& m = the_meeting();
    for (auto* const first : {&m.redisson(), &m.holdfast()}) {
        CAPTURE(first->name());
        lock_id const id{"latch", new_name()};
        auto const call = [&](peer_process& side, std::string const& verb, int number = 0) {
            return side.call(verb, id, number).text();
        };
        CHECK(call(*first, "set", 3) == "true");
        CHECK(call(m.redisson(), "set", 1) == "false");
        CHECK(call(m.holdfast(), "set", 1) == "false");
        auto const theirs = m.redisson().call("wait", id);
        auto const ours = m.holdfast().call("wait", id);
        CHECK(call(m.redisson(), "down") == "done");
        CHECK(call(m.holdfast(), "down") == "done");
        CHECK(call(m.redisson(), "count") == "1");
        CHECK(call(m.holdfast(), "count") == "1");
        auto const channel = "redisson_countdownlatch__channel__{" + id.name + "}";
        REQUIRE(wait_until([&] { return m.subscribers(channel) == 2; }));
        CHECK_FALSE(theirs.is_over());
        CHECK_FALSE(ours.is_over());
        auto& last = first == &m.redisson() ? m.holdfast() : m.redisson();
        CHECK(call(last, "down") == "done");
        CHECK(theirs.text() == "open");
        CHECK(ours.text() == "open");
    }
}

TEST_CASE("a latch that is removed ends the waits of both libraries, and each can set it again", "[interop][latch]")
{
    auto& m = the_meeting();
    for (auto* const next : {&m.redisson(), &m.holdfast()}) {
        CAPTURE(next->name());
        lock_id const id{"latch", new_name()};
        auto const call = [&](peer_process& side, std::string const& verb, int number = 0) {
            return side.call(verb, id, number).text();
        };
        CHECK(call(m.redisson(), "set", 2) == "true");
        auto const theirs = m.redisson().call("wait", id);
        auto const ours = m.holdfast().call("wait", id);
        auto const channel = "redisson_countdownlatch__channel__{" + id.name + "}";
        REQUIRE(wait_until([&] { return m.subscribers(channel) == 2; }));
        CHECK(call(m.holdfast(), "remove") == "true");
        CHECK(theirs.text() == "open");  // Redisson knows no difference
        CHECK(ours.text() == "removed");
        CHECK(call(m.redisson(), "count") == "0");
        CHECK(call(*next, "set", 1) == "true");
        auto const again = m.holdfast().call("wait", id);
        REQUIRE(wait_until([&] { return m.subscribers(channel) > 0; }));
        CHECK(call(m.holdfast(), "count") == "1");
        CHECK_FALSE(again.is_over());
        CHECK(call(m.redisson(), "down") == "done");
        CHECK(again.text() == "open");
    }
}

}  // namespace
}  // namespace holdfast::test
