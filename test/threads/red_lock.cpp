//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A red_lock, a multi_lock, and a red_lock as a member of a multi_lock, whose clients run on several threads.

#include <atomic>
#include <deque>
#include <vector>

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/child.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr std::size_t count = 3;

// Two processes in one: clients of the same servers, twice.
struct threaded_nodes {
    explicit threaded_nodes(asio::thread_pool& pool)
    {
        for (std::size_t i = 0; i < 2 * count; ++i) {
            auto c = live::quick(servers[i % count].url());
            c.lease = 60s;
            c.log = [](log_level, std::string_view) {};
            clients.emplace_back(pool, std::move(c)).run(asio::detached);
        }
    }

    std::vector<client const*> of(std::size_t process) const
    {
        std::vector<client const*> all;
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(&clients[process * count + i]);
        return all;
    }

    std::deque<redis_server> servers = std::deque<redis_server>(count);
    std::deque<client> clients;
};

enum class kind { red, multi, red_in_multi };

any_lock make_lock(kind k, std::vector<client const*> const& of)
{
    red_lock const red(of, "r", {.node_timeout = 1s, .trust_new_nodes = true});
    switch (k) {
        case kind::red: return red;
        case kind::multi: return multi_lock(mutex(*of[0], "m"), mutex(*of[1], "m"), mutex(*of[2], "m"));
        default: return multi_lock(mutex(*of[0], "m"), red);
    }
}

class contenders_of_two {
public:
    contenders_of_two(any_lock first, any_lock second) : locks_{std::move(first), std::move(second)} {}

    awaitable<void> work(std::size_t number)
    {
        for (std::size_t round = 0; round < 5; ++round)
            co_await once(locks_[number % 2], number + round);
        ++ended;
    }

    std::atomic<long> ended = 0;
    std::atomic<long> granted = 0;
    std::atomic<long> surprises = 0;
    std::atomic<long> collisions = 0;

private:
    awaitable<void> once(any_lock lock, std::size_t how)
    {
        error_code ec;
        lease held;
        if (how % 3 == 1)
            held = co_await lock.acquire(
                asio::cancel_after(std::chrono::milliseconds(how % 7), asio::redirect_error(asio::use_awaitable, ec)));
        else if (how % 3 == 2)
            held = co_await lock.try_acquire({.wait = 20ms}, redirect(ec));
        else
            held = co_await lock.acquire(redirect(ec));
        // A wait of 20 ms may be shorter than a round here.
        bool const is_late = how % 3 == 2 && (ec == errc::no_quorum || ec == errc::unavailable);
        if (ec && ec != asio::error::operation_aborted && !is_late)
            ++surprises;
        if (held.empty())
            co_return;
        ++granted;
        if (inside_.exchange(true))
            ++collisions;
        co_await asio::post(asio::use_awaitable);
        inside_ = false;
        if (how % 2 == 0)
            co_await held.release(redirect(ec));
    }

    any_lock locks_[2];
    std::atomic<bool> inside_ = false;
};

TEST_CASE(
    "tasks on four threads that contend for a lock over three servers never hold it together",
    "[threads][red_lock][multi_lock]")
{
    auto const k = GENERATE(kind::red, kind::multi, kind::red_in_multi);
    CAPTURE(int(k));
    asio::thread_pool pool(4);
    threaded_nodes nodes(pool);
    contenders_of_two everybody(make_lock(k, nodes.of(0)), make_lock(k, nodes.of(1)));
    constexpr long tasks = 30;
    for (long i = 0; i < tasks; ++i)
        asio::co_spawn(asio::make_strand(pool), everybody.work(static_cast<std::size_t>(i)), [&](std::exception_ptr e) {
            if (e)
                ++everybody.surprises;
        });
    CHECK(wait_until([&] { return everybody.ended + everybody.surprises >= tasks; }, 4 * time_limit));
    CHECK(everybody.surprises == 0);
    CHECK(everybody.collisions == 0);
    CHECK(everybody.granted >= tasks);
    for (auto& s : nodes.servers)
        CHECK(wait_until([&] { return s.command({"DBSIZE"}).integer == 0; }));
    for (auto& c : nodes.clients)
        c.stop();
    pool.join();
}

// Three servers: the clients of two run on one thread, where the lock is used, that of the third on another.
class separate_threads {
public:
    separate_threads()
    {
        for (std::size_t i = 0; i < count; ++i) {
            auto c = live::quick(servers_[i].url());
            c.lease = 10min;
            c.command_timeout = 2 * time_limit;
            c.log = [](log_level, std::string_view) {};
            clients_.emplace_back(i + 1 < count ? here_ : there_, std::move(c)).run(asio::detached);
        }
    }
    ~separate_threads()
    {
        for (auto& c : clients_)
            c.stop();
        here_.join();
        there_.join();
    }

    template <class Scenario>
    void run(Scenario scenario)
    {
        asio::co_spawn(here_, std::move(scenario), asio::use_future).get();
    }

    red_lock lock() const
    {
        return red_lock(
            {&clients_[0], &clients_[1], &clients_[2]}, "r", {.node_timeout = time_limit, .trust_new_nodes = true});
    }
    redis_server& server(std::size_t i) { return servers_[i]; }
    client& late() { return clients_.back(); }

    // Waits until the lock's key exists on `n` servers; returns false if that takes too long.
    awaitable<bool> comes_to_stand_on(std::int64_t n)
    {
        return comes_true([this, n] {
            std::int64_t sum = 0;
            for (auto& s : servers_)
                sum += s.command({"EXISTS", "r"}).integer;
            return sum == n;
        });
    }

private:
    std::deque<redis_server> servers_ = std::deque<redis_server>(count);
    asio::thread_pool here_{1};
    asio::thread_pool there_{1};
    std::deque<client> clients_;
};

TEST_CASE("a red_lock's lease stays valid while a late member joins it from another thread", "[threads][red_lock]")
{
    separate_threads a;
    a.run([&]() -> awaitable<void> {
        auto l = co_await a.lock().acquire();  // all servers are connected and have loaded the scripts
        bool on_all = co_await a.comes_to_stand_on(3);
        REQUIRE(on_all);
        co_await l.release();
        bool on_none = co_await a.comes_to_stand_on(0);
        REQUIRE(on_none);

        a.server(2).freeze();
        l = co_await a.lock().acquire();
        a.server(2).thaw();
        std::atomic<bool> joined = false;  // this reply follows that to the acquire, on the same connection
        mutex(a.late(), "r").is_locked([&](error_code, bool) { joined = true; });
        bool always_valid = true;
        while (!joined)
            always_valid = always_valid && l.valid() && l.state() == lease_state::held;
        CHECK(always_valid);

        a.server(0).command({"DEL", "r"});
        error_code ec;
        co_await l.extend(5min, redirect(ec));
        CHECK_FALSE(ec);  // a majority, with the late one
        co_await l.release(redirect(ec));
        on_none = co_await a.comes_to_stand_on(0);
        CHECK(on_none);
    });
}

}  // namespace
}  // namespace holdfast::test
