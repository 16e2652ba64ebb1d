//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Many threads use one client, its handles and its leases at once.

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/bind_executor.hpp>
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

constexpr std::size_t locks = 6;

config options_for(bool real, redis_server& server)
{
    auto c = live::quick(real ? server.url() : "memory://");
    c.lease = 60s;
    c.log = [](log_level, std::string_view) {};
    return c;
}

// Leases that one thread puts in and another one takes out and destroys.
class lease_bin {
public:
    void put(lease l)
    {
        std::scoped_lock const guard(mutex_);
        leases_.push_back(std::move(l));
        there_is_one_.notify_one();
    }

    void close()
    {
        std::scoped_lock const guard(mutex_);
        closed_ = true;
        there_is_one_.notify_all();
    }

    // Returns false when it is closed and empty.
    bool drop_one()
    {
        lease l;
        std::unique_lock guard(mutex_);
        there_is_one_.wait(guard, [&] { return closed_ || !leases_.empty(); });
        if (leases_.empty())
            return false;
        l = std::move(leases_.front());
        leases_.pop_front();
        guard.unlock();
        (void)l.valid();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable there_is_one_;
    std::deque<lease> leases_;
    bool closed_ = false;
};

// The data that the locks guard: plain numbers, so that ThreadSanitizer reports two holders at once.
struct guarded {
    long entries = 0;
    bool inside = false;
};

class crowd {
public:
    explicit crowd(client& c) : client_(c)
    {
        for (std::size_t i = 0; i < locks; ++i)
            locks_.emplace_back(mutex(c, "m" + std::to_string(i), {.fencing = i == 2}));
    }

    any_lock const& lock(std::size_t i) const { return locks_[i % locks]; }

    // A task on a strand of the pool.
    awaitable<void> work(std::size_t number)
    {
        for (std::size_t round = 0; round < 6; ++round)
            co_await once(number + round, round);
        ++ended;
    }

    void enter(std::size_t i)
    {
        auto& g = numbers_[i % locks];
        if (g.inside)
            ++collisions;
        g.inside = true;
        ++g.entries;
    }
    void leave(std::size_t i) { numbers_[i % locks].inside = false; }

    long entries() const
    {
        long sum = 0;
        for (auto const& g : numbers_)
            sum += g.entries;
        return sum;
    }

    std::atomic<long> ended = 0;
    std::atomic<long> granted = 0;
    std::atomic<long> collisions = 0;
    std::atomic<long> surprises = 0;

private:
    awaitable<void> once(std::size_t i, std::size_t round)
    {
        any_lock const copy = lock(i);
        error_code ec;
        lease held;
        if (round % 3 == 1)
            held = co_await copy.acquire(
                asio::cancel_after(std::chrono::milliseconds(round), asio::redirect_error(asio::use_awaitable, ec)));
        else if (round % 3 == 2)
            held = co_await copy.try_acquire({.wait = 5ms}, redirect(ec));
        else
            held = co_await copy.acquire(redirect(ec));
        // A wait of 5 ms may be shorter than a round trip here.
        bool const is_late = round % 3 == 2 && ec == errc::unavailable;
        if (ec && ec != asio::error::operation_aborted && ec != errc::client_stopped && !is_late)
            ++surprises;
        if (held.empty())
            co_return;
        ++granted;
        if (!held.valid())
            co_return;
        enter(i);
        co_await asio::post(asio::use_awaitable);
        leave(i);
        if (round % 2 == 0)
            co_await held.release(redirect(ec));
    }

    client& client_;
    std::vector<any_lock> locks_;
    std::array<guarded, locks> numbers_{};
};

TEST_CASE("hundreds of tasks and callbacks may use one client on several threads at once", "[threads]")
{
    auto const real = GENERATE(false, true);
    redis_server server;
    asio::thread_pool pool(4);
    client c(pool, options_for(real, server));
    c.run(asio::detached);
    crowd all(c);

    constexpr long tasks = 200;
    for (long i = 0; i < tasks; ++i)
        asio::co_spawn(asio::make_strand(pool), all.work(static_cast<std::size_t>(i)), [&](std::exception_ptr e) {
            if (e)
                ++all.surprises;
        });

    // Threads that do not run the context: some acquire and give their leases to others, which destroy them.
    lease_bin bin;
    std::atomic<long> started = 0, answered = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 60; ++i) {
                any_lock const copy = all.lock(t + i);
                ++started;
                copy.try_acquire({.wait = 20ms}, [&](error_code, lease l) {
                    if (!l.empty())
                        bin.put(std::move(l));
                    ++answered;
                });
            }
        });
    std::vector<std::thread> droppers;
    for (int t = 0; t < 2; ++t)
        droppers.emplace_back([&] {
            while (bin.drop_one())
                ;
        });

    // Other threads observe.
    auto const observed = mutex(c, "observed", {.fencing = true}).acquire(asio::use_future).get();
    std::atomic<bool> enough = false;
    std::atomic<long> invalid = 0;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
            while (!enough) {
                (void)c.stats();
                (void)c.last_failure();
                (void)c.id();
                if (!observed.valid() || observed.state() == lease_state::lost || !observed.fencing_token()
                    || observed.valid_until() < std::chrono::steady_clock::now() || observed.hold_count() != 1)
                    ++invalid;
                owner const me = c.make_owner("me");
                reentrant_lock const handle(c, "mine", me);
                if (handle.is_held())
                    ++invalid;
                std::this_thread::sleep_for(1ms);
            }
        });

    CHECK(wait_until([&] { return all.ended + all.surprises >= tasks; }, 4 * time_limit));
    CHECK(wait_until([&] { return answered >= 180; }, 4 * time_limit));
    enough = true;
    for (auto& t : threads)
        t.join();
    bin.close();
    for (auto& t : droppers)
        t.join();
    CHECK(started == answered);
    CHECK(all.surprises == 0);
    CHECK(all.collisions == 0);
    CHECK(invalid == 0);

    std::thread([&] { c.shutdown({.grace = 100ms}, asio::use_future).get(); }).join();
    CHECK_FALSE(observed.valid());
    pool.join();
    CHECK(all.granted >= tasks * 2);
    CHECK(c.stats().waiting == 0);
}

