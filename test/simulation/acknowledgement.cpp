//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// config::acknowledged_by: grants and renewals count when replicas have them.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "operations/raise_fence.hpp"
#include "simulation/arena.hpp"
#include "simulation/cluster_client_arena.hpp"
#include "support/all_kinds.hpp"
#include "support/replicated_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// The commands that the servers have executed. Outlives the arena, whose clients still send some at its end.
struct executed_lines {
    std::vector<std::string> lines;
};

// One replica, 5 ms away, behind one address; two clients.
struct replicated_arena : executed_lines, arena {
    replicated_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}) { count_commands(); }

    static holdfast::config acknowledged()
    {
        return {
            .lease = 3s,
            .command_timeout = 500ms,
            .poll_interval = 1s,
            .local_handoff = {.max_time = 1s},
            .acknowledged_by = 1};
    }

    void count_commands()
    {
        for (unsigned i = 0; i != 2; ++i)
            servers.server(i).check([this](executed const& e) {
                if (!e.what.in_script)
                    lines.push_back(line_of(e));
            });
    }
    // With the connection, and the first two words.
    static std::string line_of(executed const& e)
    {
        auto line = std::string(e.client) + " " + std::string(e.what.args[0]);
        if (e.what.args.size() > 1)
            line.append(" ").append(e.what.args[1]);
        return line;
    }
    auto count(std::string_view part) const
    {
        return std::ranges::count_if(lines, [&](auto const& l) { return l.find(part) != l.npos; });
    }
    bool knows(std::string_view key) { return servers.primary().execute({"EXISTS", key}).integer == 1; }

    replicated_server servers{simulated(), "redis", {.lag = {5ms, 5ms}, .resync = {100ms, 100ms}}};
    holdfast::client& c = client("A", acknowledged());
    holdfast::client& other = client("B", acknowledged());
};

TEST_CASE_METHOD(replicated_arena, "an acquire completes when the replica has the grant", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto const start = now();
        auto l = co_await mutex(c, "a").acquire();
        CHECK(now() - start >= 12ms);                   // to the replica, and the acknowledgement back
        CHECK(validity(l) <= start + 3s - 30ms + 1ms);  // it counts from the send
        CHECK(count("WAIT 1") == 1);
        REQUIRE(servers.fail_over());
        CHECK(knows("a"));
        CHECK(l.valid());
        co_await l.release();
    }());
}

TEST_CASE_METHOD(replicated_arena, "the question has a connection of its own", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto l = co_await mutex(c, "a").acquire();
        auto const has = [&](std::string_view part) {
            return *std::ranges::find_if(lines, [&](auto const& line) { return line.find(part) != line.npos; });
        };
        auto const of = [](std::string const& line) { return line.substr(0, line.find(' ')); };
        CHECK(of(has("SET a")) != of(has("SET holdfast_ack:{a}")));
        CHECK(of(has("SET holdfast_ack:{a}")) == of(has("WAIT 1")));
        co_await l.release();
    }());
}

TEST_CASE_METHOD(
    replicated_arena, "without a replica an acquire ends as unavailable, and says why", "[acknowledgement]")
{
    servers.cut_off_replicas(1h);
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto const result_1 = co_await error_of(mutex(c, "a").acquire());
        CHECK(result_1 == errc::unavailable);
        CHECK(c.last_failure().code == errc::unavailable);
        CHECK(
            c.last_failure().message
            == "lock \"a\": not acknowledged by replicas: 0 of 1 replicas acknowledged in time");
        CHECK(c.stats().unacknowledged == 3);
        CHECK(c.stats().unavailable == 1);
        co_await sleep(100ms);
        CHECK(!knows("a"));  // each grant was given back
    }());
}

TEST_CASE_METHOD(
    replicated_arena, "a grant that is not acknowledged is given back, and sought again", "[acknowledgement]")
{
    servers.cut_off_replicas(200ms);  // and 100 ms until it has all data
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto l = co_await mutex(c, "a").acquire();
        CHECK(c.stats().unacknowledged > 0);
        CHECK(c.stats().unacknowledged < 3);
        co_await l.release();
    }());
}

TEST_CASE_METHOD(
    replicated_arena, "grants that arrive while a question is under way share the next one", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        unsigned held = 0;
        for (int i = 0; i < 50; ++i)
            spawn([](replicated_arena& a, int n, unsigned& h) -> awaitable<void> {
                co_await a.sleep(n * 100us);
                auto l = co_await mutex(a.c, "m" + std::to_string(n)).acquire();
                ++h;
                co_await l.release();
            }(*this, i, held));
        co_await sleep(200ms);
        CHECK(held == 50);
        CHECK(count("WAIT 1") <= 3);
    }());
}

