//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of semaphores: each answer and each error; and in random order, beside permits of another library, dead
// holders and lost keys; on a real server and on the model at once.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
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

constexpr auto counter = "permits";
constexpr auto timeouts = "{permits}:timeout";
constexpr auto waiting = "holdfast_permit_waiting:{permits}";
constexpr auto numbers = "holdfast_permit_numbers:{permits}";

class semaphore_scripts {
public:
    semaphore_scripts()
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        both_.emplace();
    }

    comparison& both() noexcept { return *both_; }

    value run(engine::script const& script, std::vector<std::string> const& arguments)
    {
        // A batch of renewals has the keys of each grant.
        bool const renews = script.name == scripts::permits_renew.name;
        std::vector<std::string> keys{counter, timeouts};
        for (std::size_t i = 3; renews && i < arguments.size(); i += 3)
            keys.insert(keys.end(), {counter, timeouts});
        if (!renews && script.name != scripts::permits_holders.name && script.name != scripts::permits_count.name)
            keys.emplace_back(waiting);
        std::vector<std::string> words{"EVAL", std::string(script.text), std::to_string(keys.size())};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return both_->command(words);
    }

    // The same, as text.
    std::string said(engine::script const& script, std::vector<std::string> const& arguments)
    {
        return to_string(run(script, arguments));
    }

    // With the numbers, and if it acquires, with the fencing counter.
    value run_numbered(engine::script const& script, std::vector<std::string> const& arguments)
    {
        bool const acquires = script.name == scripts::permits_acquire_numbered.name;
        std::vector<std::string> words{"EVAL", std::string(script.text), acquires ? "5" : "3", counter, timeouts};
        if (acquires)
            words.emplace_back(waiting);
        words.emplace_back(numbers);
        if (acquires)
            words.emplace_back("fence");
        words.insert(words.end(), arguments.begin(), arguments.end());
        return both_->command(words);
    }

    // The number of the permit; 0: busy.
    std::int64_t acquire_numbered(std::string const& holder)
    {
        auto const reply = run_numbered(
            scripts::permits_acquire_numbered, {permit_lease, "3", life, "channel", holder, life, "0"});
        return reply.items.at(0).integer == 1 ? reply.items.at(2).integer : 0;
    }

    std::string acquire(std::vector<std::string> contenders, std::string const& permits = "3", bool waits = false)
    {
        std::vector<std::string> arguments{permit_lease, permits, life, "channel", waits ? "1" : "0"};
        arguments.insert(arguments.end(), contenders.begin(), contenders.end());
        return said(scripts::permits_acquire, arguments);
    }

    std::string free() { return to_string(both_->command({"GET", counter})); }

    void compare_values()
    {
        for (auto const* const key : {counter, timeouts, waiting}) {
            both_->command({"TYPE", key});
            both_->command({"PTTL", key});
        }
        // Sorted by name: scores depend on the instant, which differs by a millisecond between the two servers.
        for (auto const* const key : {timeouts, waiting})
            both_->command(
                {"EVAL", "local all = redis.call('zrange', KEYS[1], 0, -1) table.sort(all) return all", "1", key});
    }

private:
    std::optional<comparison> both_;
};

TEST_CASE("permits_acquire grants the longest prefix, and says how many permits there are", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire({ours(1), "1"}, "0") == "[0, -1, -1]");  // nobody creates it
    CHECK(s.acquire({ours(1), "1"}) == "nil");
    CHECK(s.free() == "\"2\"");
    CHECK(s.acquire({ours(2), "1", ours(3), "1"}) == "nil");

    CHECK(s.said(scripts::permits_release, {"channel", ours(2), "1"}) == "1");
    auto const part = s.run(
        scripts::permits_acquire, {permit_lease, "3", life, "channel", "0", ours(4), "1", ours(5), "2", ours(6), "1"});
    REQUIRE(part.items.size() == 3);
    CHECK(part.items[0].integer == 1);
    CHECK(part.items[1].integer > 0);
    CHECK(part.items[2].integer == 3);
    CHECK(s.acquire({ours(7), "4"}) == "[0, -2, 3]");  // more than there are
    s.compare_values();
}

