//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of semaphores over the server model, in virtual time: clients that die, clients of Redisson with a wrong
// clock, changed numbers of permits, lost counters. At each grant the weights of the leases that are valid must add up
// to no more than the number of permits, and free and held permits to exactly that number after every script. The
// contenders that could be served are served, and permits that became free are announced to the waiters.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "sim/command_words.hpp"
#include "sim/redis_model.hpp"
#include "support/chance.hpp"

namespace holdfast::test {
namespace {

using simulated::connection_id;
using simulated::lua_engine;
using simulated::to_integer;
using simulated::value;
namespace scripts = engine::scripts;

struct grant {
    std::string holder;
    std::int64_t weight;
    std::int64_t valid_until;  // in ms, by true time
};

class semaphore_world {
    static constexpr auto counter = "permits";
    static constexpr auto timeouts = "{permits}:timeout";
    static constexpr auto waiting = "holdfast_permit_waiting:{permits}";
    static constexpr std::int64_t usual_total = 5;
    static constexpr std::int64_t lease_ms = 2'000;
    static constexpr std::int64_t margin_ms = 10'000;

public:
    // `redisson_ahead`: by how much the clocks of Redisson's clients are ahead of the server's, in ms.
    semaphore_world(std::shared_ptr<lua_engine> lua, std::uint64_t seed, std::int64_t redisson_ahead)
        : model_(std::move(lua)), chance_(seed), redisson_ahead_(redisson_ahead)
    {
        say({"SUBSCRIBE", "channel"}, waiter_);
        listener_.received.clear();
    }

