//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A client with thousands of leases or contenders does a bounded part of its work in one turn of the event loop.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "simulation/arena.hpp"
#include "support/script_word.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr std::size_t thousands = 3'500, most_in_a_turn = 1'000;

// Counts what happens to leases and contenders.
class event_count final : public observer {
public:
    void on_acquired(lock_event const&) noexcept override { ++count; }
    void on_busy(lock_event const&) noexcept override { ++count; }
    void on_released(lock_event const&) noexcept override { ++count; }
    void on_lost(lock_event const&) noexcept override { ++count; }

    std::size_t count = 0;
};

class crowded : public arena {
public:
    crowded() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}) {}

    // Holds that many mutexes.
    void hold(std::size_t n)
    {
        for (std::size_t i = 0; i < n; ++i)
            spawn([this, i]() -> awaitable<void> {
                auto l = co_await mutex(c, "m" + std::to_string(i)).acquire();
                held.push_back(std::move(l));
            });
        REQUIRE(world().run_until([&] { return held.size() == n; }));
    }

    // The most that was counted in one turn, until `n` were.
    std::size_t most_until(std::size_t n)
    {
        std::size_t most = 0, last = seen->count;
        auto const end = last + n;
        CHECK(world().run_until([&] {
            most = std::max(most, seen->count - last);
            last = seen->count;
            return last >= end;
        }));
        return most;
    }

    std::shared_ptr<event_count> const seen = std::make_shared<event_count>();
    holdfast::client& c = client("A", {.lease = 30s, .command_timeout = 500ms, .observer = seen});
    std::vector<lease> held;
};

TEST_CASE("thousands of leases that are released at once end in several turns", "[mutex][bounds]")
{
    crowded a;
    a.hold(thousands);
    a.held.clear();
    CHECK(a.most_until(thousands) <= most_in_a_turn);
    a.world().run_for(1s);
    CHECK(a.census(a.c) == engine::client_engine::census{});
    CHECK(a.server().execute({"DBSIZE"}).integer == 0);
}

TEST_CASE("what is sent behind thousands of releases comes after them", "[mutex][bounds]")
{
    crowded a;
    a.hold(thousands);
    a.held.clear();
    bool is_granted = false;
    a.spawn([&]() -> awaitable<void> {
        auto const again = co_await mutex(a.c, "m" + std::to_string(thousands - 1)).try_acquire();
        is_granted = again.valid();
    });
    a.world().run_for(1s);
    CHECK(is_granted);
}

TEST_CASE("thousands of leases that end at once are lost in several turns", "[mutex][bounds]")
{
    crowded a;
    a.hold(thousands);
    a.server().pause();
    CHECK(a.most_until(thousands) <= most_in_a_turn);
    CHECK_FALSE(std::ranges::any_of(a.held, &lease::valid));
}

TEST_CASE("thousands of leases are renewed in several turns when a connection opens", "[mutex][bounds]")
{
    crowded a;
    a.hold(thousands);
    std::map<core::instant, std::size_t> sent;  // each turn is later than the one before
    a.server().check([&](executed const& e) {
        auto const words = e.what.args;
        if (words.size() > 2 && is_script(words[1], engine::scripts::mutex_renew))
            sent[e.when] += std::stoul(std::string(words[2]));
    });
    a.server().restart(false);
    a.world().run_for(9s);  // before the next renewal
    std::size_t all = 0, most = 0;
    for (auto const& [when, count] : sent) {
        all += count;
        most = std::max(most, count);
    }
    CHECK(all >= thousands);  // the server has lost the script
    CHECK(most <= most_in_a_turn);
}

TEST_CASE("thousands of contenders whose wait ends at once complete in several turns", "[mutex][bounds]")
{
    crowded a;
    auto& other = a.client("B", {.lease = 30s});
    std::size_t refused = 0;
    lease held;
    a.run([&]() -> awaitable<void> {
        held = co_await mutex(other, "m").acquire();
        co_await a.c.ready();
    });
    for (std::size_t i = 0; i < thousands; ++i)
        a.spawn([&]() -> awaitable<void> {
            auto const l = co_await mutex(a.c, "m").try_acquire({.wait = 2s});
            refused += !l.valid();
        });
    CHECK(a.most_until(thousands) <= most_in_a_turn);
    a.world().run_for(10ms);
    CHECK(refused == thousands);
}

TEST_CASE("thousands of readers that wait for a write join its successor in several turns", "[read_write_lock][bounds]")
{
    crowded a;
    auto& other = a.client("B", {.lease = 30s});
    a.run([&]() -> awaitable<void> {
        auto write = co_await read_write_lock(other, "rw").write().acquire();
        for (std::size_t i = 0; i < thousands; ++i)
            a.spawn([&]() -> awaitable<void> {
                auto read = co_await read_write_lock(a.c, "rw").read().acquire();
                a.held.push_back(std::move(read));
            });
        co_await a.sleep(100ms);
        co_await write.release();
    });
    CHECK(a.most_until(thousands) <= most_in_a_turn);
    a.world().run_for(10ms);
    CHECK(a.held.size() == thousands);
}

}  // namespace
}  // namespace holdfast::test
