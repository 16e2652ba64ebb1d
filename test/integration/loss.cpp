//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Faults that affect leases and waiters: each loss is reported in time, and no lease seems valid after its end.

#include <array>
#include <sstream>
#include <thread>
#include <vector>

#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/child.hpp"
#include "support/interval_checker.hpp"
#include "support/live.hpp"
#include "support/proxy.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using clock = std::chrono::steady_clock;

config with_lease(std::string url, std::chrono::milliseconds lease)
{
    auto c = live::quick(std::move(url));
    c.lease = lease;
    return c;
}

// A server, an event loop, and a client with this lease time.
struct server_and_client {
    explicit server_and_client(std::chrono::milliseconds lease) : own(loop.client(with_lease(server.url(), lease))) {}

    redis_server server;
    live loop;
    client& own;
};

// Returns just after the validity has ended, also if renewals move its end, in the same turn of the loop. Handlers that
// were due before have run by then, however late the loop is.
awaitable<void> end_of_validity(lease const& l)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    auto end = l.valid_until();
    do {
        timer.expires_at(end);
        co_await timer.async_wait(use_awaitable);
        auto const now_end = l.valid_until();
        if (now_end <= end)
            break;
        end = now_end;
    } while (true);
    for (int i = 0; i < 20; ++i)
        co_await asio::post(use_awaitable);
}

// Whether the loss of a lease was reported, and its cause.
struct obituary {
    explicit obituary(lease const& l)
    {
        l.lost([this](error_code e, loss w) {
            notified = true;
            ec = e;
            why = w;
        });
    }
    obituary(obituary const&) = delete;
    obituary& operator=(obituary const&) = delete;

    bool notified = false;
    error_code ec;
    loss why{};
};

// A with_lock whose body works until it is cancelled.
struct guarded_work {
    bool inside = false;
    bool left = false;
    bool over = false;
    error_code ec;

    awaitable<void> body(lease& held)
    {
        inside = true;
        left_at_end guard{*this};
        (void)held;
        co_await sleep_for(1h);
    }

    awaitable<void> run(mutex m)
    {
        auto work = [this](lease& held) { return body(held); };
        ec = co_await failure_of(with_lock(m, work));
        over = true;
    }

private:
    struct left_at_end {
        guarded_work& of;
        ~left_at_end() { of.left = true; }
    };
};

TEST_CASE("a process that was stopped keeps its connection", "[loss]")
{
    redis_server server;
    child other({HOLDFAST_LIVE_CHILD, "guard", server.tcp_url(), "m", "600"});
    auto const is_ready = [&] { return !other.reported("ready").empty(); };
    REQUIRE(wait_until(is_ready));
    auto const connections = server.info("total_connections_received");
    for (int i = 0; i < 3; ++i) {
        other.pause();
        std::this_thread::sleep_for(1500ms);
        other.resume();
        std::this_thread::sleep_for(300ms);
    }
    other.signal(SIGUSR1);
    auto const has_run = [&] { return !other.reported("body").empty(); };
    REQUIRE(wait_until(has_run));
    CHECK(server.info("total_connections_received") == connections);
}

TEST_CASE("the loss of a deleted key is reported by the end of the validity, and cancels a with_lock body", "[loss]")
{
    server_and_client s(3s);
    auto work = std::make_shared<guarded_work>();
    s.loop.spawn([&]() -> awaitable<void> { co_await work->run(mutex(s.own, "guarded")); });
    s.loop.run([&]() -> awaitable<void> {
        mutex m(s.own, "m");
        auto held = co_await m.acquire();
        obituary news(held);
        auto const inside = [&] { return work->inside; };
        auto const began = co_await comes_true(inside);
        REQUIRE(began);
        s.server.command({"DEL", "m", "guarded"});
        co_await end_of_validity(held);
        CHECK(news.notified);
        CHECK_FALSE(news.ec);
        CHECK((news.why == loss::key_missing || news.why == loss::expired));
        CHECK_FALSE(held.valid());
        CHECK(held.state() == lease_state::lost);
        error_code ec;
        co_await held.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
        auto const over = [&] { return work->over; };
        auto const ended = co_await comes_true(over);
        CHECK(ended);
        CHECK(work->left);
        CHECK(work->ec == errc::lease_lost);
    });
    CHECK(s.own.stats().lost == 2);
}

