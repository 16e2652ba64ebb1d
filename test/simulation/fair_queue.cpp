//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A queue shared with Redisson's clients: our own equivalents of Redisson's scripts, mixed with Holdfast's scripts.

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// KEYS lock, queue, timeouts; ARGV lease, holder, wait, now. nil: granted; else ms until the next attempt.
constexpr auto redisson_acquire = R"lua(
while true do
    local head = redis.call('lindex', KEYS[2], 0)
    if not head or tonumber(redis.call('zscore', KEYS[3], head)) > tonumber(ARGV[4]) then break end
    redis.call('zrem', KEYS[3], head)
    redis.call('lpop', KEYS[2])
end
local head = redis.call('lindex', KEYS[2], 0)
if redis.call('exists', KEYS[1]) == 0 and (not head or head == ARGV[2]) then
    redis.call('lpop', KEYS[2])
    redis.call('zrem', KEYS[3], ARGV[2])
    for _, holder in ipairs(redis.call('zrange', KEYS[3], 0, -1)) do
        redis.call('zincrby', KEYS[3], -tonumber(ARGV[3]), holder)
    end
    redis.call('hset', KEYS[1], ARGV[2], 1)
    redis.call('pexpire', KEYS[1], ARGV[1])
    return nil
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then return nil end
local left = redis.call('pttl', KEYS[1])
if redis.call('zscore', KEYS[3], ARGV[2]) then return math.max(0, left) end
local last = redis.call('lindex', KEYS[2], -1)
if last then left = tonumber(redis.call('zscore', KEYS[3], last)) - tonumber(ARGV[4]) end
redis.call('zadd', KEYS[3], left + ARGV[3] + ARGV[4], ARGV[2])
redis.call('rpush', KEYS[2], ARGV[2])
return left
)lua";

// KEYS lock, queue, timeouts; ARGV holder, now, channel. 1: released.
constexpr auto redisson_release = R"lua(
while true do
    local head = redis.call('lindex', KEYS[2], 0)
    if not head or tonumber(redis.call('zscore', KEYS[3], head)) > tonumber(ARGV[2]) then break end
    redis.call('zrem', KEYS[3], head)
    redis.call('lpop', KEYS[2])
end
if redis.call('hdel', KEYS[1], ARGV[1]) == 0 then return nil end
local head = redis.call('lindex', KEYS[2], 0)
if head then redis.call('publish', ARGV[3] .. ':' .. head, '0') end
return 1
)lua";

// The test sends the commands of both libraries to the server directly.
class mixed_queue {
public:
    simulated::value theirs(std::string const& id)
    {
        return run(redisson_acquire, 3, {"30000", foreign(id), "300000", now()});
    }
    simulated::value their_release(std::string const& id)
    {
        return run(redisson_release, 3, {foreign(id), now(), channel});
    }
    simulated::value ours(std::string const& id)
    {
        return run(engine::scripts::fair_acquire.text, 5, {own(id), "30000", "15000", channel, "5"});
    }
    simulated::value our_release(std::string const& id)
    {
        return run(engine::scripts::fair_leave.text, 5, {own(id), channel, "15000"});
    }
    simulated::value refresh(std::string const& id) { return refresh_all({own(id)}); }
    simulated::value refresh_all(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), {"15000", channel});
        return run(engine::scripts::fair_refresh.text, 5, arguments);
    }
    // As the holder's watchdog does.
    void keep_held() { server.execute({"PEXPIRE", keys[0], "30000"}); }

    // Lets time pass, with a refresh of Holdfast's waiters every five seconds.
    void wait(core::duration d, std::initializer_list<std::string> refreshed)
    {
        for (; d > 0s; d -= 5s) {
            a.world().run_for(std::min<core::duration>(d, 5s));
            keep_held();
            for (auto const& id : refreshed)
                refresh(id);
        }
    }

    // The queue in order, without the UUIDs.
    std::string line()
    {
        std::string all;
        for (auto const& holder : server.execute({"LRANGE", keys[1], "0", "-1"}).items)
            all += holder.text.substr(37) + " ";
        return all;
    }
    std::int64_t ttl(std::size_t key) { return server.execute({"PTTL", keys[key]}).integer; }

    static constexpr auto channel = "redisson_lock__channel:{f}";
    static constexpr std::array keys{
        "f",
        "redisson_lock_queue:{f}",
        "redisson_lock_timeout:{f}",
        "holdfast_lock_waiters:{f}",
        "holdfast_lock_priority:{f}"};

    static std::string foreign(std::string const& id) { return "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:" + id; }
    static std::string own(std::string const& id) { return "6f1c3a54-9d1b-8c3e-a1f2-0123456789ab:" + id; }

    arena a;
    simulated_server& server = a.server();

