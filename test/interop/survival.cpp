//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A lock lasts as long as its holder runs, and expires soon after, whichever library waits for it.

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "interop/figures.hpp"
#include "interop/meeting.hpp"
#include "support/child.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// A held lock, and a contender that waits for it.
struct pair {
    conflict of;
    std::string name;
    peer_process* holder;
    peer_process* waiter;
    peer_process::request enters;

    lock_id held() const { return {of.holder, name}; }
    lock_id wanted() const { return {of.waiter, name}; }
    std::string text() const { return of.text() + ": " + holder->name() + " holds, " + waiter->name() + " waits"; }
};

pair hold_and_wait(meeting& m, peer_process& holder, peer_process& waiter, conflict const& c, terms t = {})
{
    auto const name = new_name();
    REQUIRE(is_grant(holder.acquire({c.holder, name}, 1, t)));
    pair p{c, name, &holder, &waiter, waiter.acquire({c.waiter, name}, 2)};
    m.wait_until_waiting(p.wanted());
    return p;
}

void leave(pair const& p)
{
    CHECK(p.waiter->release(p.wanted(), 2).text() == "released");
}

clock::time_point end_of_lease(meeting& m, std::string const& name)
{
    auto const left = m.server().command({"PTTL", name}).integer;
    return clock::now() + std::chrono::milliseconds(left);
}

TEST_CASE("the watchdogs of both libraries keep locks for longer than three lease times", "[interop]")
{
    auto& m = the_meeting();
    std::vector<pair> pairs;
    for (auto const& c : conflicts()) {
        pairs.push_back(hold_and_wait(m, m.redisson(), m.holdfast(), c));
        pairs.push_back(hold_and_wait(m, m.holdfast(), m.redisson(), c));
    }
    std::this_thread::sleep_for(3 * meeting_lease + 1s);
    for (auto const& p : pairs) {
        CAPTURE(p.text());
        CHECK_FALSE(p.enters.is_over());
        CHECK(p.holder->call("held", p.held(), 1).text() == "true");
        CHECK(p.holder->release(p.held(), 1).text() == "released");
        CHECK(is_grant(p.enters));
        leave(p);
    }
}

TEST_CASE("the lock of a killed process expires, and the other library's waiter is granted it", "[interop]")
{
    auto& m = the_meeting();
    auto const ours_dies = GENERATE(false, true);
    peer_process victim(
        ours_dies ? "Holdfast" : "Redisson",
        ours_dies ? meeting::holdfast_program(m.server()) : meeting::redisson_program(m.server()));
    auto& survivor = ours_dies ? m.redisson() : m.holdfast();
    std::vector<pair> pairs;
    for (auto const& c : conflicts())
        pairs.push_back(hold_and_wait(m, victim, survivor, c));

    victim.kill();
    std::vector<clock::time_point> ends;
    for (auto const& p : pairs) {
        ends.push_back(end_of_lease(m, p.name));
        CHECK(ends.back() > clock::now());
        CHECK(ends.back() <= clock::now() + meeting_lease);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto const& p = pairs[i];
        CAPTURE(p.text());
        REQUIRE(is_grant(p.enters));
        auto const entered = p.enters.get().at;
        CHECK(entered > ends[i] - 20ms);
        CHECK(entered < ends[i] + 10s);
        auto const direction = victim.name() + " dies, " + survivor.name() + " waits";
        note_figures("after a dead holder's lease, " + p.of.text(), direction, {entered - ends[i]});
        leave(p);
    }
}

TEST_CASE("a fixed lease ends by itself, the waiter is granted the lock, and the late release fails", "[interop]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    std::vector<pair> pairs;
    for (auto const& c : conflicts())
        pairs.push_back(hold_and_wait(m, s.holder, s.waiter, c, {.lease = 1500ms}));
    for (auto const& p : pairs) {
        CAPTURE(p.text());
        CHECK(is_grant(p.enters));
        CHECK(p.holder->release(p.held(), 1).text().starts_with("failed"));
        CHECK(p.waiter->call("held", p.wanted(), 2).text() == "true");
        leave(p);
    }
}

TEST_CASE("a waiter finds by polling that a Redisson spin lock, which sends no message, was released", "[interop]")
{
    auto& m = the_meeting();
    lock_id const silent{"spin", new_name()};
    lock_id const wanted{"reentrant", silent.name};
    REQUIRE(is_grant(m.redisson().acquire(silent, 1, {.lease = 60s})));
    auto const enters = m.holdfast().acquire(wanted, 1);
    m.wait_until_waiting(wanted);
    auto const begin = clock::now();
    CHECK(m.redisson().release(silent, 1).text() == "released");
    CHECK(is_grant(enters));
    note_figures(
        "after a spin lock, which sends no message", "Redisson holds, Holdfast waits", {enters.get().at - begin});
    CHECK(enters.get().at < begin + 30s);
    CHECK(m.holdfast().release(wanted, 1).text() == "released");
}

}  // namespace
}  // namespace holdfast::test
