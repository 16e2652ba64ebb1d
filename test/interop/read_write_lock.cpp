//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Readers of both libraries share a lock; writers of either one keep all others out; a reader that ends does not affect
// other readers.

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "interop/figures.hpp"
#include "interop/meeting.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

struct document {
    std::string name = new_name();
    lock_id read{"read", name};
    lock_id write{"write", name};
};

constexpr int writer_thread = 99;

TEST_CASE(
    "readers of both libraries share a lock, and a writer waits for the last of them", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    CAPTURE(s.direction());
    document const d;
    REQUIRE(is_grant(s.holder.acquire(d.read, 1)));
    REQUIRE(is_grant(s.waiter.acquire(d.read, 1, one_attempt)));
    REQUIRE(is_grant(s.holder.acquire(d.read, 2, one_attempt)));
    auto const writer = s.waiter.acquire(d.write, writer_thread);
    m.wait_until_waiting(d.write);
    CHECK(s.waiter.release(d.read, 1).text() == "released");
    CHECK(s.holder.release(d.read, 2).text() == "released");
    CHECK(s.holder.acquire(d.write, 3, one_attempt).text() == "busy");
    CHECK_FALSE(writer.is_over());
    CHECK(s.holder.release(d.read, 1).text() == "released");
    CHECK(is_grant(writer));
    CHECK(s.holder.acquire(d.read, 1, one_attempt).text() == "busy");
    CHECK(s.waiter.release(d.write, writer_thread).text() == "released");
}

// Readers of both libraries that wait, and enter together.
struct audience {
    std::vector<peer_process::request> readers;

    audience(meeting& m, document const& d)
    {
        for (int thread = 1; thread <= 5; ++thread)
            for (auto* const side : {&m.redisson(), &m.holdfast()})
                readers.push_back(side->acquire(d.read, thread));
        m.wait_until_waiting(d.read, 2);
    }

    bool is_outside() const
    {
        return std::ranges::none_of(readers, [](auto const& r) { return r.is_over(); });
    }

    // Returns how long each reader waited after `begin`.
    std::vector<std::chrono::nanoseconds> enter(clock::time_point begin) const
    {
        std::vector<std::chrono::nanoseconds> taken;
        for (auto const& r : readers) {
            REQUIRE(is_grant(r));
            taken.push_back(r.get().at - begin);
        }
        return taken;
    }

    void leave(meeting& m, document const& d) const
    {
        for (int thread = 1; thread <= 5; ++thread)
            for (auto* const side : {&m.redisson(), &m.holdfast()})
                CHECK(side->release(d.read, thread).text() == "released");
    }
};

TEST_CASE("all readers of both libraries are granted the lock when a writer releases it", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    document const d;
    REQUIRE(is_grant(s.holder.acquire(d.write, writer_thread)));
    audience const all(m, d);
    CHECK(all.is_outside());
    auto const begin = clock::now();
    CHECK(s.holder.release(d.write, writer_thread).text() == "released");
    note_figures("ten readers enter as a writer leaves", s.holder.name() + " writes, both read", all.enter(begin));
    CHECK(s.waiter.acquire(d.write, writer_thread, one_attempt).text() == "busy");
    all.leave(m, d);
    CHECK(m.server().command({"EXISTS", d.name}).integer == 0);
}

TEST_CASE(
    "after a downgrade by Holdfast the waiting readers of both libraries acquire the lock",
    "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    document const d;
    REQUIRE(is_grant(m.holdfast().acquire(d.write, writer_thread)));
    audience const all(m, d);
    auto const begin = clock::now();
    CHECK(m.holdfast().call("downgrade", d.write, writer_thread).text() == "downgraded");
    auto const taken = all.enter(begin);
    note_figures("ten readers enter at a downgrade", "Holdfast writes, both read", taken);
    CHECK(*std::ranges::min_element(taken) < 200ms);
    CHECK(m.holdfast().call("held", d.read, writer_thread).text() == "true");
    all.leave(m, d);
    CHECK(m.redisson().acquire(d.write, 1, one_attempt).text() == "busy");
    CHECK(m.holdfast().release(d.read, writer_thread).text() == "released");
    CHECK(m.server().command({"EXISTS", d.name}).integer == 0);
}

