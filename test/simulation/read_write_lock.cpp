//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Many readers or one writer: sharing a grant, owners, ends of leases, other libraries' readers, invalid input.

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "engine/hold/grant.hpp"
#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

std::int64_t ttl(arena& a, std::string_view key)
{
    return a.server().execute({"PTTL", key}).integer;
}

// The number of slots, one key for each live reader.
std::int64_t slots(arena& a)
{
    return a.server().execute({"DBSIZE"}).integer - (a.exists("d") ? 1 : 0);
}

TEST_CASE("readers share the lock, and a writer excludes readers and writers", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock here(c, "d"), there(d, "d");
        auto one = co_await here.read().acquire();
        auto two = co_await here.read().acquire();
        auto three = co_await there.read().acquire();
        auto const refused = co_await there.write().try_acquire();
        CHECK(refused.empty());
        co_await one.release();
        co_await two.release();
        co_await three.release();
        CHECK_FALSE(a.exists("d"));
        auto writer = co_await there.write().try_acquire();
        CHECK(writer.valid());
        auto const reader = co_await here.read().try_acquire();
        CHECK(reader.empty());
        auto const other = co_await here.write().try_acquire();
        CHECK(other.empty());
        co_await writer.release();
        CHECK_FALSE(a.exists("d"));
    });
}

TEST_CASE("the server knows one reader of each process, and the writer that waits", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock const here(c, "d"), there(d, "d", d.make_owner("editor"));
        std::vector<lease> reads;
        for (int i = 0; i < 20; ++i)
            reads.push_back(co_await here.read().acquire());
        auto const holders = co_await there.read().holders();
        CHECK(holders.size() == 1);
        CHECK(c.stats().held == 20);
        auto next = co_await here.waiting_writer();
        CHECK_FALSE(next.has_value());
        auto const one_attempt = co_await there.write().try_acquire();
        CHECK(one_attempt.empty());
        next = co_await here.waiting_writer();
        CHECK_FALSE(next.has_value());

        lease written;
        a.spawn([&]() -> awaitable<void> { written = co_await there.write().acquire(); }, "B");
        co_await a.sleep(100ms);
        next = co_await here.waiting_writer();
        REQUIRE(next.has_value());
        CHECK(next->label == "editor");
        CHECK_FALSE(next->mine);
        CHECK(next->remaining > 0ms);
        CHECK_FALSE(next->waited.has_value());
        auto const seen_there = co_await there.waiting_writer();
        REQUIRE(seen_there.has_value());
        CHECK(seen_there->mine);
        CHECK(seen_there->id == next->id);
        for (auto& r : reads)
            co_await r.release();
        co_await a.sleep(100ms);
        CHECK(written.valid());
        next = co_await here.waiting_writer();
        CHECK_FALSE(next.has_value());
        auto const writers = co_await here.write().holders();
        REQUIRE(writers.size() == 1);
        CHECK(writers.front().id == seen_there->id);

        a.server().execute({"DEL", "holdfast_writer_waiting:{d}"});
        a.server().execute({"RPUSH", "holdfast_writer_waiting:{d}", "x"});
        auto const foreign = co_await error_of(here.waiting_writer(use_awaitable));
        CHECK(foreign == errc::wrong_type);
    });
}

TEST_CASE(
    "readers of one process share a grant; joining needs no command at first, later one script", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        auto first = co_await doc.read().acquire();
        a.commands();
        auto second = co_await doc.read().acquire();
        CHECK(a.commands().empty());
        co_await a.sleep(50ms);
        auto third = co_await doc.read().acquire();
        CHECK(a.commands().size() <= 2);  // the script, and its text the first time
        CHECK(a.server().execute({"HLEN", "d"}).integer == 2);
        a.commands();
        co_await first.release();
        co_await second.release();
        CHECK(a.commands().empty());
        co_await third.release();
        CHECK_FALSE(a.exists("d"));
    });
    CHECK(a.census(c).arbiters == 0);
}

