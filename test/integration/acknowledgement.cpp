//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// config::acknowledged_by in front of a real primary and its replica.

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>

#include "redis/session.hpp"
#include "support/acknowledged.hpp"
#include "support/all_kinds.hpp"
#include "support/child_program.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// A primary with one replica, which may be promoted.
class replicated {
public:
    replicated() : primary_({"repl-diskless-sync-delay 0"}), replica_({"repl-diskless-sync-delay 0"})
    {
        replica_.command({"REPLICAOF", "127.0.0.1", std::to_string(primary_.port())});
        REQUIRE(live_.until([&] { return follows(); }));
    }

    redis_server& primary() { return primary_; }
    redis_server& replica() { return replica_; }
    live& loop() { return live_; }

    bool follows() { return primary_.online_replicas() == 1; }
    bool has(std::string const& key) { return replica_.command({"EXISTS", key}).integer == 1; }

    // A client of the primary.
    client& acknowledged(unsigned replicas, std::chrono::seconds lease = 10s)
    {
        auto options = live::quick(primary_.url());
        options.acknowledged_by = replicas;
        options.lease = lease;
        return live_.client(options);
    }

    // The replica loses its connection to the primary.
    void cut_off() { replica_.command({"REPLICAOF", "127.0.0.1", std::to_string(free_port())}); }

    // The primary ends, and the replica grants locks from now on, with what it has.
    std::string promote()
    {
        primary_.kill();
        replica_.command({"REPLICAOF", "NO", "ONE"});
        return replica_.url();
    }

private:
    redis_server primary_;
    redis_server replica_;
    live live_;
};

awaitable<bool> is_granted(client& c, std::string name)
{
    auto const held = co_await mutex(c, name).try_acquire();
    co_return !held.empty();
}