TEST_CASE("a client whose key was taken over does not change or delete the new holder's key", "[loss]")
{
    server_and_client s(2s);
    s.loop.run([&]() -> awaitable<void> {
        mutex m(s.own, "m");
        auto held = co_await m.acquire();
        obituary news(held);
        s.server.command({"SET", "m", "somebody", "PX", "600000"});
        auto const notified = [&] { return news.notified; };
        auto const noticed = co_await comes_true(notified);
        CHECK(noticed);
        error_code ec;
        co_await held.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
        co_await s.own.shutdown();
    });
    CHECK(s.server.command({"GET", "m"}).text == "somebody");
    CHECK(s.server.command({"PTTL", "m"}).integer > 60'000);
}

TEST_CASE("when the network drops all data, the loss is reported by the end of the validity", "[loss]")
{
    redis_server server;
    proxy between(server.socket_path());
    live l;
    auto& c = l.client(with_lease(between.url(), 3s));
    auto& d = l.client(with_lease(server.url(), 3s));
    guarded_work work;
    l.spawn([&]() -> awaitable<void> { co_await work.run(mutex(c, "guarded")); });
    l.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto held = co_await m.acquire();
        obituary news(held);
        auto const inside = [&] { return work.inside; };
        auto const began = co_await comes_true(inside);
        REQUIRE(began);
        between.black_hole();
        co_await end_of_validity(held);
        CHECK(news.notified);
        CHECK_FALSE(news.ec);
        CHECK(news.why == loss::expired);
        CHECK_FALSE(held.valid());
        // No other client can acquire the lock earlier than that.
        auto const theirs = co_await mutex(d, "m").acquire();
        CHECK(theirs.valid());
        auto const over = [&] { return work.left; };
        auto const ended = co_await comes_true(over);
        CHECK(ended);
        between.black_hole(false);
    });
    // The release at the end of with_lock could not be sent; it is sent when the connection is back.
    CHECK(l.until([&] { return work.over; }));
    CHECK(work.ec == errc::lease_lost);
    CHECK(l.until([&] { return server.command({"DBSIZE"}).integer == 0; }));
}

TEST_CASE("a lease stays valid and is renewed although its connections are killed", "[loss]")
{
    server_and_client s(6s);
    s.loop.run([&]() -> awaitable<void> {
        mutex m(s.own, "m");
        auto held = co_await m.acquire();
        obituary news(held);
        for (int i = 0; i < 20; ++i) {
            s.server.command({"CLIENT", "KILL", "TYPE", i % 3 == 0 ? "pubsub" : "normal", "SKIPME", "yes"});
            co_await sleep_for(50ms);
            CHECK(held.valid());
        }
        auto const renewed = s.own.stats().renewal_lag.count;
        auto const again = [&] { return s.own.stats().renewal_lag.count >= renewed + 4; };  // for longer than a lease
        auto const did = co_await comes_true(again);
        CHECK(did);
        CHECK(held.valid());
        CHECK(held.state() == lease_state::held);
        CHECK_FALSE(news.notified);
        co_await held.release();
    });
    CHECK(s.own.stats().lost == 0);
    CHECK(s.server.command({"EXISTS", "m"}).integer == 0);
}

TEST_CASE("a lease is lost when its server restarts without data, and the lock can be acquired again", "[loss]")
{
    server_and_client s(30s);
    s.loop.run([&]() -> awaitable<void> {
        mutex m(s.own, "m");
        auto held = co_await m.acquire();
        obituary news(held);
        s.server.restart();
        auto const notified = [&] { return news.notified; };
        auto const noticed = co_await comes_true(notified);
        CHECK(noticed);
        CHECK(news.why == loss::key_missing);
        CHECK_FALSE(held.valid());
        auto again = co_await m.acquire();
        CHECK(again.valid());
    });
}