private:
    std::string now() { return std::to_string(1'800'000'000'000 + a.now().time_since_epoch() / 1ms); }

    simulated::value run(std::string_view text, std::size_t count, std::vector<std::string> const& arguments)
    {
        auto const number = std::to_string(count);
        std::vector<std::string_view> words{"EVAL", text, number};
        words.insert(words.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
        words.insert(words.end(), arguments.begin(), arguments.end());
        return server.execute(words);
    }
};

TEST_CASE("a grant to a Redisson waiter ahead of Holdfast's removes no other waiter from the queue", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.theirs("R0").is_nil());
    q.theirs("R1");
    q.ours("a");
    q.theirs("R2");
    q.ours("b");
    q.wait(60s, {"a", "b"});
    q.their_release("R0");
    CHECK(q.theirs("R1").is_nil());
    CHECK(q.line() == "a R2 b ");
    // Another Redisson client makes an attempt, which removes waiters whose score has passed.
    q.theirs("R3");
    CHECK(q.line() == "a R2 b R3 ");
    q.their_release("R1");
    CHECK(q.ours("a").is_nil());
    q.our_release("a");
    CHECK(q.theirs("R2").is_nil());
    CHECK(q.line() == "b R3 ");
    q.their_release("R2");
    CHECK(q.ours("b").is_nil());
    q.our_release("b");
    CHECK(q.theirs("R3").is_nil());
}

TEST_CASE("a Redisson waiter keeps its place during a long wait behind a Holdfast waiter", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.ours("a");
    q.theirs("R1");
    q.theirs("R2");
    q.wait(20min, {"a"});
    q.our_release("h");
    CHECK(q.ours("a").is_nil());
    CHECK(q.theirs("R2").integer > 0);
    CHECK(q.line() == "R1 R2 ");
    q.our_release("a");
    CHECK(q.theirs("R1").is_nil());
    CHECK(q.line() == "R2 ");
    q.their_release("R1");
    CHECK(q.theirs("R2").is_nil());
}

TEST_CASE("Redisson waiters do not expire with the last Holdfast waiter and are served in order", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.ours("a");
    CHECK(q.ttl(1) > 86'000'000);
    CHECK(q.ttl(2) > 86'000'000);
    CHECK(q.ttl(3) > 86'000'000);
    q.theirs("R1");
    q.theirs("R2");
    q.refresh("a");
    CHECK(q.ttl(1) == -1);
    CHECK(q.ttl(2) == -1);
    CHECK(q.our_release("a").integer == 2);
    q.wait(100s, {});
    CHECK(q.line() == "R1 R2 ");
    q.our_release("h");
    CHECK(q.theirs("R1").is_nil());
    q.their_release("R1");
    CHECK(q.theirs("R2").is_nil());
}

TEST_CASE("a release deletes Holdfast's own queue keys when only Redisson waiters remain", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.theirs("R1");
    CHECK(q.our_release("h").integer == 1);
    CHECK(q.theirs("R1").is_nil());
    CHECK(q.server.execute({"EXISTS", q.keys[3], q.keys[4]}).integer == 0);
}

TEST_CASE("one refresh script covers thousands of waiters", "[fair_lock]")
{
    constexpr int crowd = 2'500;
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.theirs("R1");
    std::vector<std::string> all;
    for (int i = 0; i < crowd; ++i) {
        all.push_back(q.own(std::to_string(i)));
        q.server.execute({"RPUSH", q.keys[1], all.back()});
    }
    CHECK(q.refresh_all(all).items.size() == 1);
    auto const entries = [&](std::size_t key) { return q.server.execute({"ZCARD", q.keys[key]}).integer; };
    CHECK(entries(2) == crowd + 1);  // one of Redisson's, too
    CHECK(entries(3) == crowd + 1);  // and the time of the last check of all waiters
    auto const last = q.server.execute({"ZSCORE", q.keys[2], all.back()}).text;
    CHECK(std::stoll(last) > 1'800'000'300'000);  // behind one of Redisson's waiters
}

