//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Which side of a read-write lock is preferred, and how long each side waits at most.

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr auto hold_time = 50ms;
constexpr auto few_round_trips = 20ms;
constexpr auto turn = 20ms;

// Processes whose tasks hold one side of a lock again and again, without a pause.
class crowd {
public:
    crowd(arena& a, preference prefer, bool writes, int processes, int tasks) : arena_(a)
    {
        for (int i = 0; i < processes; ++i) {
            auto const name = std::string(writes ? "W" : "R") + std::to_string(i);
            auto& c = a.client(name);
            for (int k = 0; k < tasks; ++k)
                a.spawn(go_on(read_write_lock(c, "d", {.prefer = prefer}), writes, name), name);
        }
    }

    awaitable<void> end()
    {
        over_ = true;
        while (running_ > 0)
            co_await arena_.sleep(10ms);
    }

    int holds = 0;
    core::duration longest_wait{};

private:
    awaitable<void> go_on(read_write_lock lock, bool writes, std::string where)
    {
        ++running_;
        while (!over_) {
            auto const start = arena_.now();
            lease held;
            if (writes)
                held = co_await lock.write().acquire();
            else
                held = co_await lock.read().acquire();
            longest_wait = std::max(longest_wait, arena_.now() - start);
            ++holds;
            co_await arena_.sleep(hold_time, where);
            co_await held.release();
        }
        --running_;
    }

    arena& arena_;
    bool over_ = false;
    int running_ = 0;
};

template <class Lock>
awaitable<core::duration> wait_for(arena& a, Lock lock)
{
    auto const start = a.now();
    auto const held = co_await lock.acquire();
    CHECK(held.valid());
    co_return a.now() - start;
}

TEST_CASE("a writer waits only for the current readers, however many more readers arrive", "[preference]")
{
    for (auto const prefer : {preference::arrival, preference::writers}) {
        arena a;
        auto& c = a.client();
        crowd readers(a, prefer, false, 3, 5);
        a.run([&]() -> awaitable<void> {
            co_await a.sleep(500ms);
            read_write_lock doc(c, "d", {.prefer = prefer});
            for (int i = 0; i < 20; ++i) {
                auto const waited = co_await wait_for(a, doc.write());
                CHECK(waited <= hold_time + few_round_trips);
                co_await a.sleep(100ms);
            }
            co_await readers.end();
        });
        CHECK(readers.holds > 100);
    }
}

TEST_CASE("a writer waits only for the current readers, including those of its own process", "[preference]")
{
    arena a;
    auto& c = a.client("R0");  // a second client in the crowd's only process
    crowd readers(a, preference::arrival, false, 1, 5);
    bool over = false;
    auto const reads = [&](int) -> awaitable<void> {
        read_write_lock doc(c, "d");
        while (!over) {
            auto const held = co_await doc.read().acquire();
            co_await a.sleep(7ms, "R0");
        }
    };
    for (int i = 0; i < 5; ++i)
        a.spawn(reads(i), "R0");
    a.run(
        [&]() -> awaitable<void> {
            co_await a.sleep(500ms, "R0");
            read_write_lock doc(c, "d");
            for (int i = 0; i < 10; ++i) {
                auto const waited = co_await wait_for(a, doc.write());
                CHECK(waited <= hold_time + few_round_trips);
                co_await a.sleep(100ms, "R0");
            }
            over = true;
            co_await readers.end();
        },
        "R0");
}

TEST_CASE("readers do not join a shared grant while a writer of their process waits", "[preference]")
{
    arena a;
    auto config = arena::quick();
    config.local_handoff.max_time = 60s;  // joining never needs the server
    auto& c = a.client("A", config);
    read_write_lock doc(c, "d");
    bool over = false;
    int running = 0;
    auto const reads = [&](core::duration later) -> awaitable<void> {
        ++running;
        co_await a.sleep(later);
        while (!over) {
            auto const held = co_await doc.read().acquire();
            co_await a.sleep(hold_time);
        }
        --running;
    };
    for (auto const later : {0ms, 15ms, 30ms})
        a.spawn(reads(later));
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(500ms);
        for (int i = 0; i < 5; ++i) {
            auto const waited = co_await wait_for(a, doc.write());
            CHECK(waited <= hold_time + few_round_trips);
            co_await a.sleep(100ms);
        }
        over = true;
        while (running > 0)
            co_await a.sleep(10ms);
    });
}

TEST_CASE("with preference::readers a writer waits as long as any reader holds the lock", "[preference]")
{
    arena a;
    auto& c = a.client();
    crowd readers(a, preference::readers, false, 3, 5);
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(500ms);
        read_write_lock doc(c, "d", {.prefer = preference::readers});
        auto const writer = co_await doc.write().try_acquire({.wait = 10s});
        CHECK(writer.empty());
        CHECK_FALSE(a.exists("holdfast_writer_waiting:{d}"));
        CHECK(readers.longest_wait <= few_round_trips);
        co_await readers.end();
        auto const waited = co_await wait_for(a, doc.write());
        CHECK(waited <= hold_time + few_round_trips);
    });
}

