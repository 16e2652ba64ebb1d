//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The reentrant lock's scripts, step by step, beside data that another library left there; on a real server and on the
// model at once.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "scripts_generated.hpp"

namespace holdfast::test {
namespace {

using simulated::value;

// Holders, in the format that both libraries write.
constexpr auto our_holder = "6f1c1d0e-0000-8000-8000-000000000001:1";
constexpr auto theirs = "6f1c1d0e-0000-4000-8000-000000000002:77";

class reentrant_scripts {
public:
    reentrant_scripts()
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        both_.emplace();
    }

    value acquire(std::string const& holder, std::string const& lease)
    {
        return run("reentrant_acquire", {"lock"}, {holder, lease});
    }
    value acquire_fenced(std::string const& holder, std::string const& lease)
    {
        return run("reentrant_acquire_fenced", {"lock", "counter"}, {holder, lease});
    }
    value release(std::string const& holder) { return run("reentrant_release", {"lock"}, {holder, "channel"}); }
    value release_later(std::string const& script, std::string const& holder)
    {
        return run(script, {"lock"}, {holder, "channel", "50000"});
    }
    value release_fair_later(std::string const& holder)
    {
        return run("fair_release_later", {"lock", "queue"}, {holder, "channel", "50000"});
    }
    value renew(std::vector<std::string> const& locks, std::vector<std::string> const& holders_and_leases)
    {
        return run("reentrant_renew", locks, holders_and_leases);
    }
    value command(std::initializer_list<std::string> words) { return both_->command(words); }

    std::int64_t ttl(std::string const& key) { return command({"PTTL", key}).integer; }
    std::string count_of(std::string const& holder) { return command({"HGET", "lock", holder}).text; }

private:
    value run(std::string_view script, std::vector<std::string> const& keys, std::vector<std::string> const& arguments)
    {
        auto const* const found = std::ranges::find(engine::scripts::all, script, &engine::script::name);
        std::vector<std::string> words{"EVAL", std::string(found->text), std::to_string(keys.size())};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return both_->command(words);
    }