// Redisson sends no message when a writer becomes a reader: Holdfast's readers find out by polling.
TEST_CASE(
    "after a downgrade by Redisson, which sends no message, a waiting reader of Holdfast acquires the lock",
    "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    document const d;
    REQUIRE(is_grant(m.redisson().acquire(d.write, 1)));
    REQUIRE(is_grant(m.redisson().acquire(d.read, 1)));
    auto const reader = m.holdfast().acquire(d.read, 2);
    m.wait_until_waiting(d.read);
    auto const begin = clock::now();
    CHECK(m.redisson().release(d.write, 1).text() == "released");
    REQUIRE(is_grant(reader));
    note_figures("a reader enters at a silent downgrade", "Redisson writes, Holdfast reads", {reader.get().at - begin});
    CHECK(m.holdfast().acquire(d.write, 3, one_attempt).text() == "busy");
    CHECK(m.redisson().release(d.read, 1).text() == "released");
    CHECK(m.redisson().acquire(d.write, 1, one_attempt).text() == "busy");
    CHECK(m.holdfast().release(d.read, 2).text() == "released");
}

TEST_CASE("the release of one reader does not end the read of another", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    CAPTURE(s.direction());
    document const d;
    REQUIRE(is_grant(s.holder.acquire(d.read, 1)));
    REQUIRE(is_grant(s.waiter.acquire(d.read, 1)));
    REQUIRE(is_grant(s.waiter.acquire(d.read, 1)));
    CHECK(s.waiter.release(d.read, 1).text() == "released");
    CHECK(s.waiter.release(d.read, 1).text() == "released");
    std::this_thread::sleep_for(meeting_lease + 1s);
    CHECK(s.holder.call("held", d.read, 1).text() == "true");
    CHECK(s.waiter.acquire(d.write, 2, one_attempt).text() == "busy");
    CHECK(s.holder.release(d.read, 1).text() == "released");
    CHECK(m.server().command({"EXISTS", d.name}).integer == 0);
}

TEST_CASE("the read of a killed process ends without ending other reads", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    auto const ours_dies = GENERATE(false, true);
    peer_process victim(
        ours_dies ? "Holdfast" : "Redisson",
        ours_dies ? meeting::holdfast_program(m.server()) : meeting::redisson_program(m.server()));
    auto& survivor = ours_dies ? m.redisson() : m.holdfast();
    document const d;
    REQUIRE(is_grant(victim.acquire(d.read, 1)));
    REQUIRE(is_grant(survivor.acquire(d.read, 1)));
    auto const writer = survivor.acquire(d.write, writer_thread);
    m.wait_until_waiting(d.write);
    victim.kill();
    std::this_thread::sleep_for(meeting_lease + 1s);
    CHECK(survivor.call("held", d.read, 1).text() == "true");
    CHECK_FALSE(writer.is_over());
    auto const begin = clock::now();
    CHECK(survivor.release(d.read, 1).text() == "released");
    REQUIRE(is_grant(writer));
    note_figures(
        "a writer enters past a dead reader",
        victim.name() + " dies, " + survivor.name() + " writes",
        {writer.get().at - begin});
    CHECK(survivor.release(d.write, writer_thread).text() == "released");
}

// Redisson's watchdog sets the lock's time to live to its own lease time, even if another reader has a longer one. If
// the Redisson process is killed then, only the other reader's renewals keep the lock.
TEST_CASE("a Redisson reader that is killed does not shorten a longer read of Holdfast", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    peer_process victim("Redisson", meeting::redisson_program(m.server()));
    document const d;
    REQUIRE(is_grant(m.holdfast().acquire(d.read, 1, {.lease = 60s})));
    REQUIRE(is_grant(victim.acquire(d.read, 1)));
    auto const writer = m.redisson().acquire(d.write, writer_thread);
    m.wait_until_waiting(d.write);
    std::this_thread::sleep_for(meeting_lease);
    victim.kill();
    std::this_thread::sleep_for(meeting_lease + 1s);
    CHECK(m.holdfast().call("held", d.read, 1).text() == "true");
    CHECK_FALSE(writer.is_over());
    CHECK(m.holdfast().release(d.read, 1).text() == "released");
    CHECK(is_grant(writer));
    CHECK(m.redisson().release(d.write, writer_thread).text() == "released");
}