TEST_CASE("readers with different lease times have grants of their own", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        auto longer = co_await doc.read().acquire({.lease = 20s});
        auto shorter = co_await doc.read().acquire({.lease = 1s});
        CHECK(slots(a) == 2);
        CHECK(ttl(a, "d") > 19'000);
        co_await shorter.release();
        CHECK(ttl(a, "d") > 19'000);
        CHECK(longer.valid());
        co_await longer.release();
        CHECK_FALSE(a.exists("d"));
    });
}

TEST_CASE("leases of readers that share a grant end at their own times", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        auto first = co_await doc.read().acquire({.lease = 1s});
        co_await a.sleep(600ms);
        auto second = co_await doc.read().acquire({.lease = 1s});
        CHECK(slots(a) == 1);  // one grant, extended for the second
        co_await a.sleep(500ms);
        CHECK_FALSE(first.valid());
        CHECK(second.valid());
        CHECK(a.exists("d"));
        co_await a.sleep(600ms);
        CHECK_FALSE(second.valid());
        CHECK_FALSE(a.exists("d"));
    });
}

TEST_CASE("a joining reader gets its full lease time even while a shorter re-entry is renewed", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock mine(c, "d", c.make_owner(), {.peer_watchdog = 0ms}), other(c, "d", {.peer_watchdog = 0ms});
        auto const outer = co_await mine.read().acquire({.lease = 60s});
        auto const inner = co_await mine.read().acquire({.lease = 100ms, .renew = true});
        co_await a.sleep(20s);
        for (int i = 0; i < 30; ++i) {
            auto joined = co_await other.read().acquire({.lease = 60s});
            CHECK(validity(joined) > a.now() + 59s);
            joined = lease();
            co_await a.sleep(1'007'003us);
        }
    });
}

TEST_CASE("a reader without renewal expires although it shares a grant with a renewed reader", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        auto renewed = co_await doc.read().acquire();
        auto fixed = co_await doc.read().acquire({.lease = 3s});
        auto limited = co_await doc.read().acquire({.max_hold = 5s});
        CHECK(slots(a) == 1);
        co_await a.sleep(3'100ms);
        CHECK_FALSE(fixed.valid());
        CHECK(limited.valid());
        co_await a.sleep(2s);
        CHECK_FALSE(limited.valid());
        auto const why = co_await limited.lost();
        CHECK(why == loss::max_hold);
        co_await a.sleep(20s);
        CHECK(renewed.valid());
    });
}

TEST_CASE(
    "a renewed reader may join the grant of a reader without renewal and outlives that reader", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", {.peer_watchdog = 0s});
        auto fixed = co_await doc.read().acquire({.lease = 3s});
        auto renewed = co_await doc.read().acquire();
        CHECK(slots(a) == 1);
        co_await a.sleep(3'100ms);
        CHECK_FALSE(fixed.valid());
        CHECK(renewed.valid());
        co_await a.sleep(20s);
        CHECK(renewed.valid());
    });
}

TEST_CASE("a lost read keeps no writer out when the last valid reader leaves", "[read_write_lock]")
{
    for (std::chrono::milliseconds const lease : {1s, 3s}) {
        arena a;
        auto& c = a.client();
        auto& d = a.client("B");
        a.run([&]() -> awaitable<void> {
            read_write_lock doc(c, "d");
            auto lost = co_await doc.read().acquire({.lease = lease});
            co_await a.sleep(lease * 4 / 5);
            auto last = co_await doc.read().acquire({.lease = lease});  // prolongs the grant of both
            CHECK(slots(a) == 1);
            co_await a.sleep(lease / 5 + 100ms);
            CHECK_FALSE(lost.valid());
            CHECK(last.valid());
            co_await last.release();
            CHECK_FALSE(a.exists("d"));
            auto const writer = co_await read_write_lock(d, "d").write().try_acquire();
            CHECK(writer.valid());
            a.commands();
            error_code ec;
            co_await lost.release(asio::redirect_error(use_awaitable, ec));
            CHECK(ec == errc::lease_lost);
            co_await a.sleep(100ms);
            CHECK(a.commands().empty());  // its grant was released before
            CHECK(writer.valid());
        });
        CHECK(a.census(c).arbiters == 0);
    }
}