TEST_CASE_METHOD(replicated_arena, "a hand-off inside the process needs no acknowledgement", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto first = co_await mutex(c, "a").acquire();
        bool entered = false;
        spawn([](replicated_arena& a, bool& in) -> awaitable<void> {
            auto l = co_await mutex(a.c, "a").acquire();
            in = true;
            co_await l.release();
        }(*this, entered));
        co_await sleep(20ms);
        auto const questions = count("WAIT 1");
        co_await first.release();
        co_await sleep(1ms);
        CHECK(entered);
        CHECK(count("WAIT 1") == questions);
        co_await sleep(20ms);
    }());
}

TEST_CASE_METHOD(
    replicated_arena, "a renewal that is not acknowledged leaves the validity, and is repeated", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto l = co_await mutex(c, "a").acquire();
        auto const until = validity(l);
        servers.cut_off_replicas(1'200ms);
        co_await sleep(1'300ms);
        CHECK(validity(l) == until);
        CHECK(l.state() == lease_state::at_risk);
        CHECK(c.stats().unacknowledged >= 1);
        co_await sleep(700ms);
        CHECK(validity(l) > until);
        CHECK(l.state() == lease_state::held);
        co_await l.release();
    }());
}

TEST_CASE_METHOD(replicated_arena, "a lease whose renewals are not acknowledged is lost in time", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto l = co_await mutex(c, "a").acquire();
        auto const until = validity(l);
        servers.cut_off_replicas(1h);
        auto const result_2 = co_await l.lost(use_awaitable);
        CHECK(result_2 == loss::expired);
        CHECK(now() <= until);
    }());
}

TEST_CASE_METHOD(replicated_arena, "an extension that is not acknowledged is unavailable", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto l = co_await mutex(c, "a").acquire({.lease = 10s, .renew = false});
        auto const until = validity(l);
        servers.cut_off_replicas(1s);
        auto const result_3 = co_await error_of(l.extend(20s));
        CHECK(result_3 == errc::unavailable);
        CHECK(validity(l) == until);
        co_await sleep(2s);
        co_await l.extend(20s);
        CHECK(validity(l) > until);
        co_await l.release();
    }());
}

TEST_CASE_METHOD(replicated_arena, "every kind of lock waits for the acknowledgement", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        co_await other.ready();
        auto locks = locks_of_all_kinds(c, {"k"});
        for (auto& l : locks) {
            INFO(l.name());
            auto const questions = count("WAIT 1");
            auto held = co_await l.acquire();
            CHECK(count("WAIT 1") > questions);
            co_await held.release();
        }
        servers.cut_off_replicas(1h);
        for (auto& l : locks) {
            INFO(l.name());
            auto const result_4 = co_await error_of(l.acquire());
            CHECK(result_4 == errc::unavailable);
        }
        co_await sleep(100ms);
        for (auto const& key : servers.primary().model().keys().names()) {
            INFO(key);
            CHECK(
                (key.starts_with("holdfast_") || key.starts_with("redisson_lock_token:")
                 || key == "k-s"));  // counters, and the permits that are free
        }
    }());
}

TEST_CASE_METHOD(replicated_arena, "a downgrade and a re-entry are acknowledged", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto w = co_await read_write_lock(c, "rw").write().acquire();
        auto questions = count("WAIT 1");
        auto r = co_await w.downgrade(use_awaitable);
        CHECK(count("WAIT 1") > questions);
        co_await r.release();
        auto const me = c.make_owner();
        reentrant_lock const lock(c, "r", me);
        auto outer = co_await lock.acquire({.lease = 1s});
        questions = count("WAIT 1");
        auto inner = co_await lock.acquire({.lease = 5s});  // needs a longer time to live
        CHECK(count("WAIT 1") > questions);
        co_await inner.release();
        co_await outer.release();
    }());
}

TEST_CASE_METHOD(
    replicated_arena, "a former primary that does not know it yet grants nothing that counts", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        co_await other.ready();
        REQUIRE(servers.fail_over(4s));
        auto const result_5 = co_await error_of(mutex(c, "a").acquire());
        CHECK(result_5 == errc::unavailable);
        CHECK(!knows("a"));  // at the new primary
        co_await sleep(5s);
        auto l = co_await mutex(c, "a").acquire();
        CHECK(knows("a"));
        co_await l.release();
    }());
}

