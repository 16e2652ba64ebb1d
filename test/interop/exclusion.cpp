//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Holdfast and Redisson keep each other out, and the release of one wakes waiters of the other.

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
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

// The kinds of locks that contend in either library.
std::vector<std::vector<std::string>> const& crowds()
{
    static std::vector<std::vector<std::string>> const all{
        {"reentrant", "reentrant", "reentrant"},
        {"fenced", "fenced", "fenced"},
        {"reentrant", "fenced", "reentrant"},
        {"fair", "fair", "fair"},
        {"read", "read", "write", "write"},
    };
    return all;
}

// Returns the time from the release of the holder to the grant of the waiter.
std::chrono::nanoseconds wake_up(meeting& m, sides s, conflict const& c)
{
    auto const name = new_name();
    lock_id const held{c.holder, name};
    lock_id const wanted{c.waiter, name};
    REQUIRE(is_grant(s.holder.acquire(held, 1)));
    CHECK(s.waiter.acquire(wanted, 1, one_attempt).text() == "busy");
    auto const enters = s.waiter.acquire(wanted, 2);
    m.wait_until_waiting(wanted);
    CHECK_FALSE(enters.is_over());
    CHECK(s.holder.call("held", held, 1).text() == "true");
    CHECK(s.waiter.call("locked", held).text() == "true");

    auto const begin = clock::now();
    auto const leaves = s.holder.release(held, 1);
    CHECK(is_grant(enters));
    CHECK(leaves.text() == "released");
    CHECK(s.waiter.call("held", wanted, 2).text() == "true");
    CHECK(s.holder.acquire(held, 1, one_attempt).text() == "busy");
    CHECK(s.waiter.release(wanted, 2).text() == "released");
    CHECK(m.server().command({"EXISTS", name}).integer == 0);
    return enters.get().at - begin;
}

TEST_CASE("a holder of one library keeps the other one out, and its release wakes the other's waiter", "[interop]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    auto const c = GENERATE(from_range(conflicts()));
    CAPTURE(c.text(), s.direction());
    std::vector<std::chrono::nanoseconds> taken;
    for (int i = 0; i < 7; ++i)
        taken.push_back(wake_up(m, s, c));
    note_figures("wake-up, " + c.text(), s.direction(), taken);
    CHECK(*std::ranges::min_element(taken) < 200ms);
}

// Contenders of both libraries that acquire and release a lock repeatedly.
class crowd {
public:
    // One contender of each library for each kind.
    crowd(meeting& m, std::string const& name, std::vector<std::string> const& kinds)
    {
        for (auto* side : {&m.redisson(), &m.holdfast()})
            for (int thread = 1; auto const& kind : kinds) {
                lock_id const lock{kind, name};
                contenders_.push_back({side, lock, thread, side->acquire(lock, thread)});
                ++thread;
            }
    }

    // Lets each contender that was granted the lock release it and acquire it again; returns the number of grants of
    // each library.
    std::map<std::string, int> run(int grants)
    {
        std::map<std::string, int> entered;
        for (int i = 0; i < grants; ++i) {
            auto& c = entrant();
            ++entered[c.side->name()];
            leave(c);
            c.has_left = i >= grants - static_cast<int>(contenders_.size());
            if (!c.has_left)
                c.enters = c.side->acquire(c.lock, c.thread);
        }
        return entered;
    }

private:
    struct contender {
        peer_process* side;
        lock_id lock;
        int thread;
        peer_process::request enters;
        bool has_left = false;

        bool is_inside() const { return !has_left && enters.is_over(); }
        bool is_exclusive() const { return lock.kind != "read"; }
    };