TEST_CASE("a grant that a reader has prolonged ends with the validity of the reads that are left", "[read_write_lock]")
{
    for (std::chrono::milliseconds const lease : {1s, 3s}) {
        arena a;
        auto& c = a.client();
        auto& d = a.client("B");
        core::instant granted;
        a.run([&]() -> awaitable<void> {
            read_write_lock doc(c, "d");
            auto const begun = a.now();
            auto first = co_await doc.read().acquire({.lease = lease});
            co_await a.sleep(lease * 2 / 5);
            auto second = co_await doc.read().acquire({.lease = lease});
            CHECK(slots(a) == 1);
            auto write = [&]() -> awaitable<void> {
                auto const l = co_await read_write_lock(d, "d").write().acquire();
                granted = a.now();
                CHECK_FALSE(first.valid());
            };
            a.spawn(write(), "B");
            co_await a.sleep(100ms);
            co_await second.release();
            auto const end = validity(first);
            while (granted == core::instant())
                co_await a.sleep(1ms);
            CHECK(granted >= end);
            CHECK(granted < begun + lease + 50ms);
            CHECK_FALSE(first.valid());
        });
    }
}

// Two readers in two processes; the slot of the long read was deleted by other means.
TEST_CASE("after a reader without a slot releases, the lock expires with the remaining readers", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto const short_read = co_await read_write_lock(d, "d").read().acquire({.lease = 1s});
        auto long_read = co_await read_write_lock(c, "d").read().acquire({.lease = 10min});
        auto const token = std::string(tenure_of(long_read).held_grant->token());
        CHECK(a.server().execute({"DEL", "{d}:" + token + ":rwlock_timeout:1"}).integer == 1);
        co_await long_read.release();
        CHECK(ttl(a, "d") <= 1'000);
        CHECK(short_read.valid());
    });
}

TEST_CASE("force_release() of a read-write lock makes all readers lose it", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d"), there(d, "d");
        auto one = co_await doc.read().acquire();
        auto two = co_await doc.read().acquire();
        CHECK(a.exists("d"));
        auto const was_held = co_await there.write().force_release();
        CHECK(was_held);
        CHECK_FALSE(a.exists("d"));
        CHECK(slots(a) == 0);
        auto const why = co_await one.lost();
        CHECK(why == loss::key_missing);
        CHECK_FALSE(two.valid());
        auto const again = co_await there.write().force_release();
        CHECK_FALSE(again);
    });
}

// ---- owners

TEST_CASE("an owner re-enters either side of a read-write lock", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner("tx"));
        auto r1 = co_await doc.read().acquire();
        a.commands();
        auto r2 = co_await doc.read().acquire();
        CHECK(a.commands().empty());
        CHECK(r1.hold_count() == 2);
        co_await r1.release();
        CHECK(a.exists("d"));
        co_await r2.release();
        CHECK_FALSE(a.exists("d"));
        auto w1 = co_await doc.write().acquire();
        auto w2 = co_await doc.write().acquire();
        CHECK(w1.hold_count() == 2);
        co_await w1.release();
        co_await w2.release();
        CHECK_FALSE(a.exists("d"));
    });
}

TEST_CASE("the owner of a write may read, and the read may end before or after the write", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock mine(c, "d", c.make_owner()), near(c, "d", c.make_owner()), far(d, "d");
        auto writer = co_await mine.write().acquire();
        auto reader = co_await mine.read().acquire();
        auto const others = co_await near.read().try_acquire();
        CHECK(others.empty());
        co_await reader.release();
        CHECK(writer.valid());
        CHECK(a.server().execute({"HGET", "d", "mode"}).text == "write");

        reader = co_await mine.read().acquire();
        co_await writer.release();
        CHECK(a.server().execute({"HGET", "d", "mode"}).text == "read");
        CHECK(reader.valid());
        auto const writes = co_await far.write().try_acquire();
        CHECK(writes.empty());
        auto const reads = co_await far.read().try_acquire();
        CHECK(reads.valid());
        co_await reader.release();
        CHECK(reads.valid());
    });
}

