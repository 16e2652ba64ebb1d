//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A write becomes a read, and no other writer is granted in between.

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

TEST_CASE("after a downgrade waiting readers acquire the lock, and a waiting writer still waits", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock mine(c, "d"), near(c, "d"), far(d, "d");
        auto writer = co_await mine.write().acquire();
        lease near_read, far_read, far_write;
        a.spawn([&]() -> awaitable<void> { near_read = co_await near.read().acquire(); });
        a.spawn([&]() -> awaitable<void> { far_read = co_await far.read().acquire(); }, "B");
        co_await a.sleep(20ms);
        a.spawn([&]() -> awaitable<void> { far_write = co_await far.write().acquire(); }, "B");
        co_await a.sleep(20ms);
        auto reader = co_await writer.downgrade();
        CHECK(reader.valid());
        CHECK(writer.empty());
        CHECK(writer.state() == lease_state::empty);
        CHECK(writer.name().empty());
        co_await a.sleep(15ms);  // by a message; Redisson's downgrade sends none
        CHECK(near_read.valid());
        CHECK(far_read.valid());
        co_await a.sleep(5s);
        CHECK(far_write.empty());
        CHECK(reader.valid());
        {
            auto const destroyed = std::move(writer);
        }
        CHECK(reader.valid());
        co_await reader.release();
        co_await near_read.release();
        co_await far_read.release();
        co_await a.sleep(100ms);
        CHECK(far_write.valid());
    });
}

TEST_CASE("a downgrade does not hand off the write to a waiting writer of the same process", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock mine(c, "d"), other(c, "d");
        auto writer = co_await mine.write().acquire();
        lease next;
        a.spawn([&]() -> awaitable<void> { next = co_await other.write().acquire(); });
        co_await a.sleep(1ms);
        auto reader = co_await writer.downgrade();
        co_await a.sleep(4s);
        CHECK(reader.valid());
        CHECK(next.empty());
        co_await reader.release();
        co_await a.sleep(100ms);
        CHECK(next.valid());
    });
}

TEST_CASE("a downgraded lease keeps the owner, the lease time and the renewal of the write", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner("tx");
        read_write_lock doc(c, "d", me);
        auto fixed = co_await doc.write().acquire({.lease = 1s});
        co_await a.sleep(500ms);
        auto reader = co_await fixed.downgrade();
        CHECK(validity(reader) > a.now() + 900ms);
        CHECK(reader.owner() == me);
        auto const upgrade = co_await error_of(doc.write().acquire(use_awaitable));
        CHECK(upgrade == errc::would_deadlock);
        co_await a.sleep(1'100ms);
        CHECK_FALSE(reader.valid());
        CHECK_FALSE(a.exists("d"));
        auto renewed = co_await doc.write().acquire();
        reader = co_await renewed.downgrade();
        co_await a.sleep(30s);
        CHECK(reader.valid());
    });
}

TEST_CASE("downgrade() of a read, a mutex or an empty lease fails and changes nothing", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner());
        auto reader = co_await doc.read().acquire();
        auto const of_read = co_await error_of(reader.downgrade(use_awaitable));
        CHECK(of_read == errc::invalid_option);
        CHECK(reader.valid());
        co_await reader.release();
        auto const of_empty = co_await error_of(reader.downgrade(use_awaitable));
        CHECK(of_empty == errc::empty_lease);
        auto other = co_await mutex(c, "m").acquire();
        auto const of_mutex = co_await error_of(other.downgrade(use_awaitable));
        CHECK(of_mutex == errc::invalid_option);
        CHECK(other.valid());

        CHECK(c.last_failure().message.find("downgrade") != std::string::npos);

        auto writer = co_await doc.write().acquire();
        auto read = co_await writer.downgrade();
        auto const twice = co_await error_of(writer.downgrade(use_awaitable));
        CHECK(twice == errc::empty_lease);
        auto const release = co_await error_of(writer.release(use_awaitable));
        CHECK(release == errc::empty_lease);
        CHECK(read.valid());
        CHECK(a.exists("d"));
        co_await read.release();
        co_await other.release();
    });
    CHECK(a.census(c).arbiters == 0);
    CHECK(a.census(c).releases == 0);
}