TEST_CASE("a client may be stopped by another thread, and every acquire under way completes", "[threads]")
{
    auto const real = GENERATE(false, true);
    auto const how = GENERATE(0, 1, 2);
    redis_server server;
    asio::thread_pool pool(4);
    auto c = std::make_unique<client>(pool, options_for(real, server));
    std::atomic<bool> run_is_over = false;
    c->run([&](error_code) { run_is_over = true; });
    crowd all(*c);
    std::atomic<long> begun = 0, ended = 0;
    std::atomic<bool> enough = false;

    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            // Bounded: acquires that begin faster than they complete would accumulate.
            for (std::size_t i = 0; !enough && i < 2000; ++i) {
                any_lock const copy = all.lock(t + i);
                ++begun;
                auto own = std::make_shared<lease>();
                copy.acquire([&, own](error_code ec, lease l) {
                    ++ended;
                    if (ec && ec != errc::client_stopped)
                        ++all.surprises;
                    *own = std::move(l);
                });
                if (i % 16 == 0)
                    std::this_thread::sleep_for(1ms);
            }
        });
    CHECK(wait_until([&] { return ended > 20; }));
    if (how == 0)
        c->stop();
    else if (how == 1)
        c->shutdown({.grace = 10ms}, asio::use_future).get();
    else
        std::thread([&] {
            c->stop();
            c->stop();
        }).join();
    enough = true;
    for (auto& t : threads)
        t.join();
    CHECK(wait_until([&] { return begun == ended; }));
    CHECK(all.surprises == 0);
    CHECK(wait_until([&] { return run_is_over.load(); }));
    c.reset();
    pool.join();
}

// Some of the leases share a grant, whose count only the client's strand may change.
TEST_CASE("leases may be destroyed by several threads, while or after their client is destroyed", "[threads]")
{
    auto const is_concurrent = GENERATE(false, true);
    redis_server server;
    for (int round = 0; round < 20; ++round) {
        asio::thread_pool pool(2);
        auto c = std::make_unique<client>(pool, options_for(false, server));
        c->run(asio::detached);
        lease_bin bin;
        read_write_lock const doc(*c, "d");
        reentrant_lock const again(*c, "r", c->process_owner());
        for (int i = 0; i < 8; ++i) {
            bin.put(doc.read().acquire(asio::use_future).get());
            bin.put(again.acquire(asio::use_future).get());
        }
        bin.close();
        if (!is_concurrent) {
            c.reset();
            pool.join();
        }
        std::atomic<int> destroyed = 0;
        std::vector<std::thread> droppers;
        for (int t = 0; t < 3; ++t)
            droppers.emplace_back([&] {
                while (bin.drop_one())
                    ++destroyed;
            });
        c.reset();
        for (auto& t : droppers)
            t.join();
        pool.join();
        CHECK(destroyed == 16);
    }
}

// A coroutine does this if it continues on another thread before the launch of its operation has returned.
TEST_CASE("the handler of a release may destroy the operation", "[threads]")
{
    asio::thread_pool pool(2);
    client c(pool.get_executor(), live::quick("memory://"));
    c.run(asio::detached);
    for (int round = 0; round < 2'000; ++round) {
        auto l = mutex(c, "m").acquire(asio::use_future).get();
        using operation = decltype(l.release(asio::deferred));
        auto const op = std::make_shared<std::optional<operation>>(l.release(asio::deferred));
        std::promise<error_code> ended;
        auto end = [op, &ended](error_code ec) {
            op->reset();
            ended.set_value(ec);
        };
        std::move (**op)(std::move(end));  // no bind_executor, which would move the operation first
        CHECK_FALSE(ended.get_future().get());
    }
    c.stop();
    pool.join();
}

TEST_CASE("a lease with operations under way may be moved to another thread and released there", "[threads]")
{
    auto const real = GENERATE(false, true);
    redis_server server;
    asio::thread_pool pool(4);
    client c(pool, options_for(real, server));
    c.run(asio::detached);
    std::atomic<long> notified = 0;
    for (int i = 0; i < 100; ++i) {
        auto l = mutex(c, "m" + std::to_string(i % 3)).acquire(asio::use_future).get();
        l.lost([&](error_code, loss) { ++notified; });
        std::thread([&notified, mine = std::move(l), i]() mutable {
            mine.extend(90s, [](error_code) {});
            lease other = std::move(mine);
            if (i % 3 == 0)
                other.release(asio::detached);
            else if (i % 3 == 1)
                (void)other.release(asio::use_future).get();
        }).join();
    }
    CHECK(wait_until([&] { return notified == 100; }));
    CHECK(wait_until([&] { return c.stats().held == 0; }));
    std::thread([&] { c.stop(); }).join();
    pool.join();
}

}  // namespace
}  // namespace holdfast::test
