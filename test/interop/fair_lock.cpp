//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One queue for both libraries: it is served in order of arrival, and no live waiter is removed from it.

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <holdfast/options.hpp>

#include "interop/figures.hpp"
#include "interop/meeting.hpp"
#include "support/child.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// A fair lock that is held, and its waiters in order of arrival.
class queue {
public:
    explicit queue(meeting& m) : server_(m.server()), lock_{"fair", new_name()} {}

    lock_id const& lock() const noexcept { return lock_; }
    std::string key(std::string const& what) const { return what + ":{" + lock_.name + "}"; }
    long length() { return static_cast<long>(server_.command({"LLEN", key("redisson_lock_queue")}).integer); }

    // Acquires the lock for longer than the test lasts.
    void hold(peer_process& side)
    {
        line_.push_back({&side, 1'000, side.acquire(lock_, 1'000, five_minutes)});
        REQUIRE(is_grant(line_.back().enters));
    }

    // Begins an acquire, which has its place in the queue when this returns.
    void come(peer_process& side, terms t = {})
    {
        auto const before = length();
        ++last_thread_;
        line_.push_back({&side, last_thread_, side.acquire(lock_, last_thread_, t)});
        REQUIRE(wait_until([&] { return length() == before + 1; }));
    }

    // The holder releases the lock; the first waiter is granted it, and no other one. Returns the time that this took.
    std::chrono::nanoseconds advance()
    {
        auto const begin = clock::now();
        CHECK(line_.front().side->release(lock_, line_.front().thread).text() == "released");
        line_.erase(line_.begin());
        REQUIRE_FALSE(line_.empty());
        INFO("next: " << line_.front().side->name() << " " << line_.front().thread);
        REQUIRE(line_.front().enters.text() == "granted");
        check_that_the_others_wait();
        return line_.front().enters.get().at - begin;
    }

    void check_that_the_others_wait()
    {
        for (std::size_t i = 1; i < line_.size(); ++i)
            CHECK((line_[i].enters.is_over() ? line_[i].enters.text() : "waits") == "waits");
    }

    // Serves all waiters, and leaves nothing behind.
    void finish()
    {
        while (line_.size() > 1)
            advance();
        CHECK(line_.front().side->release(lock_, line_.front().thread).text() == "released");
        check_empty();
    }

    // Redisson does not delete Holdfast's additional keys: those that its last waiter leaves have a time to live.
    void check_empty()
    {
        for (auto const& deleted : {lock_.name, key("redisson_lock_queue"), key("redisson_lock_timeout")}) {
            CAPTURE(deleted);
            CHECK(server_.command({"EXISTS", deleted}).integer == 0);
        }
        for (auto const* const ours : {"holdfast_lock_waiters", "holdfast_lock_priority"}) {
            CAPTURE(ours);
            CHECK(server_.command({"PTTL", key(ours)}).integer != -1);
        }
    }

    // Removes a contender that left the queue without a grant: killed, or at the end of its wait.
    void forget(std::size_t place) { line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(place)); }
    peer_process::request const& at(std::size_t place) const { return line_.at(place).enters; }

private:
    struct contender {
        peer_process* side;
        int thread;
        peer_process::request enters;
    };

    redis_server& server_;
    lock_id lock_;
    std::vector<contender> line_;  // the holder first
    int last_thread_ = 0;
};

