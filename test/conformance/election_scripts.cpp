//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of elections, each case and in random order; on a real server and on the model at once.

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

constexpr std::array election_keys{"lock", "queue", "timeouts", "waiters", "priorities", "record", "counter"};
constexpr auto waiter_timeout = "100000";
constexpr auto election_lease = "100000";

class election_scripts {
public:
    election_scripts()
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        both_.emplace();
    }

    comparison& both() { return *both_; }

    value run(
        engine::script const& script, std::vector<std::string> const& at, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> words{"EVAL", std::string(script.text), std::to_string(at.size())};
        words.insert(words.end(), at.begin(), at.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return both_->command(words);
    }

    // Greater than 0: the term; less: another one leads, or comes first.
    std::int64_t campaign(std::string const& who, std::string const& value = "v", std::string const& priority = "5")
    {
        return attempt(who, value, priority, "0").integer;
    }
    // How long it must wait before it leads, in ms; -1: somebody else leads.
    std::int64_t settle(std::string const& who, std::string const& time = "100000")
    {
        auto const answer = attempt(who, "v", "5", time);
        if (answer.items.size() == 2) {
            CHECK(answer.items[0].integer > 0);
            return answer.items[1].integer;
        }
        return answer.integer > 0 ? 0 : -1;
    }
    value attempt(
        std::string const& who, std::string const& value, std::string const& priority, std::string const& settle_time)
    {
        return run(
            scripts::election_acquire,
            {election_keys.begin(), election_keys.end()},
            {who,
             election_lease,
             waiter_timeout,
             "channel",
             priority,
             life,
             value,
             "observers",
             "leader",
             priority,
             settle_time});
    }
    std::int64_t leave(std::string const& who)
    {
        return run(scripts::election_leave,
                   {election_keys.begin(), election_keys.begin() + 6},
                   {who, "channel", waiter_timeout, "observers"})
            .integer;
    }
    value force_release()
    {
        return run(
            scripts::election_force_release,
            {election_keys.begin(), election_keys.begin() + 5},
            {"channel", waiter_timeout, "observers"});
    }
    value renew(std::string const& who, std::string const& for_ms = election_lease)
    {
        return run(scripts::election_renew, {"lock", "record"}, {who, for_ms, "7000", "new", "5", "observers"});
    }
    std::int64_t proclaim(std::string const& who, std::string const& value)
    {
        return run(scripts::election_proclaim, {"lock", "record"}, {who, "7000", value, "observers", "5"}).integer;
    }
    std::int64_t next() { return run(scripts::election_next, {"queue", "priorities"}, {}).integer; }
    value state() { return run(scripts::election_state, {"lock", "record"}, {}); }

    void compare_values()
    {
        both_->command({"HGETALL", "lock"});
        both_->command({"LRANGE", "queue", "0", "-1"});
        both_->command({"HGET", "record", "holder"});
        both_->command({"HGET", "record", "value"});
        for (auto const* const key : election_keys)
            both_->command({"PTTL", key});
        state();
        next();
    }

private:
    std::optional<comparison> both_;
};

TEST_CASE("a leader is recorded with its term and value until it resigns", "[conformance][election]")
{
    election_scripts s;
    CHECK(s.state().items.at(1).text.empty());
    auto const term = s.campaign(ours(1), "a");
    CHECK(term > 0);
    CHECK(s.campaign(ours(2), "b") < 0);
    auto const now = s.state();
    CHECK(now.items.at(1).text == ours(1));
    CHECK(now.items.at(2).integer > 0);
    CHECK(now.items.at(3).text == "a");
    CHECK(now.items.at(4).integer > 0);
    CHECK(s.proclaim(ours(2), "x") == 0);
    CHECK(s.proclaim(ours(1), "y") == 1);
    CHECK(s.state().items.at(3).text == "y");
    CHECK(s.leave(ours(1)) == 1);
    CHECK(s.both().command({"EXISTS", "record"}).integer == 0);
    CHECK(s.campaign(ours(2), "b") > term);
    CHECK(s.leave(ours(1)) == 0);
    CHECK(s.state().items.at(3).text == "b");
    CHECK(s.leave(ours(2)) == 1);
}

TEST_CASE("a forced end deletes the lock, and leaves the candidates", "[conformance][election]")
{
    election_scripts s;
    CHECK(s.force_release().integer == 0);
    auto const term = s.campaign(ours(1), "a");
    CHECK(s.campaign(ours(2), "b") < 0);
    CHECK(s.force_release().integer == 1);
    CHECK(s.both().command({"EXISTS", "lock"}).integer == 0);
    CHECK(s.state().items.at(1).text.empty());
    CHECK(s.both().command({"LLEN", "queue"}).integer == 1);
    CHECK(s.leave(ours(1)) == 0);
    CHECK(s.both().command({"EXISTS", "record"}).integer == 0);
    CHECK(s.campaign(ours(2), "b") > term);
    CHECK(s.leave(ours(2)) == 1);

    s.both().command({"SET", "lock", "data"});
    CHECK(is_wrong_type(s.force_release()));
    CHECK(s.both().command({"EXISTS", "lock"}).integer == 1);
}