    std::optional<comparison> both_;
};

TEST_CASE("an acquire that is sent twice counts once, so that one release frees the lock", "[conformance]")
{
    reentrant_scripts b;
    CHECK(b.acquire(our_holder, "30000").is_nil());
    CHECK(b.acquire(our_holder, "30000").integer > 20'000);
    CHECK(b.count_of(our_holder) == "1");
    CHECK(b.release(our_holder).integer == 1);
    CHECK(b.command({"EXISTS", "lock"}).integer == 0);
    CHECK(b.release(our_holder).integer == 0);
}

TEST_CASE("neither a repeated command nor a command of another holder shortens the time to live", "[conformance]")
{
    reentrant_scripts b;
    b.acquire(our_holder, "600000");
    SECTION("a second acquire")
    {
        b.acquire(our_holder, "1000");
    }
    SECTION("a renewal")
    {
        CHECK(b.renew({"lock"}, {our_holder, "30000"}).items.at(0).integer == 1);
    }
    SECTION("an acquire of another holder")
    {
        CHECK(b.acquire(theirs, "1000").integer > 590'000);
    }
    SECTION("a renewal of another holder")
    {
        CHECK(b.renew({"lock"}, {theirs, "1000"}).items.at(0).integer == 0);
    }
    SECTION("a release of another holder")
    {
        CHECK(b.release(theirs).integer == 0);
    }
    CHECK(b.ttl("lock") > 590'000);
    CHECK(b.command({"HLEN", "lock"}).integer == 1);
}

TEST_CASE("a release at a later time keeps the lock until then, and only that of the holder", "[conformance]")
{
    reentrant_scripts b;
    SECTION("of a mutex")
    {
        b.command({"SET", "lock", our_holder, "PX", "600000"});
        CHECK(b.release_later("mutex_release_later", theirs).integer == 0);
        CHECK(b.ttl("lock") > 590'000);
        CHECK(b.release_later("mutex_release_later", our_holder).integer == 1);
        CHECK(b.command({"GET", "lock"}).text == our_holder);
    }
    SECTION("of a reentrant lock")
    {
        b.acquire(our_holder, "600000");
        CHECK(b.release_later("reentrant_release_later", theirs).integer == 0);
        CHECK(b.ttl("lock") > 590'000);
        CHECK(b.release_later("reentrant_release_later", our_holder).integer == 1);
        CHECK(b.count_of(our_holder) == "1");
    }
    SECTION("of a fair lock, whose queue stays as it is")
    {
        b.acquire(our_holder, "600000");
        b.command({"RPUSH", "queue", theirs});
        CHECK(b.release_fair_later(theirs).integer == 0);
        CHECK(b.ttl("lock") > 590'000);
        CHECK(b.release_fair_later(our_holder).integer == 1);
        CHECK(b.count_of(our_holder) == "1");
        CHECK(b.command({"LLEN", "queue"}).integer == 1);
    }
    CHECK(b.ttl("lock") <= 50'000);
    CHECK(b.ttl("lock") > 40'000);
}

TEST_CASE("a release at a later time does not touch a key of another type", "[conformance]")
{
    reentrant_scripts b;
    b.command({"RPUSH", "lock", "x"});
    CHECK(b.release_later("mutex_release_later", our_holder).is_error());
    CHECK(b.release_later("reentrant_release_later", our_holder).is_error());
    CHECK(b.release_fair_later(our_holder).is_error());
    CHECK(b.command({"DEL", "lock"}).integer == 1);
    CHECK(b.release_later("mutex_release_later", our_holder).integer == 0);
    CHECK(b.release_later("reentrant_release_later", our_holder).integer == 0);
    CHECK(b.release_fair_later(our_holder).integer == 0);
}

TEST_CASE("a lock with two holds of another library is busy until both are released", "[conformance]")
{
    reentrant_scripts b;
    b.command({"HSET", "lock", theirs, "2"});
    b.command({"PEXPIRE", "lock", "30000"});
    CHECK(b.acquire(our_holder, "30000").integer > 20'000);
    b.command({"HINCRBY", "lock", theirs, "-1"});
    CHECK(b.acquire(our_holder, "30000").integer > 20'000);
    CHECK(b.count_of(theirs) == "1");
    b.command({"DEL", "lock"});
    CHECK(b.acquire(our_holder, "30000").is_nil());
}

TEST_CASE("a renewal creates no key, and a key that cannot be renewed does not stop the others", "[conformance]")
{
    reentrant_scripts b;
    b.command({"HSET", "first", our_holder, "1"});
    b.command({"PEXPIRE", "first", "1000"});
    b.command({"RPUSH", "second", "of another type"});
    b.command({"HSET", "fourth", our_holder, "1"});
    b.command({"PEXPIRE", "fourth", "1000"});
    auto const kept = b.renew(
        {"first", "second", "third", "fourth"},
        {our_holder, "30000", our_holder, "30000", our_holder, "30000", our_holder, "30000"});
    REQUIRE(kept.items.size() == 4);
    CHECK(kept.items[0].integer == 1);
    CHECK(kept.items[1].integer == 0);
    CHECK(kept.items[2].integer == 0);
    CHECK(kept.items[3].integer == 1);
    CHECK(b.ttl("first") > 20'000);
    CHECK(b.ttl("fourth") > 20'000);
    CHECK(b.command({"EXISTS", "third"}).integer == 0);
}

TEST_CASE("an acquire raises a fencing counter to the clock and removes the counter's time to live", "[conformance]")
{
    reentrant_scripts b;
    SECTION("the counter is small, as that of another library")
    {
        b.command({"SET", "counter", "5"});
    }
    SECTION("the counter has a time to live")
    {
        b.command({"SET", "counter", "5", "PX", "60000"});
    }
    SECTION("the counter does not exist") {}
    auto const first = b.acquire_fenced(our_holder, "30000").integer;
    CHECK(first > 1'000'000'000'000'000);
    CHECK(b.ttl("counter") == -1);
    b.release(our_holder);
    CHECK(b.command({"INCR", "counter"}).integer > first);
}

TEST_CASE("a fencing counter ahead of the clock is incremented by one", "[conformance]")
{
    reentrant_scripts b;
    b.command({"SET", "counter", "9000000000000000"});
    CHECK(b.acquire_fenced(our_holder, "30000").integer == 9'000'000'000'000'001);
    CHECK(b.acquire_fenced(theirs, "30000").integer < -20'000);
    CHECK(b.command({"GET", "counter"}).text == "9000000000000001");
    b.release(our_holder);
    CHECK(b.acquire_fenced(theirs, "30000").integer == 9'000'000'000'000'002);
}

}  // namespace
}  // namespace holdfast::test