TEST_CASE("a paused holder never finds its lease valid after another process was granted the lock", "[loss]")
{
    server_and_client s(20s);
    child other({HOLDFAST_LIVE_CHILD, "watch", s.server.url(), "m", "1500"});
    REQUIRE(wait_until([&] { return !other.reported("tick ").empty(); }));
    other.pause();
    s.loop.run([&]() -> awaitable<void> {
        auto held = co_await mutex(s.own, "m").acquire();  // waits for the end of the other's lease
        auto const got_at = nanoseconds(clock::now());
        auto const before = other.lines().size();
        other.resume();
        auto const over = [&] { return !other.reported("end").empty() && !other.reported("lost ").empty(); };
        auto const ended = co_await comes_true(over);
        CHECK(ended);
        auto const lines = other.lines();
        REQUIRE(lines.size() > before);
        for (auto const& line : lines)
            if (line.starts_with("tick "))
                CHECK(std::stoll(line.substr(5)) < got_at);
        CHECK(std::stoi(other.reported("invalid ")) == static_cast<int>(lease_state::lost));
        CHECK(std::stoi(other.reported("lost ")) == static_cast<int>(loss::expired));
        CHECK(held.valid());
    });
}

TEST_CASE("with_lock does not start its body on a grant that ended while the process was paused", "[loss]")
{
    redis_server server;
    child other({HOLDFAST_LIVE_CHILD, "guard", server.url(), "m", "1000"});
    REQUIRE(wait_until([&] { return !other.reported("ready").empty(); }));
    server.freeze();
    other.signal(SIGUSR1);
    REQUIRE(wait_until([&] { return !other.reported("acquiring").empty(); }));
    std::this_thread::sleep_for(500ms);  // its command is sent
    other.pause();
    server.thaw();
    bool const was_granted = wait_until([&] { return server.command({"EXISTS", "m"}).integer == 1; }, 3s);
    REQUIRE(wait_until([&] { return server.command({"EXISTS", "m"}).integer == 0; }));
    auto const ended_at = nanoseconds(clock::now());
    CHECK(other.reported("body").empty());
    other.resume();
    CHECK(wait_until([&] { return !other.reported("end").empty(); }));
    std::istringstream body(other.reported("body "));
    std::int64_t at = 0;
    bool valid = false;
    body >> at >> valid;
    CHECK(at > ended_at);
    CHECK(valid);
    if (!was_granted)
        WARN("the process was paused before it had sent its command");
}

TEST_CASE("a waiter is granted the lock when another process releases it, without polling", "[loss]")
{
    redis_server server;
    live l;
    auto options = with_lease(server.url(), 5min);
    options.poll_interval = 1h;
    auto& c = l.client(options);
    child other({HOLDFAST_LIVE_CHILD, "hold", server.url(), "m"});
    REQUIRE(wait_until([&] { return !other.reported("held").empty(); }));
    // The holder's key lasts longer than this test, so that only a message can end the wait.
    server.command({"PEXPIRE", "m", "600000", "GT"});
    l.run([&]() -> awaitable<void> {
        bool got = false;
        asio::co_spawn(
            co_await asio::this_coro::executor,
            [&]() -> awaitable<void> {
                auto held = co_await mutex(c, "m").acquire();
                got = held.valid();
            },
            asio::detached);
        auto const waits = [&] { return server.info("pubsub_channels") == "1" && c.stats().waiting == 1; };
        auto const began = co_await comes_true(waits);
        CHECK(began);
        co_await sleep_for(50ms);
        CHECK_FALSE(got);
        other.signal(SIGUSR1);
        auto const woken = [&] { return got; };
        auto const was = co_await comes_true(woken, 30s);
        CHECK(was);
    });
}

// ---- servers that refuse

// Many tasks of two clients enter a few locks and count entries and overlaps; a task ends at its first error.
class workers {
public:
    static constexpr int locks = 5;

    workers(live& l, client& a, client& b) : live_(l), clients_{&a, &b} {}

    void start(int count)
    {
        count_ = count;
        for (int i = 0; i < count; ++i)
            live_.spawn([this, i]() -> awaitable<void> { co_await work(i); });
    }

    bool are_over() const { return ended_ == count_; }
    int entries() const { return entries_; }
    int collisions() const { return collisions_; }
    std::vector<std::string> const& errors() const { return errors_; }

private:
    awaitable<void> work(int i)
    {
        auto const which = static_cast<std::size_t>(i % locks);
        auto& c = *clients_[static_cast<std::size_t>(i / locks % 2)];
        mutex const m(c, "counted" + std::to_string(which), {.fencing = i % 3 == 0});
        try {
            for (int n = 0; n < 2; ++n)
                co_await once(m, which);
        } catch (std::exception const& e) {
            errors_.emplace_back(e.what());
        }
        ++ended_;
    }