TEST_CASE("only a leader that did not resign makes the next one settle", "[conformance][election]")
{
    constexpr auto most = 100'000;
    election_scripts s;
    CHECK(s.settle(ours(1)) == 0);
    CHECK(s.settle(ours(2)) == -1);
    CHECK(s.leave(ours(1)) == 1);
    CHECK(s.settle(ours(2)) == 0);
    // A repetition of the same attempt does not make it settle.
    CHECK(s.settle(ours(2)) == 0);

    // Its lease time has ended.
    s.both().command({"DEL", "lock"});
    CHECK(s.settle(ours(3)) == most);
    auto const repeated = s.settle(ours(3));
    CHECK(repeated > most - 10'000);
    CHECK(repeated <= most);
    // It gives up, and the next one waits for the rest; so does one with another settle time.
    CHECK(s.leave(ours(3)) == 1);
    CHECK(s.state().items.at(1).text.empty());
    CHECK(s.both().command({"HLEN", "record"}).integer == 1);
    CHECK(s.both().command({"PTTL", "record"}).integer > 80'000'000);
    auto const rest = s.settle(ours(4));
    CHECK(rest > most - 10'000);
    CHECK(rest <= most);
    CHECK(s.leave(ours(4)) == 1);
    auto const longer = s.settle(ours(5), "200000");
    CHECK(longer > 2 * most - 10'000);
    CHECK(s.leave(ours(5)) == 1);
    CHECK(s.settle(ours(6), "0") == 0);
    CHECK(s.leave(ours(6)) == 1);

    // No longer than the settle time, also if the clock of the server was set back.
    s.both().command({"HSET", "record", "abandoned", "9007199254740000"});
    CHECK(s.settle(ours(7)) == most);
    CHECK(s.leave(ours(7)) == 1);
    s.both().command({"HSET", "record", "abandoned", "1"});
    CHECK(s.settle(ours(8)) == 0);
    CHECK(s.force_release().integer == 1);
    CHECK(s.settle(ours(9)) == most);
}

TEST_CASE("the priority of the next candidate is known", "[conformance][election]")
{
    election_scripts s;
    CHECK(s.next() == 0);
    CHECK(s.campaign(ours(1)) > 0);
    CHECK(s.campaign(ours(2)) < 0);
    CHECK(s.next() == 5);
    CHECK(s.campaign(ours(3), "v", "8") < 0);
    CHECK(s.next() == 8);
    CHECK(s.leave(ours(3)) == 2);
    CHECK(s.next() == 5);
}

TEST_CASE("a record counts only while its holder holds the lock", "[conformance][election]")
{
    election_scripts s;
    CHECK(s.campaign(ours(1), "a") > 0);
    s.both().command({"DEL", "lock"});
    CHECK(s.state().items.at(1).text.empty());
    CHECK(s.state().items.at(3).text.empty());
    s.both().command({"HSET", "lock", "another library", "1"});
    CHECK(s.state().items.at(1).text == "another library");
    CHECK(s.state().items.at(2).integer == 0);
    CHECK(s.renew(ours(1)).items.at(0).integer == 0);
}

TEST_CASE("a renewal prolongs the lock and the record, and never shortens the lock", "[conformance][election]")
{
    election_scripts s;
    CHECK(s.campaign(ours(1)) > 0);
    s.both().command({"PEXPIRE", "record", "50000"});
    CHECK(s.renew(ours(1), "200000").items.at(0).integer == 1);
    CHECK(s.both().command({"PTTL", "record"}).integer > 80'000'000);
    CHECK(s.renew(ours(1), "1000").items.at(0).integer == 1);
    CHECK(s.both().command({"PTTL", "lock"}).integer > 190'000);
}

TEST_CASE("the keys of an election of another type are WRONGTYPE, and nobody leads", "[conformance][election]")
{
    election_scripts s;
    s.both().command({"SET", "record", "text"});
    auto const refused = s.run(
        scripts::election_acquire,
        {election_keys.begin(), election_keys.end()},
        {ours(1), election_lease, waiter_timeout, "channel", "5", life, "v", "observers", "leader", "5", "0"});
    CHECK(has_wrong_type(to_string(refused)));
    CHECK(s.both().command({"EXISTS", "lock", "counter"}).integer == 0);
    CHECK(has_wrong_type(to_string(s.state())));
    s.both().command({"DEL", "record"});
    s.both().command({"SET", "lock", "text"});
    CHECK(has_wrong_type(to_string(s.state())));
}

TEST_CASE(
    "the scripts of elections in random order have the same effect in the model and in Redis",
    "[conformance][election]")
{
    constexpr std::array priorities{"0", "1", "5", "10"};
    election_scripts s;
    chance draw(1);
    unsigned terms = 0;
    for (int i = 0; i < 1'500; ++i) {
        auto const who = ours(draw.below(5));
        switch (draw.below(9)) {
            case 0: s.both().command({"DEL", election_keys[draw.below(6)]}); break;
            case 1: s.proclaim(who, "w" + std::to_string(i)); break;
            case 2: draw.happens(0.3) ? s.force_release() : s.renew(who); break;
            case 3:
            case 4:
            case 5: s.leave(who); break;
            case 6: s.attempt(who, "v", priorities[draw.below(priorities.size())], "86400000"); break;
            default: terms += s.campaign(who, "v", priorities[draw.below(priorities.size())]) > 0;
        }
        s.compare_values();
    }
    CHECK(terms > 100);
}

}  // namespace
}  // namespace holdfast::test
