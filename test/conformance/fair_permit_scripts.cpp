//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of fair semaphores: each answer and each error; and in random order, beside permits of another library,
// dead waiters and lost keys; on a real server and on the model at once.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "conformance/script_words.hpp"
#include "scripts_generated.hpp"
#include "support/chance.hpp"

namespace holdfast::test {
namespace {

using simulated::value;
namespace scripts = engine::scripts;

constexpr std::array fair_permit_keys{
    "permits", "{permits}:timeout", "holdfast_permit_queue:{permits}", "holdfast_permit_waiters:{permits}"};
constexpr auto timeout = "300000";

class fair_scripts {
public:
    fair_scripts()
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        both_.emplace();
    }

    comparison& both() noexcept { return *both_; }

    value run(engine::script const& script, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> words{"EVAL", std::string(script.text), "4"};
        words.insert(words.end(), fair_permit_keys.begin(), fair_permit_keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return both_->command(words);
    }

    std::string said(engine::script const& script, std::vector<std::string> const& arguments)
    {
        return to_string(run(script, arguments));
    }

    value ask(std::uint64_t n, std::string const& weight, bool will_wait = true, std::string const& permits = "3")
    {
        return run(
            scripts::permits_fair_acquire,
            {permit_lease, permits, life, "channel", ours(n), weight, timeout, will_wait ? "1" : "0"});
    }

    bool is_granted(std::uint64_t n, std::string const& weight) { return ask(n, weight).is_nil(); }

    std::string leave(std::uint64_t n, std::string const& weight)
    {
        return said(scripts::permits_fair_leave, {ours(n), weight, "channel", timeout});
    }

    value refresh(std::vector<std::uint64_t> const& waiters)
    {
        std::vector<std::string> arguments{timeout, "channel"};
        for (auto const n : waiters)
            arguments.push_back(ours(n));
        return run(scripts::permits_fair_refresh, arguments);
    }

    std::string free() { return to_string(both_->command({"GET", fair_permit_keys[0]})); }

    void compare_values()
    {
        for (auto const* const key : fair_permit_keys) {
            both_->command({"TYPE", key});
            both_->command({"PTTL", key});
        }
        both_->command({"ZRANGE", fair_permit_keys[2], "0", "-1", "WITHSCORES"});
        // Sorted by name: scores depend on the instant, which differs by a millisecond between the two servers.
        for (auto const* const key : {fair_permit_keys[1], fair_permit_keys[3]})
            both_->command(
                {"EVAL", "local all = redis.call('zrange', KEYS[1], 0, -1) table.sort(all) return all", "1", key});
    }

private:
    std::optional<comparison> both_;
};

TEST_CASE(
    "permits of a fair semaphore are granted in order of arrival, whatever the weight", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(s.is_granted(1, "2"));
    CHECK(s.ask(2, "2").items.at(1).integer > 0);
    CHECK(s.ask(3, "1").items.at(2).integer == 3);  // one is free, but the first waits for two
    CHECK(s.ask(4, "1", false).items.size() == 3);
    CHECK(s.leave(1, "2") == "1");
    CHECK_FALSE(s.is_granted(3, "1"));
    CHECK(s.is_granted(2, "2"));
    CHECK(s.is_granted(3, "1"));
    CHECK(s.free() == "\"0\"");
    CHECK(s.both().command({"EXISTS", fair_permit_keys[2], fair_permit_keys[3]}).integer == 0);
    s.compare_values();
}

TEST_CASE("permits_fair_acquire finds the place and the grant of a repetition", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(s.is_granted(1, "2"));
    CHECK(s.is_granted(1, "2"));
    CHECK(s.free() == "\"1\"");
    CHECK_FALSE(s.is_granted(2, "3"));
    CHECK(s.is_granted(1, "2"));  // it has its grant, although others wait
    CHECK_FALSE(s.is_granted(2, "3"));
    CHECK(s.both().command({"ZCARD", fair_permit_keys[2]}).integer == 1);
    s.compare_values();
}

TEST_CASE("permits_fair_leave removes a place, and releases what the holder has", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(s.leave(1, "1") == "0");
    CHECK(s.is_granted(1, "3"));
    CHECK_FALSE(s.is_granted(2, "1"));
    CHECK_FALSE(s.is_granted(3, "1"));
    CHECK(s.leave(3, "1") == "2");
    CHECK(s.leave(2, "1") == "2");
    CHECK(s.both().command({"EXISTS", fair_permit_keys[2], fair_permit_keys[3]}).integer == 0);
    CHECK(s.leave(1, "3") == "1");
    CHECK(s.leave(1, "3") == "0");
    CHECK(s.free() == "\"3\"");
    s.compare_values();
}

TEST_CASE("permits_fair_refresh says which waiters should ask", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(to_string(s.refresh({1})) == "[-1, 1]");
    CHECK(s.is_granted(1, "3"));
    CHECK_FALSE(s.is_granted(2, "1"));
    CHECK_FALSE(s.is_granted(3, "1"));
    auto const busy = s.refresh({3, 2, 4});
    REQUIRE(busy.items.size() == 2);
    CHECK(busy.items[0].integer > 100'000);
    CHECK(busy.items[1].integer == 3);
    CHECK(s.leave(1, "3") == "1");
    auto const free = s.refresh({3, 2});
    REQUIRE(free.items.size() == 2);
    CHECK(free.items[1].integer == 2);
    s.both().command({"DEL", fair_permit_keys[0]});
    CHECK(to_string(s.refresh({3})) == "[-1, 1]");  // whoever may create it
    s.compare_values();
}

TEST_CASE("who asks for more permits than there are gets no place, or loses it", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(to_string(s.ask(1, "4")) == "[0, -2, 3]");
    CHECK(s.is_granted(2, "2"));
    CHECK_FALSE(s.is_granted(3, "3"));
    CHECK_FALSE(s.is_granted(4, "2"));
    CHECK(s.said(scripts::permits_set, {"2", life, "channel"}) == "[3, 2]");
    CHECK(to_string(s.ask(3, "3")) == "[0, -2, 2]");
    CHECK(s.leave(2, "2") == "1");
    CHECK(s.is_granted(4, "2"));
    s.compare_values();
}

TEST_CASE("waiters for a semaphore that nobody has created yet have places", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(to_string(s.ask(1, "1", false, "0")) == "[0, -1, -1]");
    CHECK(to_string(s.ask(1, "1", true, "0")) == "[0, -1, -1]");
    CHECK(to_string(s.ask(2, "1", true, "1").items.at(2)) == "1");
    CHECK_FALSE(s.is_granted(2, "1"));
    CHECK(s.is_granted(1, "1"));
    s.compare_values();
}

// A waiter that is dead is removed by the next that looks; the score stands for the time that passed.
TEST_CASE("a dead waiter is passed over", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(s.is_granted(1, "3"));
    CHECK_FALSE(s.is_granted(2, "1"));
    CHECK_FALSE(s.is_granted(3, "1"));
    s.both().command({"ZADD", fair_permit_keys[3], "XX", "1", ours(2)});
    CHECK(s.leave(1, "3") == "1");
    CHECK(s.is_granted(3, "1"));
    CHECK(s.both().command({"EXISTS", fair_permit_keys[2]}).integer == 0);
    s.compare_values();
}

TEST_CASE("a lost counter of a fair semaphore is created less the permits that are held", "[conformance][semaphore]")
{
    fair_scripts s;
    CHECK(s.is_granted(1, "1"));
    CHECK(s.is_granted(2, "1"));
    s.both().command({"DEL", fair_permit_keys[0]});
    CHECK(s.leave(1, "1") == "1");
    CHECK(s.is_granted(2, "1"));
    CHECK(s.free() == "nil");
    CHECK(s.is_granted(3, "1"));
    CHECK(s.free() == "\"1\"");
    s.compare_values();
}

TEST_CASE("keys of another type are WRONGTYPE for the scripts of a fair semaphore", "[conformance][semaphore]")
{
    for (auto const* const key : fair_permit_keys) {
        fair_scripts s;
        s.both().command({"SET", fair_permit_keys[0], "3", "PX", "100000"});
        if (key != fair_permit_keys[2])
            s.both().command({"ZADD", fair_permit_keys[2], "4097", ours(9)});
        s.both().command({"DEL", key});
        s.both().command({"HSET", key, "f", "1"});
        CHECK(has_wrong_type(to_string(s.ask(1, "4"))));
        CHECK(
            (key == fair_permit_keys[3]
             || has_wrong_type(to_string(s.run(scripts::permits_fair_leave, {ours(1), "1", "channel", timeout})))));
        CHECK((key == fair_permit_keys[0] || has_wrong_type(to_string(s.refresh({9})))));
        CHECK((key == fair_permit_keys[0] || s.free() == "\"3\""));
        s.compare_values();
    }
}

// The model has no limit of memory. A new contender is refused and leaves nothing; those that have a grant or a place
// lose neither.
TEST_CASE(
    "a server that is short of memory refuses new contenders of a fair semaphore only", "[conformance][semaphore]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server server;
    auto const run = [&](engine::script const& script, std::vector<std::string> const& arguments) {
        std::vector<std::string> words{"EVAL", std::string(script.text), "4"};
        words.insert(words.end(), fair_permit_keys.begin(), fair_permit_keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return to_string(server.command(words));
    };
    auto const ask = [&](std::uint64_t n, std::string const& weight) {
        return run(scripts::permits_fair_acquire, {permit_lease, "3", life, "channel", ours(n), weight, timeout, "1"});
    };
    auto const is_refused = [](std::string const& reply) { return reply.find("OOM") != reply.npos; };
    CHECK(ask(1, "2") == "nil");
    CHECK_FALSE(is_refused(ask(2, "3")));
    server.command({"CONFIG", "SET", "maxmemory", "1"});
    CHECK(is_refused(ask(3, "1")));
    CHECK(server.command({"ZCARD", fair_permit_keys[2]}).integer == 1);
    CHECK_FALSE(is_refused(ask(2, "3")));
    CHECK_FALSE(is_refused(run(scripts::permits_fair_refresh, {timeout, "channel", ours(2)})));
    CHECK(run(scripts::permits_fair_leave, {ours(1), "2", "channel", timeout}) == "1");
    CHECK(ask(2, "3") == "nil");
    CHECK(run(scripts::permits_fair_leave, {ours(2), "3", "channel", timeout}) == "1");
    CHECK(is_refused(ask(3, "1")));
    CHECK(server.command({"GET", fair_permit_keys[0]}).text == "3");
}

// Each call of go_on() draws the next event. The scripts pass over a waiter that gave no sign of life for a second. The
// two servers read their clocks at different instants, so the scenario decides who is silent: the signs of life of all
// others are moved to the future.
class fair_scenario {
public:
    explicit fair_scenario(std::uint64_t seed) : chance_(seed) {}

    void go_on()
    {
        draw();
        move_signs_of_life("225000", "900000");
    }

    void compare_values() { s_.compare_values(); }
    unsigned granted() const noexcept { return granted_; }

private:
    void draw()
    {
        switch (chance_.below(17)) {
            case 0:
                s_.both().command(
                    {"ZADD", fair_permit_keys[chance_.happens(0.5) ? 1 : 3], "XX", "1", ours(somebody())});
                return;
            case 1: s_.both().command({"DEL", fair_permit_keys[chance_.below(fair_permit_keys.size())]}); return;
            case 2: s_.both().command({"ZADD", fair_permit_keys[1], "9999999999999", "0123456789abcdef"}); return;
            case 3: s_.run(scripts::permits_set, {number(8), life, "channel"}); return;
            case 4: s_.run(scripts::permits_force_release, {"channel", ours(somebody())}); return;
            case 5: s_.run(scripts::permits_force_release, {"channel", ""}); return;
            case 6:
            case 7: s_.refresh({somebody(), somebody()}); return;
            case 8:
            case 9:
            case 10: s_.leave(somebody(), weight()); return;
            case 11: move_signs_of_life("0", "150000", ours(somebody())); return;
            default: granted_ += s_.ask(somebody(), weight(), chance_.happens(0.8), number(6)).is_nil();
        }
    }

    // Whoever counts as alive for more than `from` ms, all or one, counts as alive for `to` ms.
    void move_signs_of_life(std::string const& from, std::string const& to, std::string const& whose = "")
    {
        s_.both().command(
            {"EVAL",
             "local time = redis.call('time') local now = time[1] * 1000 + math.floor(time[2] / 1000) "
             "if redis.call('type', KEYS[1]).ok ~= 'zset' then return end "
             "for _, holder in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do "
             "if (ARGV[3] == '' or ARGV[3] == holder) "
             "and tonumber(redis.call('zscore', KEYS[1], holder)) > now + ARGV[1] then "
             "redis.call('zadd', KEYS[1], now + ARGV[2], holder) end end",
             "1",
             fair_permit_keys[3],
             from,
             to,
             whose});
    }

    std::string number(std::uint64_t most) { return std::to_string(chance_.below(most)); }
    std::string weight() { return std::to_string(1 + chance_.below(3)); }
    std::uint64_t somebody() { return chance_.below(8); }

    fair_scripts s_;
    chance chance_;
    unsigned granted_ = 0;
};

TEST_CASE(
    "the scripts of fair semaphores in random order have the same effect in the model and in Redis",
    "[conformance][semaphore]")
{
    fair_scenario s(1);
    for (int i = 0; i < 3'000; ++i) {
        s.go_on();
        s.compare_values();
    }
    CHECK(s.granted() > 100);
}

}  // namespace
}  // namespace holdfast::test