    awaitable<void> once(mutex const& m, std::size_t which)
    {
        auto held = co_await m.acquire();
        if (std::exchange(inside_[which], true))
            ++collisions_;
        ++entries_;
        co_await sleep_for(1ms);
        inside_[which] = false;
        error_code ec;
        co_await held.release(redirect(ec));
        if (ec && ec != errc::unavailable)  // the client repeats that release
            errors_.push_back("release: " + ec.message());
    }

    live& live_;
    std::array<client*, 2> clients_;
    std::array<bool, locks> inside_{};
    int count_ = 0;
    int ended_ = 0;
    int entries_ = 0;
    int collisions_ = 0;
    std::vector<std::string> errors_;
};

TEST_CASE("a client without rights to channels polls, and mutual exclusion still holds", "[loss][access]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "deaf", "on", ">word", "+@all", "~*", "resetchannels"});
    auto options = with_lease("unix://deaf:word@" + server.socket_path(), 20s);
    options.poll_interval = 50ms;
    live l;
    auto& deaf = l.client(options);
    auto& subscribed = l.client(options);
    workers all(l, deaf, subscribed);
    all.start(200);
    CHECK(l.until([&] { return all.are_over(); }, 4 * time_limit));
    CHECK(all.errors() == std::vector<std::string>{});
    CHECK(all.collisions() == 0);
    CHECK(all.entries() == 400);
    CHECK(l.lines_with("does not permit SUBSCRIBE") == 2);  // one for each client
    CHECK(deaf.stats().abandoned + subscribed.stats().abandoned == 0);
    CHECK(l.until([&] { return server.command({"KEYS", "counted*"}).items.empty(); }));
}

TEST_CASE("no acquire fails while a script blocks the server, and mutual exclusion holds", "[loss][access]")
{
    redis_server server{"lua-time-limit 100"};
    live l;
    auto& a = l.client(with_lease(server.url(), 30s));
    auto& b = l.client(with_lease(server.url(), 30s));
    workers all(l, a, b);
    all.start(200);
    REQUIRE(l.until([&] { return all.entries() >= 20; }));
    auto const script = R"(
        local function ms() local t = redis.call('time') return t[1] * 1000 + t[2] / 1000 end
        local stop = ms() + 1500
        while ms() < stop do end)";
    int blocks = 0;
    for (; blocks < 2 && !all.are_over(); ++blocks) {
        std::thread busy([&] { resp_client(server.socket_path()).command({"EVAL", script, "0"}); });
        auto const until = clock::now() + 2s;
        l.until([&] { return clock::now() > until; });
        busy.join();
    }
    CHECK(blocks >= 1);
    CHECK(l.until([&] { return all.are_over(); }, 4 * time_limit));
    CHECK(all.errors() == std::vector<std::string>{});
    CHECK(all.collisions() == 0);
    CHECK(all.entries() == 400);
    CHECK(l.until([&] { return server.command({"KEYS", "counted*"}).items.empty(); }));
}

TEST_CASE("a wrong password is reported at once with the server's text, and leads to few connections", "[loss][access]")
{
    redis_server server{"requirepass secret"};
    server.command({"AUTH", "secret"});
    auto const connections = [&] { return std::stol(server.info("total_connections_received")); };
    auto const before = connections();
    live l;
    auto& c = l.client("unix://:hunter2@" + server.socket_path());
    l.run([&]() -> awaitable<void> {
        error_code ec;
        co_await c.ready(redirect(ec));
        CHECK(ec == errc::not_permitted);
        CHECK(c.last_failure().code == errc::not_permitted);
        CHECK(c.last_failure().message.find("WRONGPASS") != std::string::npos);
        for (int i = 0; i < 20; ++i) {
            auto const got = co_await mutex(c, "m").acquire(redirect(ec));
            CHECK(got.empty());
            CHECK(ec == errc::not_permitted);
            auto const other = co_await mutex(c, "m").try_acquire({.wait = 1s}, redirect(ec));
            CHECK(other.empty());
            CHECK(ec == errc::not_permitted);
        }
        co_await sleep_for(1500ms);
    });
    CHECK(connections() - before <= 4);
    CHECK(l.lines_with("hunter2") == 0);
    CHECK(c.last_failure().message.find("hunter2") == std::string::npos);
}