TEST_CASE(
    "a writer may read during its write, and keeps others out until the write is released",
    "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    CAPTURE(s.direction());
    document const d;
    REQUIRE(is_grant(s.holder.acquire(d.write, 1)));
    REQUIRE(is_grant(s.holder.acquire(d.read, 1)));
    CHECK(s.waiter.acquire(d.read, 2, one_attempt).text() == "busy");
    CHECK(s.holder.release(d.read, 1).text() == "released");
    CHECK(s.waiter.acquire(d.read, 2, one_attempt).text() == "busy");
    CHECK(s.holder.call("held", d.write, 1).text() == "true");
    CHECK(s.holder.release(d.write, 1).text() == "released");
    CHECK(is_grant(s.waiter.acquire(d.read, 2, one_attempt)));
    CHECK(s.waiter.release(d.read, 2).text() == "released");
}

TEST_CASE("short reads during a long write do not shorten the write's time to live", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    document const d;
    REQUIRE(is_grant(m.holdfast().acquire(d.write, 1, {.lease = 60s})));
    REQUIRE(is_grant(m.holdfast().acquire(d.read, 1, {.lease = 2s})));
    REQUIRE(is_grant(m.holdfast().acquire(d.read, 1, {.lease = 2s})));
    CHECK(m.holdfast().release(d.read, 1).text() == "released");
    CHECK(m.server().command({"PTTL", d.name}).integer > 30'000);
    CHECK(m.holdfast().release(d.read, 1).text() == "released");
    CHECK(m.server().command({"PTTL", d.name}).integer > 30'000);
    CHECK(m.holdfast().release(d.write, 1).text() == "released");
}

TEST_CASE("a write is still renewed after a read during it has ended", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    document const d;
    REQUIRE(is_grant(m.holdfast().acquire(d.write, 1)));
    REQUIRE(is_grant(m.holdfast().acquire(d.read, 1)));
    CHECK(m.holdfast().release(d.read, 1).text() == "released");
    auto const writer = m.redisson().acquire(d.write, writer_thread);
    std::this_thread::sleep_for(2 * meeting_lease);
    CHECK_FALSE(writer.is_over());
    CHECK(m.holdfast().call("held", d.write, 1).text() == "true");
    CHECK(m.holdfast().release(d.write, 1).text() == "released");
    CHECK(is_grant(writer));
    CHECK(m.redisson().release(d.write, writer_thread).text() == "released");
}

TEST_CASE("a write acquire of an owner that reads completes with an error", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    document const d;
    REQUIRE(is_grant(m.redisson().acquire(d.read, 1)));
    REQUIRE(is_grant(m.holdfast().acquire(d.read, 1)));
    CHECK(m.holdfast().acquire(d.write, 1).text().starts_with("failed"));
    CHECK(m.holdfast().release(d.read, 1).text() == "released");
    CHECK(m.redisson().release(d.read, 1).text() == "released");
}

TEST_CASE("a lock name with a hash tag leads to the same keys in both libraries", "[interop][read_write_lock]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    auto const name = "{test}:" + new_name() + ":key";
    lock_id const read{"read", name};
    lock_id const write{"write", name};
    REQUIRE(is_grant(s.holder.acquire(read, 1)));
    REQUIRE(is_grant(s.waiter.acquire(read, 1)));
    CHECK(s.waiter.acquire(write, 2, one_attempt).text() == "busy");
    CHECK(s.holder.release(read, 1).text() == "released");
    CHECK(s.holder.acquire(write, 2, one_attempt).text() == "busy");
    CHECK(s.waiter.release(read, 1).text() == "released");
    CHECK(m.server().command({"KEYS", "{test}*"}).items.empty());
}

}  // namespace
}  // namespace holdfast::test