TEST_CASE("a downgrade changes one hold; the other holds of the owner keep the write", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner()), other(c, "d");
        auto outer = co_await doc.write().acquire();
        auto inner = co_await doc.write().acquire();
        auto reader = co_await inner.downgrade();
        CHECK(inner.empty());
        CHECK(reader.valid());
        CHECK(outer.valid());
        CHECK(outer.hold_count() == 1);
        auto const while_written = co_await other.read().try_acquire();
        CHECK(while_written.empty());
        auto again = co_await doc.write().acquire();
        CHECK(again.hold_count() == 2);
        co_await again.release();
        co_await outer.release();
        CHECK(reader.valid());
        auto const while_read = co_await other.read().try_acquire();
        CHECK(while_read.valid());
        auto const write = co_await other.write().try_acquire();
        CHECK(write.empty());
    });
}

TEST_CASE("hold_count() counts a downgraded write together with the reads that its owner already holds", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner());
        auto write = co_await doc.write().acquire();
        auto const first = co_await doc.read().acquire();
        auto second = co_await write.downgrade();
        CHECK(first.hold_count() == 2);
        CHECK(second.hold_count() == 2);
        co_await second.release();
        CHECK(first.hold_count() == 1);
    });
}

TEST_CASE("hold_count() counts a read that its owner requested during the downgrade", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner());
        auto write = co_await doc.write().acquire();
        lease first;
        a.spawn([&]() -> awaitable<void> { first = co_await doc.read().acquire(); });
        auto const second = co_await write.downgrade();
        co_await a.sleep(50ms);
        CHECK(first.hold_count() == 2);
        CHECK(second.hold_count() == 2);
    });
}

TEST_CASE("a re-entry of the write during the downgrade of another hold remains a write", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.process_owner());
        auto writer = co_await doc.write().acquire();
        lease reader;
        a.spawn([&]() -> awaitable<void> { reader = co_await writer.downgrade(); });
        co_await a.sleep(1us);
        CHECK(reader.empty());
        auto entered = co_await doc.write().acquire();
        co_await a.sleep(50ms);
        CHECK(reader.valid());
        CHECK(writer.empty());
        CHECK(entered.valid());
        CHECK(entered.state() == lease_state::held);
        CHECK(entered.hold_count() == 1);
        co_await a.sleep(5s);
        CHECK(entered.valid());
        co_await entered.release();
        CHECK(reader.valid());
        co_await reader.release();
        CHECK_FALSE(a.exists("d"));
    });
}

TEST_CASE("downgrade() of a lost write completes as lease_lost", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        auto writer = co_await doc.write().acquire({.lease = 200ms});
        co_await a.sleep(300ms);
        auto const late = co_await error_of(writer.downgrade(use_awaitable));
        CHECK(late == errc::lease_lost);

        writer = co_await doc.write().acquire();
        a.server().execute({"DEL", "d"});
        auto const ec = co_await error_of(writer.downgrade(use_awaitable));
        CHECK(ec == errc::lease_lost);
        co_await a.sleep(100ms);
        CHECK_FALSE(a.exists("d"));
    });
    CHECK(a.census(c).arbiters == 0);
}

TEST_CASE("a downgrade that is cancelled or times out leaves the write unchanged", "[downgrade]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        auto writer = co_await doc.write().acquire();
        asio::cancellation_signal signal;
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(10us);
            signal.emit(asio::cancellation_type::total);
        });
        auto const cancelled = co_await error_of(
            writer.downgrade(asio::bind_cancellation_slot(signal.slot(), use_awaitable)));
        CHECK(cancelled == asio::error::operation_aborted);
        CHECK(writer.valid());
        co_await a.sleep(100ms);
        CHECK(a.server().execute({"HLEN", "d"}).integer == 2);
        a.server().pause_for(800ms);
        auto const late = co_await error_of(writer.downgrade(use_awaitable));
        CHECK(late == errc::unavailable);
        CHECK(writer.valid());
        co_await a.sleep(2s);
        auto const reader = co_await writer.downgrade();
        CHECK(reader.valid());
        CHECK(a.server().execute({"HLEN", "d"}).integer == 2);
    });
}

}  // namespace
}  // namespace holdfast::test