TEST_CASE_METHOD(replicated_arena, "without the right to WAIT an acquire ends as not_permitted", "[acknowledgement]")
{
    servers.primary().model().deny_command("wait");
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto const result_6 = co_await error_of(mutex(c, "a").acquire());
        CHECK(result_6 == errc::not_permitted);
        CHECK(c.last_failure().code == errc::not_permitted);
        CHECK(c.last_failure().message.find("'wait'") != std::string::npos);
        co_await sleep(100ms);
        CHECK(!knows("a"));
    }());
}

TEST_CASE_METHOD(replicated_arena, "without the right to its key an acquire ends as not_permitted", "[acknowledgement]")
{
    servers.primary().model().deny_key("holdfast_ack:{a}");
    run([this]() -> awaitable<void> {
        co_await c.ready();
        auto const result_7 = co_await error_of(mutex(c, "a").acquire());
        CHECK(result_7 == errc::not_permitted);
        co_await sleep(100ms);
        CHECK(!knows("a"));
    }());
}

TEST_CASE_METHOD(replicated_arena, "a client that stops while it waits for replicas completes", "[acknowledgement]")
{
    servers.cut_off_replicas(1h);
    run([this]() -> awaitable<void> {
        co_await c.ready();
        error_code ec;
        spawn([](replicated_arena& a, error_code& e) -> awaitable<void> {
            e = co_await error_of(mutex(a.c, "a").acquire());
        }(*this, ec));
        co_await sleep(20ms);
        c.stop();
        co_await sleep(1ms);
        CHECK(ec == errc::client_stopped);
    }());
}

TEST_CASE_METHOD(replicated_arena, "a connection that is lost while a grant waits leaves nothing", "[acknowledgement]")
{
    run([this]() -> awaitable<void> {
        co_await c.ready();
        spawn([](replicated_arena& a) -> awaitable<void> {
            auto l = co_await mutex(a.c, "a").acquire();
            co_await l.release();
        }(*this));
        co_await sleep(4ms);
        servers.primary().model().disconnect_all();
        co_await sleep(5s);
        CHECK(!knows("a"));
        CHECK(c.stats().acquired == 1);
        CHECK(census(c) == engine::client_engine::census{});
    }());
}

// Each lock's primary has a replica of its own.
TEST_CASE("in a cluster the replica of the lock's own primary acknowledges", "[acknowledgement][cluster]")
{
    cluster_client_arena a({.replicas = 3}, 1);
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        a.server("node-2").model().replicas().detach(0);
        error_code ec;
        co_await mutex(a.c(), "{a}").try_acquire({.wait = 2s}, asio::redirect_error(use_awaitable, ec));
        CHECK(ec == errc::unavailable);
        for (auto const* const name : {"{b}", "{c}"})
            CHECK((co_await mutex(a.c(), name).acquire()).valid());
    });
}

// The former primary does not know the script, and the text reaches it after its failover: its reply is that of a server
// that nobody asks any more. Nodes 0 and 1 know of the failover at once, and the slot of {c} has moved to make the client
// ask for the slots.
TEST_CASE("the replicas of another primary acknowledge no fencing token", "[acknowledgement][cluster][failover]")
{
    constexpr span_of_time soon{1ms, 1ms};
    cluster_client_arena a({.replicas = 3, .replication = {}, .gossip = soon, .bus = soon}, 1);
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}", {.fencing = true}).acquire();
        auto const token = held.fencing_token().value() + 1'000'000;
        a.server("node-5").model().assume_replicas(true);
        a.server("node-2").network.delay = {100ms, 100ms};
        a.cluster.move("{c}", 0);
        a.world().at(a.now() + 110ms, [&] { a.cluster.fail_over(2, 1ms, 210ms); });
        a.world().at(a.now() + 120ms, [&] {
            a.spawn([&]() -> awaitable<void> { co_await (co_await mutex(a.c(), "{c}").acquire()).release(); });
        });
        auto const& of = detail::lease_access::impl_of(held);
        error_code ec;
        bool const is_confirmed = co_await detail::initiate(
            detail::start_raise_fence, asio::redirect_error(use_awaitable, ec), of, token);
        CHECK_FALSE(is_confirmed);
        CHECK(ec == errc::unavailable);
        CHECK(a.c().last_failure().message.find("the server is not known") != std::string::npos);
        CHECK(a.server("node-5").execute({"GET", "holdfast_fence:{a}"}).text != std::to_string(token));
    });
}

TEST_CASE("a client that asks for no acknowledgement opens one connection", "[acknowledgement]")
{
    arena a;
    auto& c = a.client();
    a.run([](arena& in, holdfast::client& mine) -> awaitable<void> {
        co_await mine.ready();
        auto l = co_await mutex(mine, "a").acquire();
        CHECK(in.server().model().connection_count() == 1);
        co_await l.release();
    }(a, c));
}

}  // namespace
}  // namespace holdfast::test
