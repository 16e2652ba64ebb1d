//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The queues of the fair kinds when a replica is promoted that has not received the last releases and departures.

#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/live.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using std::chrono::steady_clock;

// A place that its waiter left counts for this time, unless it is removed.
constexpr std::chrono::milliseconds waiter_timeout = 60s;
// More than a failover takes on a busy machine.
constexpr std::chrono::milliseconds soon = 30s;

// Two client programs contend for one fair lock. All names of the test are in one slot.
class fair_line {
public:
    using maker = any_lock (*)(client&, std::string const&);

    fair_line(maker make, std::string name, std::vector<std::string> length_command)
        : make_(make), name_(std::move(name)), length_command_(std::move(length_command))
    {}

    std::string const& name() const { return name_; }
    std::vector<int> const& served() const { return served_; }
    std::int64_t length_at(redis_server& s) const { return s.command(length_command_).integer; }
    bool is_overlapped() const { return is_overlapped_; }
    std::size_t left() const { return left_; }

    // Waits, holds the lock until it may go on, and releases it.
    void join(live& l, client& c)
    {
        stops_.emplace_back();
        l.spawn(wait(make_(c, name_), static_cast<int>(stops_.size()) - 1));
    }
    void leave(std::size_t waiter) { stops_.at(waiter).emit(asio::cancellation_type::terminal); }
    void go_on() { may_go_on_ = true; }
    any_lock lock_of(client& c) const { return make_(c, name_); }

private:
    awaitable<void> wait(any_lock lock, int number)
    {
        error_code ec;
        auto const stop = stops_[static_cast<std::size_t>(number)].slot();
        auto mine = co_await lock.acquire(asio::bind_cancellation_slot(stop, redirect(ec)));
        if (ec) {
            ++left_;
            co_return;
        }
        served_.push_back(number);
        is_overlapped_ = is_overlapped_ || ++inside_ > 1;
        while (!may_go_on_)
            co_await sleep_for(2ms);
        is_overlapped_ = is_overlapped_ || !mine.valid();
        --inside_;
        co_await mine.release();
    }

    maker make_;
    std::string name_;
    std::vector<std::string> length_command_;
    std::deque<asio::cancellation_signal> stops_;
    std::vector<int> served_;
    std::size_t left_ = 0;
    int inside_ = 0;
    bool is_overlapped_ = false;
    bool may_go_on_ = false;
};

any_lock fair_lock_of(client& c, std::string const& name)
{
    return fair_lock(c, name, {.waiter_timeout = waiter_timeout});
}

any_lock fair_permit_of(client& c, std::string const& name)
{
    return semaphore(c, name, {.permits = 1, .fair = true, .waiter_timeout = waiter_timeout});
}

std::deque<fair_line> make_lines(std::string const& suffix)
{
    using words = std::vector<std::string>;
    auto const f = "{x}f" + suffix, s = "{x}s" + suffix;
    std::deque<fair_line> two;
    two.emplace_back(fair_lock_of, f, words{"LLEN", "redisson_lock_queue:" + f});
    two.emplace_back(fair_permit_of, s, words{"ZCARD", "holdfast_permit_queue:" + s});
    return two;
}

// The replica is frozen, so it does not connect again.
void cut_off(redis_server& replica, redis_server& primary)
{
    replica.freeze();
    primary.command({"CLIENT", "KILL", "TYPE", "replica"});
}

awaitable<bool> has_all_writes(redis_server& replica, redis_server& primary)
{
    primary.command({"SET", "{x}mark", "1"});
    co_return co_await comes_true([&] { return replica.command({"GET", "{x}mark"}).text == "1"; });
}

TEST_CASE("waiters of the fair kinds are served in order and soon after a forced failover", "[live][cluster]")
{
    std::string const how = GENERATE("FORCE", "TAKEOVER");
    CAPTURE(how);
    server_cluster cluster(3, server_cluster::replicas::one_each);
    auto const number = cluster.primary_of("{x}");
    auto& primary = cluster[number];
    auto& replica = cluster.replica_of(number);
    replica.command({"READONLY"});
    auto contended = make_lines("");
    auto ended = make_lines(":ended");
    live l;
    auto options = live::quick(cluster.url());
    options.lease = 60s;
    auto& a = l.client(options);
    auto& b = l.client(options);
    auto& later = l.client(options);
    l.run([&]() -> awaitable<void> {
        std::vector<lease> first, last;
        for (auto& line : contended) {
            auto held = co_await line.lock_of(a).acquire();
            first.push_back(std::move(held));
            for (int i = 0; i != 7; ++i) {
                line.join(l, i % 2 == 0 ? b : a);
                REQUIRE(co_await comes_true([&] { return line.length_at(primary) == i + 1; }));
            }
        }
        for (auto& line : ended) {
            auto held = co_await line.lock_of(a).acquire();
            last.push_back(std::move(held));
            line.go_on();
            line.join(l, b);
            REQUIRE(co_await comes_true([&] { return line.length_at(primary) == 1; }));
        }
        // Waiter 0 of each line holds it at the failover.
        for (auto& held : first)
            co_await held.release();
        for (auto& line : contended)
            REQUIRE(co_await comes_true([&] { return line.served().size() == 1 && line.length_at(primary) == 6; }));
        REQUIRE(co_await has_all_writes(replica, primary));
        for (auto& line : contended)
            REQUIRE(line.length_at(replica) == 6);
        cut_off(replica, primary);

        // The replica does not learn that 1 and 2 leave, nor that the locks of the other lines are free.
        for (auto& line : contended) {
            line.leave(1);
            line.leave(2);
        }
        for (auto& held : last)
            co_await held.release();
        for (auto& line : contended)
            REQUIRE(co_await comes_true([&] { return line.left() == 2 && line.length_at(primary) == 4; }));
        for (auto& line : ended) {
            auto const is_free = [&] { return primary.command({"EXISTS", line.name()}).integer == 0; };
            REQUIRE(co_await comes_true([&] { return line.served().size() == 1 && line.length_at(primary) == 0; }));
            if (&line == &ended.front())
                REQUIRE(co_await comes_true(is_free));
        }
        cluster.kill(primary);
        replica.thaw();
        auto const begin = steady_clock::now();
        REQUIRE(co_await comes_true([&] {
            replica.command({"CLUSTER", "FAILOVER", how});
            return cluster.is_primary(replica);
        }));
        cluster.await_promotion(number);
        for (auto& line : contended)
            line.go_on();
        for (auto& line : ended) {
            CAPTURE(line.name());
            auto held = co_await line.lock_of(later).try_acquire({.wait = soon});
            CHECK(held.valid());
            co_await held.release();
        }
        for (auto& line : contended) {
            CAPTURE(line.name());
            CHECK(co_await comes_true([&] { return line.served().size() == 5; }));
            CHECK(line.served() == std::vector<int>{0, 3, 4, 5, 6});
            CHECK_FALSE(line.is_overlapped());
        }
        CHECK(steady_clock::now() - begin < soon);
    });
    CHECK(a.stats().lost + b.stats().lost == 0);
    CHECK(l.until([&] { return live::census(a) == engine::client_engine::census{}; }));
}

}  // namespace
}  // namespace holdfast::test