TEST_CASE("a write keeps its renewal and its lease time when a read under it ends", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner());
        auto renewed = co_await doc.write().acquire();
        auto reader = co_await doc.read().acquire();
        co_await reader.release();
        co_await a.sleep(20s);
        CHECK(renewed.valid());
        co_await renewed.release();

        auto fixed = co_await doc.write().acquire({.lease = 10min});
        reader = co_await doc.read().acquire({.lease = 1s});
        co_await reader.release();
        CHECK(ttl(a, "d") > 590'000);
        auto again = co_await doc.write().acquire({.lease = 1s});  // neither extends nor shortens
        CHECK((ttl(a, "d") > 590'000 && ttl(a, "d") <= 600'000));
        co_await again.release();
        CHECK(ttl(a, "d") > 590'000);
    });
}

TEST_CASE("a reader that is joining completes as client_stopped when its client stops", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        auto first = co_await doc.read().acquire();
        co_await a.sleep(50ms);
        error_code ec;
        a.spawn([&]() -> awaitable<void> { ec = co_await error_of(doc.read().acquire(use_awaitable)); });
        co_await a.sleep(50us);
        c.stop();
        co_await a.sleep(50ms);
        CHECK(ec == errc::client_stopped);
        CHECK_FALSE(first.valid());
    });
}

TEST_CASE("a write is not handed off while a read of its owner continues", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock mine(c, "d", c.make_owner()), other(c, "d", c.make_owner());
        auto writer = co_await mine.write().acquire();
        auto reader = co_await mine.read().acquire();
        lease next;
        a.spawn([&]() -> awaitable<void> { next = co_await other.write().acquire(); });
        co_await a.sleep(5ms);
        co_await writer.release();
        co_await a.sleep(2s);
        CHECK(reader.valid());
        CHECK(next.empty());
        co_await reader.release();
        co_await a.sleep(100ms);
        CHECK(next.valid());
    });
}

TEST_CASE(
    "a write with a short lease time is released even if a longer read under it keeps the key", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner());
        auto writer = co_await doc.write().acquire({.lease = 500ms});
        auto reader = co_await doc.read().acquire({.lease = 60s});
        a.server().pause_for(4s);
        writer = lease();
        reader = lease();
        co_await a.sleep(8s);
        CHECK_FALSE(a.exists("d"));
    });
    CHECK(a.census(c).releases == 0);
}

TEST_CASE("a write with a short lease time is released even if a read under it is extended", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner());
        auto writer = co_await doc.write().acquire({.lease = 500ms});
        auto reader = co_await doc.read().acquire({.lease = 500ms});
        co_await reader.extend(60s);
        a.server().pause_for(4s);
        writer = lease();
        reader = lease();
        co_await a.sleep(8s);
        CHECK_FALSE(a.exists("d"));
    });
    CHECK(a.census(c).releases == 0);
}

TEST_CASE("a write acquire by an owner that holds only a read completes as would_deadlock", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner());
        auto writer = co_await doc.write().acquire();
        auto reader = co_await doc.read().acquire();
        auto again = co_await doc.write().acquire();  // the owner holds it already
        co_await again.release();
        co_await writer.release();
        a.commands();
        auto const ec = co_await error_of(doc.write().acquire(use_awaitable));
        CHECK(ec == errc::would_deadlock);
        auto const one_shot = co_await error_of(doc.write().try_acquire(use_awaitable));
        CHECK(one_shot == errc::would_deadlock);
        CHECK(a.commands().empty());
        co_await reader.release();
        auto const free = co_await doc.write().try_acquire();
        CHECK(free.valid());
    });
}

TEST_CASE("waiting reads that share process_owner() acquire the lock together", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.process_owner()), there(d, "d");
        auto foreign = co_await there.write().acquire();
        lease one, two;
        a.spawn([&]() -> awaitable<void> { one = co_await doc.read().acquire(); });
        a.spawn([&]() -> awaitable<void> { two = co_await doc.read().acquire({.lease = 9s}); });
        co_await a.sleep(50ms);
        CHECK(one.empty());
        co_await foreign.release();
        co_await a.sleep(50ms);
        CHECK(one.valid());
        CHECK(two.valid());
        CHECK(one.hold_count() == 2);
    });
}