TEST_CASE("the replica has each lock at the instant at which its acquire completes", "[live][acknowledgement]")
{
    replicated r;
    auto& c = r.acknowledged(1);
    r.loop().run([&]() -> awaitable<void> {
        co_await c.ready();
        for (int i = 0; i != 200; ++i) {
            auto const name = "m" + std::to_string(i);
            auto held = co_await acquire_acknowledged(mutex(c, name));
            CHECK(r.has(name));
            co_await held.release();
        }
        std::vector<lease> held;
        for (auto const& lock : locks_of_all_kinds(c, {"a", "b"}))
            held.push_back(co_await acquire_acknowledged(lock));
        for (auto& h : held) {
            CHECK_FALSE(co_await extend_acknowledged(h, 20s));
            co_await h.release();
        }
    });
    CHECK(c.stats().lost == 0);
    CHECK(r.primary().calls("wait") > 0);
    CHECK(r.loop().until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

TEST_CASE("a lock that the replica acknowledged is held after the replica was promoted", "[live][acknowledgement]")
{
    replicated r;
    auto& c = r.acknowledged(1, 60s);
    r.loop().run([&]() -> awaitable<void> {
        auto const held = co_await acquire_acknowledged(mutex(c, "m"));
        auto& rival = r.loop().client(r.promote());
        auto const granted = co_await is_granted(rival, "m");
        CHECK_FALSE(granted);
        CHECK(held.valid());
    });
}

// The negative control, and what the option makes of it.
TEST_CASE(
    "a lock that the replica does not have is granted twice, unless it needs an acknowledgement",
    "[live][acknowledgement]")
{
    replicated r;
    auto& plain = r.acknowledged(0, 60s);
    auto& careful = r.acknowledged(1, 60s);
    r.loop().run([&]() -> awaitable<void> {
        co_await plain.ready();
        co_await careful.ready();
        r.cut_off();
        auto const held = co_await mutex(plain, "plain").acquire();
        auto const refused = co_await failure_of(mutex(careful, "careful").acquire());
        CHECK(refused == errc::unavailable);
        auto& rival = r.loop().client(r.promote());
        auto const twice = co_await is_granted(rival, "plain");
        CHECK(held.valid());
        CHECK(twice);
    });
    CHECK(careful.stats().unacknowledged == 3);
}

TEST_CASE("without a replica an acquire is unavailable, says why, and leaves nothing", "[live][acknowledgement]")
{
    replicated r;
    auto& c = r.acknowledged(1);
    r.loop().run([&]() -> awaitable<void> {
        co_await c.ready();
        r.replica().kill();
        auto const ec = co_await failure_of(mutex(c, "m").acquire());
        CHECK(ec == errc::unavailable);
        CHECK(c.last_failure().message.find("0 of 1 replicas acknowledged in time") != std::string::npos);
        auto const is_free = co_await comes_true([&] { return r.primary().command({"EXISTS", "m"}).integer == 0; });
        CHECK(is_free);
    });
    CHECK(r.loop().until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

TEST_CASE("a lease that no replica acknowledges any more is lost when its validity ends", "[live][acknowledgement]")
{
    replicated r;
    auto& c = r.acknowledged(1, 3s);
    r.loop().run([&]() -> awaitable<void> {
        auto held = co_await acquire_acknowledged(mutex(c, "m"));
        r.replica().kill();
        auto const is_lost = co_await comes_true([&] { return !held.valid(); });
        CHECK(is_lost);
        auto const ec = co_await failure_of(held.release());
        CHECK(ec == errc::lease_lost);
    });
    CHECK(c.stats().lost == 1);
}

TEST_CASE(
    "a lease outlasts the time without a replica if that is shorter than the lease time", "[live][acknowledgement]")
{
    replicated r;
    auto& c = r.acknowledged(1, 12s);
    r.loop().run([&]() -> awaitable<void> {
        auto held = co_await acquire_acknowledged(mutex(c, "m"));
        r.replica().restart();
        r.replica().command({"REPLICAOF", "127.0.0.1", std::to_string(r.primary().port())});
        auto const begin = std::chrono::steady_clock::now();
        auto const outlasts = co_await comes_true(
            [&] { return !held.valid() || std::chrono::steady_clock::now() - begin > 15s; });
        CHECK(outlasts);
        CHECK(held.valid());
        co_await held.release();
    });
    CHECK(c.stats().lost == 0);
}

// The host name has the addresses of a replica, which comes first, and of its primary.
TEST_CASE("a lock is acknowledged at the address to which a replica has led", "[live][acknowledgement]")
{
    redis_server replica{"repl-diskless-sync-delay 0"};
    auto const port = std::to_string(replica.port());
    redis_server primary{"repl-diskless-sync-delay 0", "bind 127.0.0.2", "port " + port};
    replica.command({"REPLICAOF", "127.0.0.2", port});
    live loop;
    REQUIRE(loop.until([&] { return primary.online_replicas() == 1; }));
    auto const both = [](redis::resolver& r, std::string const&, redis::take_addresses take) {
        asio::post(r.get_executor(), [take] { take({}, {"127.0.0.1", "127.0.0.2"}); });
    };
    auto const make_io = [&](engine::strand s, config const& options, engine::log log) {
        return redis::make_io(std::move(s), options, std::move(log), both);
    };
    auto options = live::quick("redis://localhost:" + port);
    options.acknowledged_by = 1;
    auto c = detail::client_access::make(loop.context().get_executor(), options, make_io);
    c.run(asio::detached);
    loop.run([&]() -> awaitable<void> {
        auto held = co_await acquire_acknowledged(mutex(c, "m"));
        auto const replicated = replica.command({"EXISTS", "m"}).integer;
        CHECK(replicated == 1);
        co_await held.release();

        // Both connections go back there, and not to the replica.
        primary.command({"CLIENT", "KILL", "TYPE", "normal"});
        held = co_await acquire_acknowledged(mutex(c, "m"));
        co_await held.release();
    });
    CHECK(primary.calls("wait") > 0);
    c.stop();
}

}  // namespace
}  // namespace holdfast::test
