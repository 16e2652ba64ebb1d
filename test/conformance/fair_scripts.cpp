//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The fair lock's scripts in random order, beside waiters of another library, dead waiters and lost keys; on a real
// server and on the model at once.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "scripts_generated.hpp"
#include "support/chance.hpp"

namespace holdfast::test {
namespace {

using simulated::value;
namespace scripts = engine::scripts;

constexpr std::array fair_lock_keys{"lock", "queue", "timeouts", "waiters", "priorities"};

// fair_waiters.lua, but for how long each has waited only whether that is known: the two are asked some ms apart.
std::string waiters_script()
{
    return "local answer = (function() " + std::string(scripts::fair_waiters.text)
           + " end)() for i = 6, #answer, 4 do answer[i] = answer[i] < 0 and -1 or 0 end return answer";
}

// Each call of go_on() draws the next event.
class fair_lock_scenario {
public:
    explicit fair_lock_scenario(std::uint64_t seed) : chance_(seed)
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        both_.emplace();
    }

    void go_on()
    {
        switch (chance_.below(12)) {
            case 0: return redisson_comes();
            case 1: return somebody_dies();
            case 2: return something_is_lost();
            case 3: run(scripts::fair_force_release, {"channel", waiter_timeout}); return;
            case 4:
            case 5: run(scripts::fair_refresh, {"200000", "channel", ours(), ours(), ours()}); return;
            case 6:
            case 7:
            case 8: run(scripts::fair_leave, {ours(), "channel", waiter_timeout}); return;
            default: granted_ += acquire().is_nil();
        }
    }

    void compare_values()
    {
        both_->command({"HGETALL", fair_lock_keys[0]});
        both_->command({"LRANGE", fair_lock_keys[1], "0", "-1"});
        both_->command({"ZCARD", fair_lock_keys[2]});
        both_->command({"ZCARD", fair_lock_keys[3]});
        both_->command({"HLEN", fair_lock_keys[4]});
        for (auto const* const key : fair_lock_keys)
            both_->command({"PTTL", key});
        both_->command(
            {"EVAL",
             waiters_script(),
             "4",
             fair_lock_keys[1],
             fair_lock_keys[2],
             fair_lock_keys[3],
             fair_lock_keys[4],
             "0",
             ""});
    }

    unsigned granted() const noexcept { return granted_; }

private:
    static constexpr auto waiter_timeout = "100000";

    std::string ours() { return "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(chance_.below(6)); }
    std::string theirs() { return "6f1c1d0e-0000-4000-8000-000000000002:" + std::to_string(chance_.below(2)); }
    std::string anybody() { return chance_.happens(0.5) ? ours() : theirs(); }

    std::string priority()
    {
        constexpr std::array all{"0", "1", "5", "5", "10"};
        return all[chance_.below(all.size())];
    }

    void redisson_comes()
    {
        auto const holder = theirs();
        both_->command({"RPUSH", fair_lock_keys[1], holder});
        both_->command({"ZADD", fair_lock_keys[2], "9999999999999", holder});
    }

    void somebody_dies()
    {
        auto const holder = anybody();
        both_->command({"ZADD", fair_lock_keys[2], "XX", "1", holder});
        both_->command({"ZADD", fair_lock_keys[3], "XX", "1", holder});
    }

    void something_is_lost()
    {
        auto const* const key = fair_lock_keys[chance_.below(fair_lock_keys.size())];
        if (chance_.happens(0.5))
            both_->command({"DEL", key});
        else
            both_->command({"LREM", fair_lock_keys[1], "1", anybody()});
    }

    value acquire() { return run(scripts::fair_acquire, {ours(), "100000", waiter_timeout, "channel", priority()}); }

    value run(engine::script const& script, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> words{"EVAL", std::string(script.text), std::to_string(fair_lock_keys.size())};
        words.insert(words.end(), fair_lock_keys.begin(), fair_lock_keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return both_->command(words);
    }

    chance chance_;
    unsigned granted_ = 0;
    std::optional<comparison> both_;
};

TEST_CASE(
    "the fair lock's scripts in random order have the same effect in the model and in Redis",
    "[conformance][fair_lock]")
{
    fair_lock_scenario s(1);
    for (int i = 0; i < 3'000; ++i) {
        s.go_on();
        s.compare_values();
    }
    CHECK(s.granted() > 100);
}

}  // namespace
}  // namespace holdfast::test