TEST_CASE("fencing tokens of writes grow, and reads have none", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock here(c, "d", c.make_owner(), {.fencing = true}), there(d, "d", {.fencing = true});
        auto one = co_await here.write().acquire();
        auto again = co_await here.write().acquire();
        REQUIRE(one.fencing_token());
        CHECK(one.fencing_token() == again.fencing_token());
        auto const first = *one.fencing_token();
        co_await one.release();
        co_await again.release();
        auto read = co_await here.read().acquire();
        CHECK_FALSE(read.fencing_token());
        co_await read.release();
        auto two = co_await there.write().acquire();
        CHECK(two.fencing_token() > first);
        read_write_lock plain(c, "e");
        auto const unfenced = co_await plain.write().acquire();
        CHECK_FALSE(unfenced.fencing_token());
    });
}

TEST_CASE("holders() and is_locked() report both sides of a read-write lock", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock mine(c, "d", c.make_owner("tx-7")), there(d, "d");
        auto const none = co_await mine.read().holders();
        CHECK(none.empty());
        auto writer = co_await mine.write().acquire();
        auto nested = co_await mine.read().acquire({.lease = 1s});
        auto const held = co_await there.read().holders();
        REQUIRE(held.size() == 2);
        auto const& w = held[held[0].writer ? 0 : 1];
        auto const& r = held[held[0].writer ? 1 : 0];
        CHECK(w.writer);
        CHECK(w.label == "tx-7");
        CHECK(w.id.starts_with(c.id()));
        CHECK(w.remaining > 2s);
        CHECK_FALSE(r.writer);
        CHECK(r.label == "tx-7");
        CHECK(r.remaining <= 1s);
        auto const writes = co_await mine.write().is_locked();
        auto const reads = co_await mine.read().is_locked();
        CHECK(writes);
        CHECK_FALSE(reads);
        co_await writer.release();
        auto const writes_now = co_await mine.write().is_locked();
        auto const reads_now = co_await mine.read().is_locked();
        CHECK_FALSE(writes_now);
        CHECK(reads_now);
    });
}

TEST_CASE("both sides of a read-write lock work with with_lock and any_lock", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "{d}:1");
        CHECK(doc.name() == "{d}:1");
        int done = 0;
        auto const body = [&](lease& l) -> awaitable<void> {
            done += l.valid();
            co_return;
        };
        co_await with_lock(doc.read(), body);
        co_await with_lock(doc.write(), {.wait = 1s, .lease = 5s}, body);
        for (any_lock const& lock : {any_lock(doc.read()), any_lock(doc.write())})
            co_await with_lock(lock, body);
        CHECK(done == 4);
        auto const reads = co_await doc.read().acquire();
        CHECK(a.exists("{d}:1"));
        CHECK(a.exists("{d}:1:" + std::string(c.id()) + ":5:rwlock_timeout:1"));
    });
}

// ---- other libraries' clients on the same lock

// A reader of Redisson, whose watchdog sets the lock's time to live to its own lease time.
void foreign_read(arena& a, std::string_view holder, std::string_view lease)
{
    a.server().execute({"HSET", "d", "mode", "read", holder, "1"});
    a.server().execute({"SET", "{d}:" + std::string(holder) + ":rwlock_timeout:1", "1", "PX", lease});
    a.server().execute({"PEXPIRE", "d", lease});
}

TEST_CASE("a foreign watchdog that shortens the lock's time to live does not end a longer read", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", {.peer_watchdog = 3s}), there(d, "d", {.peer_watchdog = 3s});
        auto longer = co_await doc.read().acquire({.lease = 60s});
        CHECK(validity(longer) <= a.now() + 3s);
        for (int i = 0; i < 20; ++i) {
            foreign_read(a, "f0000000-0000-4000-8000-000000000000:1", "3000");
            co_await a.sleep(2'400ms);
            CHECK(longer.valid());
            auto const writer = co_await there.write().try_acquire();
            CHECK(writer.empty());
        }
        a.server().execute({"HDEL", "d", "f0000000-0000-4000-8000-000000000000:1"});
        co_await a.sleep(13s);
        CHECK_FALSE(longer.valid());  // it ends after 60 s, without renewal
        auto const writer = co_await there.write().try_acquire();
        CHECK(writer.valid());
    });
}