TEST_CASE("with preference::arrival a reader waits for at most one writer, however many writers wait", "[preference]")
{
    arena a;
    auto& c = a.client();
    crowd writers(a, preference::arrival, true, 3, 2);
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(500ms);
        read_write_lock doc(c, "d");
        for (int i = 0; i < 20; ++i) {
            auto const waited = co_await wait_for(a, doc.read());
            CHECK(waited <= hold_time + few_round_trips);
            co_await a.sleep(30ms);
        }
        co_await writers.end();
    });
    CHECK(writers.holds > 20);
}

TEST_CASE("with many readers and writers, preference::arrival bounds the waits of both sides", "[preference]")
{
    arena a;
    a.client();
    crowd readers(a, preference::arrival, false, 3, 4), writers(a, preference::arrival, true, 1, 1);
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(10s);
        co_await readers.end();
        co_await writers.end();
    });
    // A reader waits for the readers before the writer, and for the writer; the writer waits for a turn of readers.
    CHECK(readers.longest_wait <= 2 * hold_time + turn + few_round_trips);
    CHECK(writers.longest_wait <= hold_time + turn + few_round_trips);
    CHECK(readers.holds > 400);
    CHECK(writers.holds > 60);
}

TEST_CASE("with preference::writers a reader waits as long as any writer waits", "[preference]")
{
    arena a;
    auto& c = a.client();
    crowd writers(a, preference::writers, true, 3, 2);
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(500ms);
        read_write_lock doc(c, "d", {.prefer = preference::writers});
        auto const reader = co_await doc.read().try_acquire({.wait = 3s});
        CHECK(reader.empty());
        co_await writers.end();
        auto const waited = co_await wait_for(a, doc.read());
        CHECK(waited <= few_round_trips);
    });
}

TEST_CASE("all waiting readers acquire the lock together when the writer releases it", "[preference]")
{
    arena a;
    auto& c = a.client();
    std::vector<lease> in(20);
    a.run([&]() -> awaitable<void> {
        auto writer = co_await read_write_lock(c, "d").write().acquire();
        for (std::size_t i = 0; i < in.size(); ++i) {
            auto const where = "B" + std::to_string(i % 4);
            auto& d = i < 4 ? a.client(where) : a.client(where + "'");
            a.spawn(
                [&, &d = d, i]() -> awaitable<void> { in[i] = co_await read_write_lock(d, "d").read().acquire(); },
                where);
        }
        co_await a.sleep(300ms);
        CHECK(std::ranges::all_of(in, [](lease const& l) { return l.empty(); }));
        co_await writer.release();
        co_await a.sleep(turn);
        CHECK(std::ranges::all_of(in, [](lease const& l) { return l.valid(); }));
        in.clear();
        co_await a.sleep(100ms);
    });
}

TEST_CASE("readers acquire the lock at once when a waiting writer times out", "[preference]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock here(c, "d"), there(d, "d");
        auto reader = co_await here.read().acquire();
        lease late;
        a.spawn([&]() -> awaitable<void> { late = co_await there.write().try_acquire({.wait = 300ms}); }, "B");
        co_await a.sleep(100ms);
        CHECK(a.exists("holdfast_writer_waiting:{d}"));
        auto const refused = co_await there.read().try_acquire();
        CHECK(refused.empty());
        auto const start = a.now();
        auto const second = co_await there.read().acquire();
        CHECK(a.now() - start <= 200ms + few_round_trips);
        CHECK(late.empty());
        CHECK_FALSE(a.exists("holdfast_writer_waiting:{d}"));
        CHECK(reader.valid());
    });
}

TEST_CASE("a single try_acquire of the write side does not block readers", "[preference]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto reader = co_await read_write_lock(c, "d").read().acquire();
        auto const writer = co_await read_write_lock(d, "d").write().try_acquire();
        CHECK(writer.empty());
        CHECK_FALSE(a.exists("holdfast_writer_waiting:{d}"));
        auto const second = co_await read_write_lock(d, "d").read().try_acquire();
        CHECK(second.valid());
    });
}

TEST_CASE("a writer that is killed while it waits blocks readers for about two poll intervals", "[preference]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock here(c, "d"), there(d, "d");
        auto reader = co_await here.read().acquire();
        a.spawn([&]() -> awaitable<void> { auto const never = co_await there.write().acquire(); }, "B");
        co_await a.sleep(100ms);
        a.at("B").kill();
        co_await a.sleep(50ms);
        auto const start = a.now();
        auto& e = a.client("C");
        auto const second = co_await read_write_lock(e, "d").read().acquire();
        CHECK(second.valid());
        CHECK(a.now() - start <= 2'200ms);
        CHECK(a.now() - start > 500ms);
        CHECK(reader.valid());
    });
}

TEST_CASE("an owner that reads may re-enter while a writer waits; other readers may not enter", "[preference]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock here(c, "d", c.make_owner()), near(c, "d"), there(d, "d");
        auto outer = co_await here.read().acquire();
        lease writer;
        a.spawn([&]() -> awaitable<void> { writer = co_await there.write().acquire(); }, "B");
        co_await a.sleep(100ms);
        auto inner = co_await here.read().try_acquire();
        CHECK(inner.valid());
        auto const other = co_await near.read().try_acquire();
        CHECK(other.empty());
        CHECK(writer.empty());
        outer = lease();
        inner = lease();
        co_await a.sleep(100ms);
        CHECK(writer.valid());
    });
}

}  // namespace
}  // namespace holdfast::test