TEST_CASE("permits_acquire keeps the permits of a holder that repeats it", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire({ours(1), "1"}) == "nil");
    CHECK(s.acquire({ours(1), "1"}) == "nil");
    CHECK(s.free() == "\"2\"");
    CHECK(s.acquire({ours(1), "2"}) == "nil");
    CHECK(s.free() == "\"1\"");
    s.compare_values();
}

TEST_CASE("permits_release counts only what the holder had", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.said(scripts::permits_release, {"channel", ours(1), "1"}) == "0");
    CHECK(s.acquire({ours(1), "2"}) == "nil");
    s.both().command({"ZREM", timeouts, ours(1) + "/2"});
    CHECK(s.said(scripts::permits_release, {"channel", ours(1), "2"}) == "1");
    CHECK(s.said(scripts::permits_release, {"channel", ours(1), "2"}) == "0");
    CHECK(s.free() == "\"2\"");
    s.compare_values();
}

TEST_CASE("a counter that was lost is created less the permits that are held", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire({ours(1), "1", ours(2), "1"}) == "nil");
    s.both().command({"DEL", counter});
    CHECK(s.said(scripts::permits_release, {"channel", ours(1), "1"}) == "1");
    CHECK(s.free() == "nil");
    CHECK(s.acquire({ours(3), "1"}) == "nil");
    CHECK(s.free() == "\"1\"");
    s.compare_values();
}

TEST_CASE("permits_renew answers for each grant, and never shortens a lease", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire({ours(1), "1", ours(2), "2"}) == "nil");
    s.both().command({"ZREM", timeouts, ours(2) + "/2"});
    CHECK(
        s.said(scripts::permits_renew, {ours(1), "1", "100000", ours(2), "2", permit_lease, ours(3), "1", permit_lease})
        == "[1, 0, 0]");
    auto const left = s.run(scripts::permits_holders, {"0"});
    REQUIRE(left.items.size() == 5);
    CHECK(left.items[1].integer > 150'000);
    CHECK(left.items[3].integer > 150'000);
    s.compare_values();
}

TEST_CASE(
    "permits_release_all answers for each grant, and changes nothing if one is refused", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire({ours(1), "1", ours(2), "2"}) == "nil");
    s.both().command({"SET", "other", "text", "PX", "100000"});
    CHECK(has_wrong_type(to_string(s.both().command(
        {"EVAL",
         std::string(scripts::permits_release_all.text),
         "6",
         counter,
         timeouts,
         waiting,
         "other",
         "{other}:timeout",
         "{other}:waiting",
         ours(1),
         "1",
         "channel",
         ours(2),
         "1",
         "channel"}))));
    CHECK(s.free() == "\"0\"");
    CHECK(
        s.said(scripts::permits_release_all, {ours(1), "1", "channel", ours(3), "1", "", ours(2), "2", ""})
        == "[1, 0, 1]");
    CHECK(s.free() == "\"3\"");
    CHECK(s.said(scripts::permits_release_all, {ours(1), "1", "channel"}) == "[0]");
    s.compare_values();
}

TEST_CASE("permits_acquire_numbered grants the smallest free number", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire_numbered(ours(1)) == 1);
    CHECK(s.acquire_numbered(ours(2)) == 2);
    CHECK(s.acquire_numbered(ours(3)) == 3);
    CHECK(s.acquire_numbered(ours(4)) == 0);
    CHECK(s.said(scripts::permits_release, {"channel", ours(2), "1"}) == "1");
    CHECK(s.acquire_numbered(ours(5)) == 2);
    CHECK(s.both().command({"HLEN", numbers}).integer == 3);
    // The time of the first has passed.
    s.both().command({"ZADD", timeouts, "XX", "1", ours(1)});
    CHECK(s.acquire_numbered(ours(6)) == 1);
    CHECK(s.free() == "\"0\"");
    CHECK(s.both().command({"HEXISTS", numbers, ours(1)}).integer == 0);
    s.both().command({"PEXPIRE", numbers, "1000"});
    CHECK(to_string(s.run_numbered(scripts::permits_renew_numbered, {ours(6), "1", permit_lease})) == "[1]");
    CHECK(s.both().command({"PTTL", numbers}).integer > 80'000'000);
}