TEST_CASE("with peer_watchdog 0 a read is valid for its full lease time without further commands", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", {.peer_watchdog = 0s});
        auto longer = co_await doc.read().acquire({.lease = 60s});
        CHECK(validity(longer) > a.now() + 59s);
        a.commands();
        co_await a.sleep(50s);
        CHECK(a.commands().empty());
        CHECK(longer.valid());
    });
}

TEST_CASE(
    "a read that the client confirms under peer_watchdog is lost soon after its key was deleted", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", {.peer_watchdog = 3s});
        auto longer = co_await doc.read().acquire({.lease = 60s});
        a.server().execute({"DEL", "d"});
        co_await a.sleep(1'100ms);
        CHECK_FALSE(longer.valid());
        auto const why = co_await longer.lost();
        CHECK(why == loss::key_missing);
    });
}

TEST_CASE("a dead foreign reader blocks a writer only until its slot expires", "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        foreign_read(a, "f0000000-0000-4000-8000-000000000000:1", "1000");
        a.server().execute({"PEXPIRE", "d", "600000"});  // as a downgrade of Redisson's leaves it
        auto const early = co_await doc.write().try_acquire();
        CHECK(early.empty());
        auto const start = a.now();
        auto const writer = co_await doc.write().acquire();
        CHECK(a.now() - start < 2'500ms);
        CHECK(writer.valid());
    });
}

// ---- invalid input

TEST_CASE(
    "an acquire of a read-write lock is wrong_type on a list and busy on a mutex or a reentrant lock",
    "[read_write_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d");
        a.server().execute({"RPUSH", "d", "x"});
        auto const reads_list = co_await error_of(doc.read().acquire(use_awaitable));
        CHECK(reads_list == errc::wrong_type);
        auto const writes_list = co_await error_of(doc.write().acquire(use_awaitable));
        CHECK(writes_list == errc::wrong_type);
        auto const queried = co_await error_of(doc.write().is_locked(use_awaitable));
        CHECK(queried == errc::wrong_type);
        auto const lists = co_await error_of(doc.read().holders(use_awaitable));
        CHECK(lists == errc::wrong_type);
        auto const forces = co_await error_of(doc.read().force_release(use_awaitable));
        CHECK(forces == errc::wrong_type);
        CHECK(a.exists("d"));

        a.server().execute({"SET", "d", "a mutex", "PX", "1000"});
        auto const reads_mutex = co_await doc.read().try_acquire();
        CHECK(reads_mutex.empty());
        auto const writes_mutex = co_await doc.write().try_acquire();
        CHECK(writes_mutex.empty());
        a.server().execute({"DEL", "d"});
        a.server().execute({"HSET", "d", "f0000000-0000-4000-8000-000000000000:1", "1"});  // a reentrant lock
        a.server().execute({"PEXPIRE", "d", "1000"});
        auto const reads_other = co_await doc.read().try_acquire();
        CHECK(reads_other.empty());
        auto const writes_other = co_await doc.write().try_acquire();
        CHECK(writes_other.empty());
        auto const later = co_await doc.read().try_acquire({.wait = 3s});
        CHECK(later.valid());
    });
    CHECK_THROWS_AS(read_write_lock(c, "d", {.peer_watchdog = 99ms}), std::invalid_argument);
    CHECK_THROWS_AS(read_write_lock(c, "d", {.peer_watchdog = -1ms}), std::invalid_argument);
    auto& d = a.client("B");
    CHECK_THROWS_AS(read_write_lock(d, "d", c.make_owner()), std::invalid_argument);
}

}  // namespace
}  // namespace holdfast::test
