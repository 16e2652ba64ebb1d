//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of a fair lock read only parts of a long queue. That must not show: the same random events, with waiters of
// Redisson, dead waiters and lost keys, have the same effect as with scripts that read whole queues.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "support/chance.hpp"
#include "support/metered_server.hpp"

namespace holdfast::test {
namespace {

using simulated::value;
namespace scripts = engine::scripts;

// The script, for which a queue of that many waiters is long.
std::string with_long(engine::script const& script, std::size_t waiters)
{
    static constexpr std::string_view usual = "short, last_of_short = 30, '29'";
    std::string text(script.text);
    auto const at = text.find(usual);
    if (at != text.npos)
        text.replace(
            at,
            usual.size(),
            "short, last_of_short = " + std::to_string(waiters) + ", '" + std::to_string(waiters - 1) + "'");
    return text;
}

struct queue_options {
    bool with_redisson;
    bool with_losses;
};

// Two servers, of which one has scripts for which short queues are long.
class twin_queues {
public:
    twin_queues(std::uint64_t seed, queue_options o) : chance_(seed), options_(o) {}

    void go_on()
    {
        auto const step = std::int64_t(chance_.happens(0.02) ? chance_.below(20'000) : chance_.below(1'500));
        for (auto* const s : {&whole_, &parts_})
            s->now_ms += step;
        switch (chance_.below(14)) {
            case 0: return redisson_comes();
            case 1: return redisson_goes();
            case 2: return somebody_dies();
            case 3: return something_is_lost();
            case 4: return call(scripts::fair_force_release, {"channel", "15000"});
            case 5:
            case 6: return call(scripts::fair_refresh, {"15000", "channel", ours(), ours(), ours()});
            case 7:
            case 8:
            case 9: return call(scripts::fair_leave, {ours(), "channel", "15000"});
            default: call(scripts::fair_acquire, {ours(), "9000", "15000", "channel", priority(), "86400000"});
        }
    }

    // All but the mark that a queue has only our waiters.
    void compare()
    {
        for (auto const& question : std::vector<std::vector<std::string>>{
                 {"HGETALL", keys_[0]},
                 {"LRANGE", keys_[1], "0", "-1"},
                 {"ZRANGE", keys_[2], "0", "-1", "WITHSCORES"},
                 {"HGETALL", keys_[4]},
                 {"PTTL", keys_[1]},
                 {"PTTL", keys_[2]}})
            CHECK(whole_.say(question) == parts_.say(question));
        marks_ += parts_.say({"ZREM", keys_[3], "#pure"}).integer == 1 && restore();
        longest_ = std::max(longest_, whole_.say({"LLEN", keys_[1]}).integer);
    }

    unsigned marks() const noexcept { return marks_; }
    std::int64_t longest() const noexcept { return longest_; }

private:
    // Compares the waiters without the mark, and puts it back.
    bool restore()
    {
        std::vector<std::string> const question{"ZRANGE", keys_[3], "0", "-1", "WITHSCORES"};
        CHECK(whole_.say(question) == parts_.say(question));
        return parts_.say({"ZADD", keys_[3], std::to_string(parts_.now_ms), "#pure"}).integer == 1;
    }

    std::string ours() { return "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(chance_.below(12)); }
    std::string theirs() { return "6f1c1d0e-0000-4000-8000-000000000002:" + std::to_string(chance_.below(3)); }
    std::string priority()
    {
        constexpr std::array all{"0", "1", "5", "5", "5", "10"};
        return all[chance_.below(all.size())];
    }

    void say(std::vector<std::string> const& command)
    {
        for (auto* const s : {&whole_, &parts_})
            s->say(command);
    }

    void redisson_comes()
    {
        auto const who = theirs();
        auto const until = std::to_string(whole_.now_ms + (chance_.happens(0.5) ? 5'000 : 300'000));
        if (options_.with_redisson && whole_.say({"ZSCORE", keys_[2], who}).is_nil()) {
            say({"RPUSH", keys_[1], who});
            say({"ZADD", keys_[2], until, who});
        }
    }
    // Gives up, or is granted the lock.
    void redisson_goes()
    {
        auto const who = theirs();
        say({"LREM", keys_[1], "1", who});
        say({"ZREM", keys_[2], who});
    }
    void somebody_dies()
    {
        auto const who = ours();
        say({"ZADD", keys_[2], "XX", "1", who});
        say({"ZADD", keys_[3], "XX", "1", who});
    }
    void something_is_lost()
    {
        if (!options_.with_losses || chance_.happens(0.8))
            return;
        if (chance_.happens(0.5))
            say({"DEL", keys_[chance_.below(keys_.size())]});
        else
            say({"LREM", keys_[1], "1", ours()});
    }

    void call(engine::script const& script, std::vector<std::string> const& arguments)
    {
        auto const of_whole = whole_.run(with_long(script, 1'000), keys_, arguments);
        auto const of_parts = parts_.run(with_long(script, 3), keys_, arguments);
        CAPTURE(script.name, arguments);
        CHECK(to_string(of_whole) == to_string(of_parts));
    }

    std::vector<std::string> const keys_{"lock", "queue", "timeouts", "waiters", "priorities"};
    metered_server whole_, parts_;
    chance chance_;
    queue_options const options_;
    unsigned marks_ = 0;
    std::int64_t longest_ = 0;
};

TEST_CASE("scripts that read parts of a long fair queue act as those that read all of it", "[fair_lock]")
{
    unsigned marks = 0;
    std::int64_t longest = 0;
    for (bool const with_redisson : {false, true})
        for (bool const with_losses : {false, true})
            for (std::uint64_t seed = 1; seed <= 8; ++seed) {
                CAPTURE(with_redisson, with_losses, seed);
                twin_queues both(seed, {with_redisson, with_losses});
                for (int i = 0; i < 300; ++i) {
                    both.go_on();
                    both.compare();
                }
                marks += both.marks();
                longest = std::max(longest, both.longest());
            }
    CHECK(marks > 1'000);
    CHECK(longest > 8);
}

}  // namespace
}  // namespace holdfast::test