TEST_CASE("permits_acquire_numbered says when there are no permits at all", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.said(scripts::permits_set, {"0", life, "channel"}).starts_with("["));
    auto const refused = s.run_numbered(
        scripts::permits_acquire_numbered, {permit_lease, "3", life, "channel", ours(1), life, "1"});
    CHECK(to_string(refused) == "[0, -2, 0]");
    s.compare_values();
}

TEST_CASE("permits_holders tells the number of each permit that has one", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire_numbered(ours(1)) == 1);
    CHECK(s.acquire_numbered(ours(2)) == 2);
    CHECK(s.acquire({ours(3), "1"}) == "nil");
    auto const all = s.run_numbered(scripts::permits_holders, {"0"});
    REQUIRE(all.items.size() == 7);
    auto const tells = [&](std::string const& member) {
        return std::ranges::any_of(all.items, [&](value const& item) { return item.text == member; });
    };
    CHECK(tells(ours(1) + "#1"));
    CHECK(tells(ours(2) + "#2"));
    CHECK(tells(ours(3)));
    s.both().command({"DEL", numbers});
    s.both().command({"SET", numbers, "x"});
    CHECK(has_wrong_type(to_string(s.run_numbered(scripts::permits_holders, {"0"}))));
}

TEST_CASE("numbers of another type are WRONGTYPE, and nothing is taken", "[conformance][semaphore]")
{
    semaphore_scripts s;
    s.both().command({"SET", numbers, "x"});
    auto const reply = s.run_numbered(
        scripts::permits_acquire_numbered, {permit_lease, "3", life, "channel", ours(1), life, "0"});
    CHECK(has_wrong_type(to_string(reply)));
    CHECK(s.both().command({"EXISTS", counter}).integer == 0);
    CHECK(s.both().command({"EXISTS", timeouts}).integer == 0);
}

TEST_CASE("permits_release_later keeps what the holder has for a time", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.said(scripts::permits_release_later, {"channel", ours(1), "2", "45000"}) == "0");
    CHECK(s.acquire({ours(1), "2", ours(2), "1"}) == "nil");
    CHECK(s.said(scripts::permits_release_later, {"channel", ours(1), "2", "45000"}) == "1");
    CHECK(s.free() == "\"0\"");
    auto const busy = s.acquire({ours(3), "2"});
    CHECK(busy.starts_with("[0, 4"));  // rather than the time of the lease
    CHECK(busy.ends_with(", 3]"));
    // A part of the grant was taken away: it does not return.
    CHECK(s.both().command({"ZREM", timeouts, ours(1) + "/2"}).integer == 1);
    CHECK(s.said(scripts::permits_release_later, {"channel", ours(1), "2", "1"}) == "1");
    CHECK(s.both().command({"ZCARD", timeouts}).integer == 2);
    s.compare_values();
}

TEST_CASE("permits_acquire tells a contender that asks for more than there are", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire({ours(1), "4"}) == "[0, -2, 3]");
    CHECK(s.acquire({ours(1), "1", ours(2), "4"}) == "[1, -2, 3]");
}

TEST_CASE("a semaphore without a time to live gets none, and a longer one stays", "[conformance][semaphore]")
{
    semaphore_scripts s;
    s.both().command({"SET", counter, "3"});
    CHECK(s.acquire({ours(1), "1"}) == "nil");
    CHECK(s.both().command({"PTTL", timeouts}).integer == -1);
    s.both().command({"PEXPIRE", counter, "900000000"});
    CHECK(s.said(scripts::permits_renew, {ours(1), "1", permit_lease}) == "[1]");
    CHECK(s.both().command({"PTTL", counter}).integer > 800'000'000);
    CHECK(s.both().command({"PTTL", timeouts}).integer > 800'000'000);
}