    // Returns a contender that holds the lock: an exclusive one holds it alone, and was granted it after the last
    // release.
    contender& entrant()
    {
        auto const is_inside = [](contender const& c) { return c.is_inside(); };
        REQUIRE(wait_until([&] { return std::ranges::any_of(contenders_, is_inside); }));
        auto const inside = std::ranges::count_if(contenders_, is_inside);
        auto& found = *std::ranges::find_if(contenders_, is_inside);
        REQUIRE(is_grant(found.enters));
        if (found.is_exclusive()) {
            CHECK(inside == 1);
            CHECK(found.enters.get().at >= last_left_);
        }
        CHECK(found.enters.get().at >= last_exclusive_left_);
        return found;
    }

    void leave(contender& c)
    {
        last_left_ = clock::now();
        if (c.is_exclusive())
            last_exclusive_left_ = last_left_;
        REQUIRE(c.side->release(c.lock, c.thread).text() == "released");
    }

    std::vector<contender> contenders_;
    clock::time_point last_left_;
    clock::time_point last_exclusive_left_;
};

TEST_CASE("contenders of both libraries never hold a lock together, and both are granted it", "[interop]")
{
    auto& m = the_meeting();
    auto const kinds = GENERATE(from_range(crowds()));
    CAPTURE(kinds);
    auto const name = new_name();
    auto const entered = crowd(m, name, kinds).run(200);
    CHECK(entered.at("Redisson") >= 4);
    CHECK(entered.at("Holdfast") >= 4);
    CHECK(m.server().command({"EXISTS", name}).integer == 0);
}

TEST_CASE("a lock that was acquired twice is free for the other library after two releases", "[interop]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    auto const kind = GENERATE(from_range(kinds()));
    CAPTURE(kind, s.direction());
    lock_id const lock{kind, new_name()};
    lock_id const wanted{kind == "read" ? "write" : kind, lock.name};
    REQUIRE(is_grant(s.holder.acquire(lock, 1)));
    REQUIRE(is_grant(s.holder.acquire(lock, 1)));
    CHECK(s.holder.release(lock, 1).text() == "released");
    CHECK(s.holder.call("held", lock, 1).text() == "true");
    CHECK(s.waiter.acquire(wanted, 1, one_attempt).text() == "busy");
    CHECK(s.holder.release(lock, 1).text() == "released");
    CHECK(is_grant(s.waiter.acquire(wanted, 1, one_attempt)));
    CHECK(s.waiter.release(wanted, 1).text() == "released");
}

TEST_CASE("a forced release by the other library ends the hold and wakes a waiter", "[interop]")
{
    auto& m = the_meeting();
    auto const s = any_sides(m);
    auto const kind = GENERATE(from_range(kinds()));
    CAPTURE(kind, s.direction());
    lock_id const lock{kind, new_name()};
    lock_id const wanted{kind == "read" ? "write" : kind, lock.name};
    CHECK(s.waiter.call("force", lock).text() == "false");
    REQUIRE(is_grant(s.holder.acquire(lock, 1)));
    auto const enters = s.waiter.acquire(wanted, 1);
    m.wait_until_waiting(wanted);
    CHECK(s.waiter.call("force", lock).text() == "true");
    CHECK(is_grant(enters));
    CHECK(s.holder.release(lock, 1).text().starts_with("failed"));
    CHECK(s.waiter.call("held", wanted, 1).text() == "true");
    CHECK(s.waiter.release(wanted, 1).text() == "released");
}

TEST_CASE("a mutex of the same name is busy for Holdfast and an error for Redisson, and is not changed", "[interop]")
{
    auto& m = the_meeting();
    lock_id const lock{"reentrant", new_name()};
    m.server().command({"SET", lock.name, "the token of a mutex", "PX", "60000"});
    CHECK(m.holdfast().acquire(lock, 1, one_attempt).text() == "busy");
    CHECK(m.redisson().acquire(lock, 1, one_attempt).text().find("WRONGTYPE") != std::string::npos);
    CHECK(m.server().command({"GET", lock.name}).text == "the token of a mutex");
}

}  // namespace
}  // namespace holdfast::test