// Makes one attempt, which is busy and makes the server's scripts remove the waiters that count as dead.
void try_once(peer_process& side, lock_id const& lock)
{
    CHECK(side.acquire(lock, 2'000, one_attempt).text() == "busy");
}

TEST_CASE("a fair lock serves waiters of both libraries in order of arrival", "[interop][fair_lock]")
{
    auto& m = the_meeting();
    queue q(m);
    q.hold(m.redisson());
    for (int i = 0; i < 6; ++i) {
        q.come(m.redisson());
        q.come(m.holdfast());
        q.come(m.holdfast());
    }
    CHECK(q.length() == 18);
    std::vector<std::chrono::nanoseconds> taken;
    for (int i = 0; i < 17; ++i)
        taken.push_back(q.advance());
    note_figures("fair queue, 18 waiters in turn", "both", taken);
    q.finish();
}

TEST_CASE("grants of Redisson ahead of Holdfast's waiters remove no waiter from the queue", "[interop][fair_lock]")
{
    auto& m = the_meeting();
    queue q(m);
    q.hold(m.holdfast());
    for (auto* const side : {&m.redisson(), &m.holdfast(), &m.redisson(), &m.holdfast(), &m.redisson()})
        q.come(*side);
    for (auto left = 4; left > 0; --left) {
        q.advance();  // each grant of Redisson subtracts its waiting time from the scores behind it
        try_once(m.redisson(), q.lock());
        q.come(m.redisson());
        q.come(m.holdfast());
        CHECK(q.length() == left + 2 * (5 - left));
    }
    q.finish();
}

TEST_CASE("Holdfast's waiters that are served or give up remove no other waiter from the queue", "[interop][fair_lock]")
{
    auto& m = the_meeting();
    queue q(m);
    q.hold(m.redisson());
    q.come(m.holdfast());
    q.come(m.holdfast(), {.wait = 1500ms});
    q.come(m.redisson());
    q.come(m.holdfast());
    q.come(m.redisson());
    CHECK(q.at(2).text() == "busy");
    q.forget(2);
    CHECK(wait_until([&] { return q.length() == 4; }));
    try_once(m.redisson(), q.lock());
    try_once(m.holdfast(), q.lock());
    CHECK(q.length() == 4);
    q.finish();
}

TEST_CASE("a Redisson waiter that gives up removes no other waiter from the queue", "[interop][fair_lock]")
{
    auto& m = the_meeting();
    queue q(m);
    q.hold(m.holdfast());
    q.come(m.redisson(), {.wait = 1500ms});
    q.come(m.holdfast());
    q.come(m.redisson());
    q.come(m.holdfast());
    CHECK(q.at(1).text() == "busy");
    q.forget(1);
    CHECK(wait_until([&] { return q.length() == 3; }));
    try_once(m.redisson(), q.lock());
    try_once(m.holdfast(), q.lock());
    CHECK(q.length() == 3);
    q.finish();
}

TEST_CASE("Redisson's waiters keep their places when no waiter of Holdfast is left", "[interop][fair_lock]")
{
    auto& m = the_meeting();
    queue q(m);
    q.hold(m.holdfast());
    q.come(m.holdfast());
    q.come(m.redisson());
    q.come(m.redisson());
    q.advance();
    q.advance();  // one waiter of Redisson holds, another waits: no client of Holdfast would renew a key
    CHECK(q.length() == 1);
    CHECK(m.server().command({"PTTL", q.key("redisson_lock_queue")}).integer == -1);
    CHECK(m.server().command({"PTTL", q.key("redisson_lock_timeout")}).integer == -1);
    try_once(m.holdfast(), q.lock());
    CHECK(q.length() == 1);
    q.finish();
}

// Redisson's scripts do not detect stalls: the waiters are safe only because the stall is shorter than the timeout.
TEST_CASE(
    "a server that stalls for less than the waiter timeout removes no waiter from the queue", "[interop][fair_lock]")
{
    meeting m(fair_options{}.waiter_timeout);
    queue q(m);
    q.hold(m.redisson());
    for (auto* const side : {&m.holdfast(), &m.redisson(), &m.holdfast(), &m.holdfast(), &m.redisson()})
        q.come(*side);
    m.server().freeze();
    std::this_thread::sleep_for(6s);
    m.server().thaw();
    q.check_that_the_others_wait();
    try_once(m.redisson(), q.lock());
    try_once(m.holdfast(), q.lock());
    CHECK(q.length() == 5);
    q.finish();
}

// With a timeout shorter than the stall Redisson may remove Holdfast's first waiter, which then queues up again at the
// end.
TEST_CASE("waiters are served after a server stalled for longer than their waiter timeout", "[interop][fair_lock]")
{
    meeting m;
    lock_id const lock{"fair", new_name()};
    auto const length = [&] { return m.server().command({"LLEN", "redisson_lock_queue:{" + lock.name + "}"}).integer; };
    REQUIRE(is_grant(m.redisson().acquire(lock, 1, five_minutes)));
    auto const first = m.holdfast().acquire(lock, 1);
    auto const second = m.holdfast().acquire(lock, 2);
    REQUIRE(wait_until([&] { return length() == 2; }));
    m.server().freeze();
    std::this_thread::sleep_for(meeting_waiter_timeout + 1s);
    m.server().thaw();
    try_once(m.redisson(), lock);
    CHECK(m.redisson().release(lock, 1).text() == "released");
    REQUIRE(wait_until([&] { return first.is_over() || second.is_over(); }));
    auto const begins = first.is_over() ? 1 : 2;
    CHECK(m.holdfast().release(lock, begins).text() == "released");
    CHECK(is_grant(first));
    CHECK(is_grant(second));
    CHECK(m.holdfast().release(lock, 3 - begins).text() == "released");
}

TEST_CASE("live waiters keep their places when they wait for longer than the waiter timeout", "[interop][fair_lock]")
{
    auto& m = the_meeting();
    queue q(m);
    q.hold(m.redisson());
    for (auto* const side : {&m.holdfast(), &m.redisson(), &m.holdfast(), &m.redisson()})
        q.come(*side);
    std::this_thread::sleep_for(2 * meeting_waiter_timeout);
    try_once(m.redisson(), q.lock());
    try_once(m.holdfast(), q.lock());
    CHECK(q.length() == 4);
    q.finish();
}

TEST_CASE("a killed waiter delays the queue by little more than its waiter timeout", "[interop][fair_lock]")
{
    auto& m = the_meeting();
    auto const ours_dies = GENERATE(false, true);
    peer_process victim(
        ours_dies ? "Holdfast" : "Redisson",
        ours_dies ? meeting::holdfast_program(m.server()) : meeting::redisson_program(m.server(), 2s));
    auto& survivor = ours_dies ? m.redisson() : m.holdfast();
    queue q(m);
    lock_id const& lock = q.lock();
    REQUIRE(is_grant(survivor.acquire(lock, 1, {.lease = 2s})));
    (void)victim.acquire(lock, 2);
    REQUIRE(wait_until([&] { return q.length() == 1; }));
    auto const enters = survivor.acquire(lock, 3);
    REQUIRE(wait_until([&] { return q.length() == 2; }));
    victim.kill();
    auto const begin = clock::now();
    auto const scripts = m.server().calls("evalsha");
    CHECK(survivor.release(lock, 1).text() == "released");
    REQUIRE(is_grant(enters));
    note_figures(
        "fair queue, past a dead waiter",
        victim.name() + " dies, " + survivor.name() + " waits",
        {enters.get().at - begin});
    CHECK(enters.get().at < begin + meeting_waiter_timeout + 10s);
    if (!ours_dies)
        CHECK(m.server().calls("evalsha") - scripts < 60);  // no busy loop
    CHECK(survivor.release(lock, 3).text() == "released");
    q.check_empty();
}

}  // namespace
}  // namespace holdfast::test
