//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of latches, each case and in random order; on a real server and on the model at once.

#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "conformance/comparison.hpp"
#include "conformance/script_words.hpp"
#include "scripts_generated.hpp"
#include "support/chance.hpp"

namespace holdfast::test {
namespace {

using simulated::value;
namespace scripts = engine::scripts;

class latch_scripts {
public:
    latch_scripts()
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

    value set(std::string const& count)
    {
        return run(scripts::latch_set, {"latch", "generation", "steps"}, {count, "channel", life});
    }
    value count_down(std::string const& step, std::string const& by)
    {
        return run(scripts::latch_count_down, {"latch", "generation", "steps"}, {step, by, "channel", life});
    }
    value remove() { return run(scripts::latch_remove, {"latch", "generation", "steps"}, {"channel", life}); }
    value state() { return run(scripts::latch_state, {"latch", "generation"}, {life}); }

    void compare_values()
    {
        both_->command({"GET", "latch"});
        both_->command({"GET", "generation"});
        both_->command({"HLEN", "steps"});
        for (std::string const key : {"latch", "generation", "steps"})
            both_->command({"PTTL", key});
        state();
    }

private:
    std::optional<comparison> both_;
};

TEST_CASE("a latch is set once, and each step counts once", "[conformance][latch]")
{
    latch_scripts s;
    CHECK(s.state().items.at(0).integer == 0);
    CHECK(s.set("3").integer == 1);
    CHECK(s.set("5").integer == 0);
    CHECK(s.count_down("a", "1").integer == 2);
    CHECK(s.count_down("a", "1").integer == 2);
    CHECK(s.state().items.at(0).integer == 2);
    auto const generation = s.state().items.at(1).integer;
    CHECK(s.count_down("b", "9").integer == 0);
    CHECK(s.count_down("c", "1").integer == 0);
    CHECK(s.both().command({"EXISTS", "latch", "steps"}).integer == 0);
    CHECK(s.set("1").integer == 1);
    CHECK(s.state().items.at(1).integer > generation);
    CHECK(s.count_down("a", "1").integer == 0);
}

TEST_CASE("a latch is removed once, and its generation tells so until it is set again", "[conformance][latch]")
{
    latch_scripts s;
    CHECK(s.remove().integer == 0);
    CHECK(s.both().command({"EXISTS", "generation"}).integer == 0);
    bool const is_known = GENERATE(true, false);
    if (is_known)
        s.set("3");
    else
        s.both().command({"SET", "latch", "3"});  // as Redisson sets it
    auto const first = s.state();
    s.count_down("a", "1");
    CHECK(s.remove().integer == 1);
    CHECK(s.remove().integer == 0);
    CHECK(s.both().command({"EXISTS", "latch", "steps"}).integer == 0);
    CHECK(s.both().command({"PTTL", "generation"}).integer > 80'000'000);
    auto const removed = s.state();
    CHECK(removed.items.at(0).integer == 0);
    CHECK(removed.items.at(1).integer < -first.items.at(1).integer);
    CHECK(removed.items.at(2).integer == 1);
    CHECK(s.count_down("a", "1").integer == 0);
    CHECK(s.set("1").integer == 1);
    auto const again = s.state();
    CHECK(again.items.at(1).integer > -removed.items.at(1).integer);
    CHECK(again.items.at(2).integer == 1);
    CHECK(s.count_down("b", "1").integer == 0);
    CHECK(s.set("1").integer == 1);
    CHECK(s.state().items.at(2).integer == 1);
    CHECK(s.remove().integer == 1);
    CHECK(s.state().items.at(2).integer == 2);
}

TEST_CASE("a closed latch and its generation live on while tasks count or wait", "[conformance][latch]")
{
    latch_scripts s;
    s.set("3");
    bool const is_count = GENERATE(true, false);
    for (std::string const key : {"latch", "generation"})
        s.both().command({"PEXPIRE", key, "1000000"});
    if (is_count)
        s.count_down("a", "1");
    else
        s.state();
    for (std::string const key : {"latch", "generation"})
        CHECK(s.both().command({"PTTL", key}).integer > 80'000'000);
}

TEST_CASE("a latch of Redisson keeps its lack of a time to live", "[conformance][latch]")
{
    latch_scripts s;
    s.both().command({"SET", "latch", "2"});
    CHECK(s.state().items.at(0).integer == 2);
    CHECK(s.count_down("a", "1").integer == 1);
    CHECK(s.both().command({"PTTL", "latch"}).integer == -1);
    s.both().command({"SET", "latch", "-1"});
    CHECK(s.count_down("a", "1").integer == 0);
    CHECK(s.state().items.at(0).integer == 0);
}

TEST_CASE("keys of another type are no latch", "[conformance][latch]")
{
    latch_scripts s;
    s.both().command({"SET", "latch", "text"});
    CHECK(is_wrong_type(s.set("1")));
    CHECK(is_wrong_type(s.count_down("a", "1")));
    CHECK(is_wrong_type(s.remove()));
    CHECK(is_wrong_type(s.state()));
    s.both().command({"DEL", "latch"});
    s.both().command({"HSET", "latch", "f", "1"});
    CHECK(is_wrong_type(s.set("1")));
    CHECK(is_wrong_type(s.count_down("a", "1")));
    CHECK(is_wrong_type(s.remove()));
    CHECK(is_wrong_type(s.state()));
    CHECK(s.both().command({"EXISTS", "generation", "steps"}).integer == 0);
    s.both().command({"DEL", "latch"});
    s.both().command({"SET", "latch", "2"});
    s.both().command({"SET", "generation", "text"});
    CHECK(is_wrong_type(s.remove()));
    CHECK(is_wrong_type(s.state()));
    CHECK(s.both().command({"GET", "latch"}).text == "2");
}

TEST_CASE(
    "the scripts of latches in random order have the same effect in the model and in Redis", "[conformance][latch]")
{
    latch_scripts s;
    chance draw(1);
    int opened = 0;
    for (int i = 0; i < 1'000; ++i) {
        switch (draw.below(9)) {
            case 8: s.remove(); break;
            case 0: s.both().command({"DEL", draw.happens(0.5) ? "latch" : "steps"}); break;
            case 1: s.both().command({"DECRBY", "latch", "1"}); break;
            case 2:
            case 3: s.set(std::to_string(1 + draw.below(4))); break;
            default:
                opened += s.count_down(std::to_string(draw.below(6)), std::to_string(1 + draw.below(2))).integer == 0;
        }
        s.compare_values();
    }
    CHECK(opened > 100);
}

}  // namespace
}  // namespace holdfast::test