TEST_CASE("permits_set keeps what is held and repairs the counter", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.said(scripts::permits_set, {"2", life, "channel"}) == "[-1, 0]");
    CHECK(s.acquire({ours(1), "2"}) == "nil");
    CHECK(s.said(scripts::permits_set, {"1", life, "channel"}) == "[2, 2]");
    CHECK(s.free() == "\"-1\"");
    s.both().command({"SET", counter, "7"});
    CHECK(s.said(scripts::permits_set, {"4", life, "channel"}) == "[9, 2]");
    CHECK(s.free() == "\"2\"");
    s.compare_values();
}

TEST_CASE("permits_set adds to the number, from 0 to the greatest one", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.said(scripts::permits_set, {"2", life, "channel", "3", "8"}) == "[5, 0]");  // it did not exist
    CHECK(s.acquire({ours(1), "2"}) == "nil");
    CHECK(s.said(scripts::permits_set, {"1", life, "channel", "3", "8"}) == "[6, 2]");
    CHECK(s.free() == "\"4\"");
    CHECK(s.said(scripts::permits_set, {"-5", life, "channel", "3", "8"}) == "[1, 2]");
    CHECK(s.free() == "\"-1\"");
    CHECK(s.said(scripts::permits_set, {"-5", life, "channel", "3", "8"}) == "[0, 2]");
    CHECK(s.said(scripts::permits_set, {"99", life, "channel", "3", "8"}) == "[8, 2]");
    CHECK(s.free() == "\"6\"");
    s.compare_values();
}

TEST_CASE("permits_force_release takes the permits of all or of one holder", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.said(scripts::permits_force_release, {"channel", ""}) == "0");
    CHECK(s.acquire({ours(1), "2", ours(11), "1"}) == "nil");
    CHECK(s.said(scripts::permits_force_release, {"channel", ours(1)}) == "2");  // not those of 11
    CHECK(s.said(scripts::permits_force_release, {"channel", ""}) == "1");
    CHECK(s.free() == "\"3\"");
    CHECK(s.acquire({ours(1) + ":label", "2"}) == "nil");
    CHECK(s.said(scripts::permits_force_release, {"channel", ours(1)}) == "2");
    CHECK(s.said(scripts::permits_holders, {"0"}) == "[\"0\"]");
    CHECK(s.said(scripts::permits_count, {}) == "[3, 0]");
    s.both().command({"DEL", counter});
    CHECK(s.said(scripts::permits_count, {}) == "[0, 0]");
}

TEST_CASE("permits_force_release takes nothing away for a part of an id", "[conformance][semaphore]")
{
    semaphore_scripts s;
    auto const labelled = ours(12) + ":label";
    CHECK(s.acquire({ours(1), "2", labelled, "1"}) == "nil");
    auto const client = ours(1).substr(0, 36);
    for (auto const& part :
         {client, client + ":", client + ":1/2", client + "/", labelled, client + ":x", client + ":1 "})
        CHECK(s.said(scripts::permits_force_release, {"channel", part}) == "0");
    CHECK(s.free() == "\"0\"");
    CHECK(s.said(scripts::permits_force_release, {"channel", ours(1)}) == "2");
    CHECK(s.said(scripts::permits_force_release, {"channel", ours(12)}) == "1");
    s.compare_values();
}

// No server takes a permit then: the total is the same afterwards.
TEST_CASE("keys of another type are WRONGTYPE and change nothing", "[conformance][semaphore]")
{
    semaphore_scripts s;
    std::vector<std::string> const unlike{"", "text", "nan", "9007199254740992"};
    for (auto const& text : unlike) {
        s.both().command({"SET", counter, text});
        CHECK(has_wrong_type(s.acquire({ours(1), "1"})));
        CHECK(has_wrong_type(s.said(scripts::permits_release, {"channel", ours(1), "1"})));
        CHECK(has_wrong_type(s.said(scripts::permits_set, {"3", life, "channel"})));
        CHECK(has_wrong_type(s.said(scripts::permits_holders, {"0"})));
        CHECK(has_wrong_type(s.said(scripts::permits_count, {})));
        CHECK(has_wrong_type(s.said(scripts::permits_force_release, {"channel", ""})));
        CHECK(s.free() == '"' + text + '"');
    }
    s.both().command({"SET", counter, "3", "PX", "100000"});
    s.both().command({"HSET", timeouts, "f", "1"});
    CHECK(has_wrong_type(s.acquire({ours(1), "1"})));
    CHECK(has_wrong_type(s.said(scripts::permits_renew, {ours(1), "1", permit_lease})));
    CHECK(has_wrong_type(s.said(scripts::permits_release, {"channel", ours(1), "1"})));
    CHECK(has_wrong_type(s.said(scripts::permits_release_later, {"channel", ours(1), "1", permit_lease})));
    CHECK(has_wrong_type(s.said(scripts::permits_set, {"3", life, "channel"})));
    CHECK(has_wrong_type(s.said(scripts::permits_force_release, {"channel", ""})));
    CHECK(s.free() == "\"3\"");
}