    void go_on()
    {
        now_ms_ += std::int64_t(chance_.happens(0.02) ? chance_.below(15'000) : chance_.below(300));
        switch (chance_.below(20)) {
            case 0: set_permits(); break;
            case 1: lose_counter(); break;
            case 2: force_release(); break;
            case 3:
            case 4: redisson_acquires(); break;
            case 5:
            case 6:
            case 7:
            case 8: release(); break;
            case 9:
            case 10:
            case 11: renew(); break;
            case 12: chance_.happens(0.5) ? release_unknown() : release_part(); break;
            default: acquire();
        }
        check_sum();
    }

    // After the last lease ended, all permits are had at once, and their release leaves no member.
    void finish()
    {
        now_ms_ += lease_ms + 2 * margin_ms + 30'000;
        grants_.clear();
        if (!exists())
            total_ = usual_total;
        grant all{next_holder(), total_, 0};
        if (total_ == 0)
            return;
        CHECK(acquire_all({all}).is_nil());
        // 1, and the one subscriber.
        CHECK(to_string(run(scripts::permits_release, {"channel", all.holder, std::to_string(all.weight)})) == "2");
        CHECK(to_string(say({"EXISTS", timeouts})) == "0");
        CHECK(to_string(say({"GET", counter})) == '"' + std::to_string(total_) + '"');
        check_sum();
    }

    unsigned granted() const noexcept { return granted_; }

private:
    struct subscriber final : simulated::peer {
        void on_push(value const& v) override { received.push_back(v.items.back().text); }
        void on_kill() override {}
        std::vector<std::string> received;
    };

    value say(std::vector<std::string> const& text) { return say(text, id_); }

    value say(std::vector<std::string> const& text, connection_id as)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        return model_.execute(as, views, now_ms_ * 1000).value_or(simulated::nil());
    }

    value run(engine::script const& script, std::vector<std::string> const& arguments)
    {
        listener_.received.clear();
        bool const renews = script.name == scripts::permits_renew.name;
        std::vector<std::string> words{"EVAL", std::string(script.text), renews ? "2" : "3", counter, timeouts};
        if (!renews)
            words.emplace_back(waiting);
        words.insert(words.end(), arguments.begin(), arguments.end());
        auto reply = say(words);
        if (reply.is_error())
            FAIL_CHECK(script.name << ": " << to_string(reply));
        return reply;
    }

    std::int64_t free() { return to_integer(say({"GET", counter}).text).value_or(0); }
    std::int64_t held() { return say({"ZCARD", timeouts}).integer; }

    // The waiters learn how many permits are free, once, if the script freed some. Redisson's clients throw at a number
    // below 1.
    void check_message(bool has_freed)
    {
        std::vector<std::string> expected;
        if (has_freed && free() > 0)
            expected.push_back(std::to_string(free()));
        CHECK(listener_.received == expected);
    }

    // The permits whose time has passed: by the server's clock for ours, whatever its client's clock shows for
    // Redisson's.
    std::int64_t expired()
    {
        auto const all = say({"ZRANGE", timeouts, "0", "-1", "WITHSCORES"});
        std::int64_t count = 0;
        for (std::size_t i = 0; i != all.items.size(); i += 2) {
            auto const score = std::int64_t(std::stod(all.items[i + 1].text));
            auto const end = is_redisson(all.items[i].text) ? score + margin_ms : score - margin_ms;
            count += end <= now_ms_;
        }
        return count;
    }

    std::string next_holder() { return "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(++last_holder_); }

    bool exists() { return say({"EXISTS", counter}).integer == 1; }

    void check_sum()
    {
        auto const free = say({"GET", counter});
        if (!free.is_nil())
            CHECK(to_integer(free.text).value_or(-99) + held() == total_);
    }

    void check_weights()
    {
        std::int64_t sum = 0;
        for (auto const& g : grants_)
            sum += g.valid_until > now_ms_ ? g.weight : 0;
        CHECK(sum <= total_);
    }

    void add(grant g)
    {
        ++granted_;
        g.valid_until = now_ms_ + lease_ms;
        grants_.push_back(std::move(g));
        check_weights();
    }

    value acquire_all(std::vector<grant> const& contenders)
    {
        std::vector<std::string> arguments{
            std::to_string(lease_ms), std::to_string(usual_total), "86400000", "channel", "0"};
        for (auto const& c : contenders) {
            arguments.push_back(c.holder);
            arguments.push_back(std::to_string(c.weight));
        }
        if (!exists())
            total_ = usual_total;
        return run(scripts::permits_acquire, arguments);
    }

    // The longest prefix that the permits suffice for. A counter that was lost has what is not held.
    std::size_t most_served(std::vector<grant> const& contenders)
    {
        auto left = (exists() ? free() : usual_total - held()) + expired();
        std::size_t count = 0;
        while (count != contenders.size() && left >= contenders[count].weight)
            left -= contenders[count++].weight;
        return count;
    }

    void acquire()
    {
        std::vector<grant> contenders;
        for (auto n = 1 + chance_.below(3); n != 0; --n)
            contenders.push_back({next_holder(), std::int64_t(1 + chance_.below(3)), 0});
        auto const most = most_served(contenders);
        auto const before = exists() ? held() : -1;
        auto const reply = acquire_all(contenders);
        if (!reply.is_nil()) {
            contenders.resize(std::size_t(reply.items.at(0).integer));
            CHECK(reply.items.at(2).integer == total_);
        }
        CHECK(contenders.size() == most);
        auto taken = std::int64_t(0);
        for (auto const& c : contenders)
            taken += c.weight;
        check_message(before == -1 || before + taken > held());
        // check_sum() shows whether a repetition takes others.
        if (chance_.happens(0.2))
            acquire_all(contenders);
        for (auto& c : contenders)
            add(std::move(c));
    }

    std::vector<grant>::iterator any_grant() { return grants_.begin() + std::ptrdiff_t(chance_.below(grants_.size())); }

    static bool is_redisson(std::string const& holder) { return holder.size() == 16; }

    void release()
    {
        if (grants_.empty())
            return;
        auto const at = any_grant();
        auto const before = free();
        if (!is_redisson(at->holder)) {
            run(scripts::permits_release, {"channel", at->holder, std::to_string(at->weight)});
            check_message(free() > before);
        } else if (say({"ZREM", timeouts, at->holder}).integer == 1 && exists())
            say({"INCRBY", counter, "1"});
        grants_.erase(at);
    }

    // A release that is repeated, or whose grant was removed, in part or as a whole, makes no permit.
    void release_unknown() { run(scripts::permits_release, {"channel", next_holder(), "3"}); }
    void release_part()
    {
        if (grants_.empty() || is_redisson(grants_.back().holder))
            return release_unknown();
        auto const& g = grants_.back();
        run(scripts::permits_release, {"channel", g.holder, std::to_string(g.weight + 1)});
        grants_.pop_back();
    }

    // A grant that the script calls lost is forgotten by its client; one whose validity ended is not renewed (rule 4).
    void renew()
    {
        if (grants_.empty())
            return;
        auto const at = any_grant();
        if (is_redisson(at->holder) || at->valid_until <= now_ms_)
            return;
        auto const reply = run(
            scripts::permits_renew, {at->holder, std::to_string(at->weight), std::to_string(lease_ms)});
        if (to_string(reply) == "[1]")
            at->valid_until = std::max(at->valid_until, now_ms_ + lease_ms);
        else
            grants_.erase(at);
    }

    void set_permits()
    {
        if (!chance_.happens(0.3))
            return;
        auto const before = exists() ? total_ : -1;
        total_ = std::int64_t(chance_.below(8));
        CHECK(run(scripts::permits_set, {std::to_string(total_), "86400000", "channel"}).items.at(0).integer == before);
        check_message(true);
    }

    void lose_counter()
    {
        if (chance_.happens(0.1))
            say({"DEL", counter});
    }

    // The holder must be told at its next renewal: its grant is not counted from here on.
    void force_release()
    {
        if (grants_.empty() || !chance_.happens(0.2))
            return;
        if (chance_.happens(0.2))
            say({"DEL", counter});
        auto const at = any_grant();
        auto const before = free();
        run(scripts::permits_force_release, {"channel", at->holder});
        check_message(free() > before);
        if (!is_redisson(at->holder))
            CHECK(to_string(run(scripts::permits_renew, {at->holder, std::to_string(at->weight), "2000"})) == "[0]");
        grants_.erase(at);
    }

    // As RPermitExpirableSemaphore does it, with the clock of its client.
    void redisson_acquires()
    {
        if (!exists())
            return;
        auto const now = now_ms_ + redisson_ahead_;
        auto const over = say({"ZRANGEBYSCORE", timeouts, "0", std::to_string(now)});
        for (auto const& member : over.items)
            say({"ZREM", timeouts, member.text});
        if (!over.items.empty())
            say({"INCRBY", counter, std::to_string(over.items.size())});
        if (to_integer(say({"GET", counter}).text).value_or(0) < 1)
            return;
        auto holder = std::to_string(++last_holder_);
        holder.insert(0, 16 - holder.size(), 'r');
        say({"DECRBY", counter, "1"});
        say({"ZADD", timeouts, std::to_string(now + lease_ms), holder});
        add({holder, 1, 0});
    }

    simulated::redis_model model_;
    subscriber listener_;
    connection_id waiter_ = model_.connect(listener_);
    subscriber nobody_;
    connection_id id_ = model_.connect(nobody_);
    chance chance_;
    std::int64_t redisson_ahead_;
    std::int64_t now_ms_ = 1'800'000'000'000;
    std::int64_t total_ = usual_total;
    std::uint64_t last_holder_ = 0;
    unsigned granted_ = 0;
    std::vector<grant> grants_;
};

// Redisson's clients agree with each other about the time, but are almost as wrong as assumption (e) permits.
TEST_CASE("weights never exceed the permits, and no permit is lost or made", "[semaphore]")
{
    auto const lua = std::make_shared<lua_engine>();
    unsigned granted = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        semaphore_world world(lua, seed, seed % 3 == 0 ? 0 : seed % 3 == 1 ? 9'500 : -9'500);
        for (int i = 0; i != 200; ++i)
            world.go_on();
        world.finish();
        granted += world.granted();
    }
    CHECK(granted > 5'000);
}

}  // namespace
}  // namespace holdfast::test
