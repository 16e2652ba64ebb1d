//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A counter that a script reads, and that Redis would not count: the script is refused, and changes nothing; on a real
// server and on the model at once.

#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "conformance/script_words.hpp"
#include "scripts_generated.hpp"

namespace holdfast::test {
namespace {

using simulated::value;
namespace scripts = engine::scripts;

// Lua reads some of them, and rounds those beyond 2^53.
constexpr char const* no_numbers[]{
    "",
    "text",
    "1e3",
    "2.5",
    " 5",
    "5 ",
    "05",
    "+5",
    "-0",
    "0x10",
    "inf",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775808"};

struct fenced_script {
    engine::script const& script;
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
};

// The fencing counter is the last key of each.
std::vector<fenced_script> fenced_scripts()
{
    std::vector<std::string> const queue{"lock", "queue", "timeouts", "waiters", "priorities"};
    auto fair = queue, elected = queue;
    fair.emplace_back("counter");
    elected.insert(elected.end(), {"record", "counter"});
    return {
        {scripts::mutex_acquire_fenced, {"lock", "counter"}, {ours(1), permit_lease, life}},
        {scripts::reentrant_acquire_fenced, {"lock", "counter"}, {ours(1), permit_lease}},
        {scripts::fair_acquire, fair, {ours(1), permit_lease, "15000", "channel", "5", life}},
        {scripts::election_acquire,
         elected,
         {ours(1), permit_lease, "15000", "channel", "5", life, "v", "observers", "leader", "5", "1000"}},
        {scripts::write_acquire,
         {"lock", "mark", "turn", "counter"},
         {ours(1), permit_lease, "{lock}:", "60000", life}},
        {scripts::permits_acquire_numbered,
         {"lock", "timeouts", "waiting", "numbers", "counter"},
         {permit_lease, "3", life, "channel", ours(1), life, "1"}}};
}

class counter_scripts {
public:
    counter_scripts()
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        both_.emplace();
    }

    value command(std::vector<std::string> const& words) { return both_->command(words); }
    value run(
        engine::script const& script, std::vector<std::string> const& keys, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> words{"EVAL", std::string(script.text), std::to_string(keys.size())};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return command(words);
    }
    value run(fenced_script const& s) { return run(s.script, s.keys, s.arguments); }
    void clear()
    {
        command({"DEL", "lock", "queue", "timeouts", "waiters", "priorities", "record", "counter", "mark", "turn"});
        command({"DEL", "waiting", "numbers"});
        CHECK(command({"DBSIZE"}).integer == 0);
    }
    std::string counter() { return command({"GET", "counter"}).text; }

private:
    std::optional<comparison> both_;
};

TEST_CASE("a fencing counter that is no number is WRONGTYPE, and nothing is held", "[conformance][fencing]")
{
    counter_scripts s;
    for (auto const& fenced : fenced_scripts())
        for (std::string const text : no_numbers) {
            CAPTURE(fenced.script.name, text);
            s.clear();
            s.command({"SET", "counter", text});
            CHECK(is_wrong_type(s.run(fenced)));
            CHECK(s.counter() == text);
            CHECK(s.command({"DBSIZE"}).integer == 1);
        }
}

TEST_CASE("a fencing counter that is missing, or a number, gives the next token", "[conformance][fencing]")
{
    constexpr auto latest = "9007199254740990", last = "9007199254740991";
    counter_scripts s;
    for (auto const& fenced : fenced_scripts()) {
        CAPTURE(fenced.script.name);
        for (auto const* text : {"none", "0", "-5", "7"}) {
            s.clear();
            if (text != std::string("none"))
                s.command({"SET", "counter", text});
            CHECK_FALSE(s.run(fenced).is_error());
            CHECK(std::stoll(s.counter()) > 1'600'000'000'000'000);
        }
        s.clear();
        s.command({"SET", "counter", latest});
        CHECK_FALSE(s.run(fenced).is_error());
        CHECK(s.counter() == last);
        s.command({"DEL", "lock", "timeouts", "numbers"});
        CHECK(is_wrong_type(s.run(fenced)));
        CHECK(s.counter() == last);
    }
}

TEST_CASE("a red_lock raises no fencing counter that is no number", "[conformance][fencing]")
{
    counter_scripts s;
    s.command({"SET", "lock", ours(1)});
    for (std::string const text : no_numbers) {
        CAPTURE(text);
        s.command({"SET", "counter", text});
        CHECK(is_wrong_type(s.run(scripts::mutex_fence, {"lock", "counter"}, {ours(1), "5", life})));
        CHECK(s.counter() == text);
    }
    for (auto const* text : {"none", "4", "-4"}) {
        s.command({"DEL", "counter"});
        if (text != std::string("none"))
            s.command({"SET", "counter", text});
        CHECK(s.run(scripts::mutex_fence, {"lock", "counter"}, {ours(1), "5", life}).integer == 1);
        CHECK(s.counter() == "5");
    }
    CHECK(s.run(scripts::mutex_fence, {"lock", "counter"}, {ours(1), "4", life}).integer == 1);
    CHECK(s.counter() == "5");
}

TEST_CASE("a record of a leader with a number that is none is WRONGTYPE", "[conformance][election]")
{
    counter_scripts s;
    auto const candidacy = fenced_scripts()[3];
    for (std::string const text : no_numbers) {
        for (auto const* field : {"term", "since"}) {
            CAPTURE(field, text);
            s.clear();
            CHECK_FALSE(s.run(candidacy).is_error());
            CHECK_FALSE(s.run(scripts::election_state, {"lock", "record"}, {}).is_error());
            s.command({"HSET", "record", field, text});
            CHECK(is_wrong_type(s.run(scripts::election_state, {"lock", "record"}, {})));
        }
        for (auto const* field : {"priority", "abandoned"}) {
            CAPTURE(field, text);
            s.clear();
            s.command({"HSET", "record", field, text});
            CHECK(is_wrong_type(s.run(candidacy)));
            CHECK(s.command({"DBSIZE"}).integer == 1);
        }
    }
}

TEST_CASE("a priority of a waiter that is no number counts as the usual one", "[conformance][fair_lock]")
{
    counter_scripts s;
    auto const wait = [&](std::uint64_t n, std::string const& priority) {
        std::vector<std::string> const keys{"lock", "queue", "timeouts", "waiters", "priorities"};
        return s.run(scripts::fair_acquire, keys, {ours(n), permit_lease, "15000", "channel", priority, life});
    };
    for (std::string const text : no_numbers) {
        CAPTURE(text);
        s.clear();
        wait(1, "5");
        wait(2, "5");
        s.command({"HSET", "priorities", ours(2), text});
        CHECK(s.run(scripts::election_next, {"queue", "priorities"}, {}).integer == 5);
        // Without the times, which differ.
        auto const of_first = "local function waiters() " + std::string(scripts::fair_waiters.text)
                              + " end return waiters()[5]";
        CHECK(s.command({"EVAL", of_first, "4", "queue", "timeouts", "waiters", "priorities", "0", ""}).integer == 5);
        wait(3, "4");
        CHECK(s.command({"LINDEX", "queue", "0"}).text == ours(2));
        wait(4, "6");
        CHECK(s.command({"LINDEX", "queue", "0"}).text == ours(4));
    }
}

}  // namespace
}  // namespace holdfast::test