TEST_CASE("a weight of 4,095 is granted, renewed and released in parts", "[conformance][semaphore]")
{
    semaphore_scripts s;
    CHECK(s.acquire({ours(1), "4095"}, "4095") == "nil");
    CHECK(s.free() == "\"0\"");
    CHECK(s.said(scripts::permits_renew, {ours(1), "4095", permit_lease}) == "[1]");
    CHECK(s.said(scripts::permits_release, {"channel", ours(1), "4095"}) == "1");
    CHECK(s.free() == "\"4095\"");
    CHECK(s.both().command({"EXISTS", timeouts}).integer == 0);
}

// Each call of go_on() draws the next event.
class permit_scenario {
public:
    explicit permit_scenario(std::uint64_t seed) : chance_(seed) {}

    void go_on()
    {
        switch (chance_.below(16)) {
            case 0: s_.both().command({"ZADD", timeouts, "XX", "1", somebody()}); return;
            case 1: s_.both().command({"DEL", chance_.happens(0.5) ? counter : timeouts}); return;
            case 2: redisson_comes(); return;
            case 3: s_.run(scripts::permits_set, {number(8), life, "channel"}); return;
            case 4: s_.run(scripts::permits_force_release, {"channel", chance_.happens(0.3) ? "" : somebody()}); return;
            case 5:
            case 6: s_.run(scripts::permits_renew, {somebody(), "1", permit_lease, somebody(), "2", "300000"}); return;
            case 7: s_.run(scripts::permits_release_all, {somebody(), weight(), "c", somebody(), "1", ""}); return;
            case 8:
            case 9: s_.run(scripts::permits_release, {"channel", somebody(), weight()}); return;
            case 10: s_.run(scripts::permits_release_later, {"channel", somebody(), weight(), "100000"}); return;
            default: granted_ += s_.acquire(contenders(), number(6), chance_.happens(0.5)) == "nil";
        }
    }

    void compare_values() { s_.compare_values(); }
    unsigned granted() const noexcept { return granted_; }

private:
    std::string number(std::uint64_t most) { return std::to_string(chance_.below(most)); }
    std::string weight() { return std::to_string(1 + chance_.below(3)); }
    std::string somebody() { return ours(chance_.below(6)); }

    std::vector<std::string> contenders()
    {
        std::vector<std::string> all;
        for (auto n = 1 + chance_.below(3); n != 0; --n) {
            all.push_back(somebody());
            all.push_back(weight());
        }
        return all;
    }

    // With a time that has passed, that comes, or with none.
    void redisson_comes()
    {
        constexpr std::array ends{"1", "9999999999999", "922337203685477"};
        s_.both().command({"ZADD", timeouts, ends[chance_.below(ends.size())], "0123456789abcde" + number(3)});
    }

    semaphore_scripts s_;
    chance chance_;
    unsigned granted_ = 0;
};

TEST_CASE(
    "the scripts of semaphores in random order have the same effect in the model and in Redis",
    "[conformance][semaphore]")
{
    permit_scenario s(1);
    for (int i = 0; i < 3'000; ++i) {
        s.go_on();
        s.compare_values();
    }
    CHECK(s.granted() > 100);
}

}  // namespace
}  // namespace holdfast::test