TEST_CASE("a release passes over a first waiter whose refreshes stopped for the waiter timeout", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.ours("dead");
    q.ours("b");
    q.wait(10s, {"b"});
    q.a.world().run_for(4900ms);
    q.refresh("b");
    CHECK(q.line() == "dead b ");
    q.a.world().run_for(200ms);
    CHECK(q.our_release("h").integer == 1);
    CHECK(q.line() == "b ");
}

TEST_CASE("a waiter whose queue entry was deleted joins the queue again at the end", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.ours("a");
    q.ours("b");
    q.server.execute({"LREM", q.keys[1], "1", q.own("a")});
    q.ours("a");
    q.ours("b");
    CHECK(q.line() == "b a ");
}

// The client of the new waiter may crash before its first refresh.
TEST_CASE("the timeouts of a queue have a time to live after they were deleted alone", "[fair_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        fair_lock f(c, "f");
        auto held = co_await f.acquire();
        lease first, second;
        a.spawn([&]() -> awaitable<void> { first = co_await f.acquire(); });
        co_await a.sleep(100ms);
        CHECK(a.server().execute({"DEL", "redisson_lock_timeout:{f}"}).integer == 1);
        a.spawn([&]() -> awaitable<void> { second = co_await f.acquire(); });
        while (!a.exists("redisson_lock_timeout:{f}"))
            co_await a.sleep(10us);
        CHECK(a.server().execute({"ZCARD", "redisson_lock_timeout:{f}"}).integer == 1);
        CHECK(a.server().execute({"PTTL", "redisson_lock_timeout:{f}"}).integer > 0);
        for (auto* const l : {&held, &first, &second}) {
            co_await l->release();
            co_await a.sleep(100ms);
        }
        CHECK_FALSE(a.exists("redisson_lock_timeout:{f}"));
    });
}

// The client may crash after the refresh that makes them again.
TEST_CASE("the timeouts that a refresh makes again have a time to live", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.ours("a");
    auto const life = [&] { return q.server.execute({"PTTL", q.keys[2]}).integer; };
    CHECK(life() > 0);
    CHECK(q.server.execute({"DEL", q.keys[2]}).integer == 1);
    q.refresh("a");
    CHECK(q.server.execute({"ZCARD", q.keys[2]}).integer == 1);
    CHECK(life() > 0);
}

TEST_CASE("a stall of six seconds removes no waiter from a queue shared with Redisson", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.theirs("R0").is_nil());
    q.ours("a");
    q.theirs("R1");
    q.ours("b");
    q.wait(30s, {"a", "b"});
    q.a.world().run_for(6s);
    q.theirs("R2");
    CHECK(q.line() == "a R1 b R2 ");
}

TEST_CASE("a Redisson waiter is notified of a free lock at most once a second", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.theirs("R1");
    q.ours("a");
    q.server.execute({"DEL", "f"});
    unsigned messages = 0;
    q.server.check([&](executed const& e) {
        messages += e.what.in_script && !e.what.args.empty() && e.what.args[0] == "publish";
    });
    for (int i = 0; i < 30; ++i) {
        q.ours("a");
        q.refresh("a");
        q.a.world().run_for(100ms);
    }
    CHECK(messages >= 3);
    CHECK(messages <= 4);
    CHECK(q.line() == "R1 a ");
}

TEST_CASE("a dead Redisson waiter is removed when its time-out has passed and the lock is free", "[fair_lock]")
{
    mixed_queue q;
    CHECK(q.ours("h").is_nil());
    q.theirs("R1");
    q.ours("a");
    q.wait(400s, {"a"});
    CHECK(q.line() == "R1 a ");  // the lock is held, so the dead waiter delays no other
    q.our_release("h");
    CHECK(q.line() == "a ");
    CHECK(q.ours("a").is_nil());
}

}  // namespace
}  // namespace holdfast::test