TEST_CASE("operations on a lock without rights to its key complete as not_permitted", "[loss][access]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "guest", "on", ">word", "+@all", "~own:*", "&*"});
    live l;
    auto& c = l.client("unix://guest:word@" + server.socket_path());
    l.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        std::vector<any_lock> const locks{
            mutex(c, "m"),
            mutex(c, "f", {.fencing = true}),
            reentrant_lock(c, "r", me),
            reentrant_lock(c, "rf", me, {.fencing = true})};
        for (auto const& lock : locks) {
            CAPTURE(lock.name());
            error_code ec;
            auto const got = co_await lock.acquire(redirect(ec));
            CHECK(got.empty());
            CHECK(ec == errc::not_permitted);
            auto const words = c.last_failure().message;
            CAPTURE(words);
            CHECK((words.find("NOPERM") != words.npos || words.find("can't") != words.npos));
            co_await lock.force_release(redirect(ec));
            CHECK(ec == errc::not_permitted);
            co_await lock.is_locked(redirect(ec));
            CHECK(ec == errc::not_permitted);
        }
        auto held = co_await mutex(c, "own:m").acquire();
        CHECK(held.valid());
        co_await held.release();
    });
    CHECK(c.stats().waiting == 0);
    CHECK(server.command({"DBSIZE"}).integer == 0);
}

TEST_CASE("a waiter is granted the lock once its server starts, and bounded waits end as unavailable", "[loss]")
{
    redis_server server;
    server.kill();
    live l;
    auto& c = l.client(with_lease(server.tcp_url(), 10s));
    mutex m(c, "m");
    bool got = false;
    l.spawn([&]() -> awaitable<void> {
        auto held = co_await m.acquire();
        got = held.valid();
        co_await held.release();
    });
    l.run([&]() -> awaitable<void> {
        error_code ec;
        auto const none = co_await m.try_acquire({.wait = 300ms}, redirect(ec));
        CHECK(none.empty());
        CHECK(ec == errc::unavailable);
        auto const nor = co_await m.try_acquire(redirect(ec));
        CHECK(nor.empty());
        CHECK(ec == errc::unavailable);
        auto body = [](lease&) -> awaitable<void> { co_return; };
        auto const failed = co_await failure_of(with_lock(m, {.wait = 200ms}, body));
        CHECK(failed == errc::unavailable);
        CHECK(c.last_failure().message.find("refused") != std::string::npos);
    });
    CHECK_FALSE(got);
    server.restart();
    CHECK(l.until([&] { return got; }));
    CHECK(l.until([&] { return server.command({"DBSIZE"}).integer == 0; }));
}

// Each member's end is converted with a new reading of the clock, so two readings may differ.
TEST_CASE("valid_until() of a valid composite lease is never in the past", "[loss][multi_lock]")
{
    live l;
    auto& c = l.client("memory://");
    l.run([&]() -> asio::awaitable<void> {
        multi_lock const lock(mutex(c, "a"), mutex(c, "b"));
        auto const both = co_await lock.acquire(use_awaitable);
        auto const now = std::chrono::steady_clock::now();
        long wrong = 0;
        for (int i = 0; i < 100'000; ++i)
            wrong += both.valid_until() <= now;
        CHECK(both.valid());
        CHECK(wrong == 0);
    }());
}

// Both waits would last for the five minutes of their limits.
TEST_CASE("loss: an acquire that requires a connection gives up when the server dies", "[redis]")
{
    server_and_client sut(10s);
    sut.loop.run([&]() -> awaitable<void> {
        auto const held = co_await mutex(sut.own, "v").acquire();
        std::vector<error_code> ends;
        auto const give_up = [&](error_code ec, lease) { ends.push_back(ec); };
        try_options const patient{.wait = 5min, .require_connection = true};
        mutex(sut.loop.client(sut.server.url()), "v").try_acquire(patient, give_up);
        co_await sleep_for(50ms);
        CHECK(ends.empty());
        sut.server.kill();
        bool const has_lost = co_await comes_true([&] { return !ends.empty(); });
        REQUIRE(has_lost);
        mutex(sut.own, "other").try_acquire(patient, give_up);
        bool const has_none = co_await comes_true([&] { return ends.size() == 2; });
        REQUIRE(has_none);
        for (auto const& ec : ends)
            CHECK(ec == errc::unavailable);
    });
}

}  // namespace
}  // namespace holdfast::test
