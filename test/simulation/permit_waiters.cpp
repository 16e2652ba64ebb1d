//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Which clients the scripts of a semaphore notify: random programs of clients that wait, with weights, each with a channel
// of its own. As many receive a message as permits are free again, at most; while nobody has a message that it did not
// act on, nobody waits for permits that are free; and after a release nobody waits for permits that end soon without
// knowing it.

#include <algorithm>
#include <cstdint>
#include <memory>
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
using simulated::value;
namespace scripts = engine::scripts;

class waiting_world {
    static constexpr auto counter = "permits";
    static constexpr auto timeouts = "{permits}:timeout";
    static constexpr auto waiting = "holdfast_permit_waiting:{permits}";
    static constexpr std::int64_t usual_total = 4;

    struct listener final : simulated::peer {
        void on_push(value const& v) override { messages += v.items.front().text == "message"; }
        void on_kill() override {}
        std::uint64_t messages = 0;
    };

    struct client {
        std::string id;
        std::unique_ptr<listener> ears = std::make_unique<listener>();
        connection_id connection = {};
        std::string holder = {};  // that waits; empty: none
        std::int64_t weight = 0;
        bool has_message = false;
    };

    struct grant {
        std::string holder;
        std::int64_t weight;
    };

public:
    waiting_world(std::shared_ptr<lua_engine> lua, std::uint64_t seed) : model_(std::move(lua)), chance_(seed)
    {
        for (int i = 0; i != 5; ++i)
            connect(clients_.emplace_back(client{.id = {}}));
    }

    void go_on()
    {
        auto& c = clients_[chance_.below(clients_.size())];
        switch (chance_.below(12)) {
            case 0: barge(); break;
            case 1: set_permits(); break;
            case 2: crash(c); break;
            case 3: leave(c); break;
            case 4: now_ms_ += std::int64_t(chance_.below(40'000)); break;
            case 5:
            case 6:
            case 7: release(); break;
            default: attempt(c);
        }
        check();
    }

    unsigned notified() const noexcept { return notified_; }

private:
    value say(std::vector<std::string> const& text, connection_id as)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        return model_.execute(as, views, now_ms_ * 1000).value_or(simulated::nil());
    }
    value run(engine::script const& script, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> words{"EVAL", std::string(script.text), "3", counter, timeouts, waiting};
        words.insert(words.end(), arguments.begin(), arguments.end());
        auto reply = say(words, nobody_);
        if (reply.is_error())
            FAIL_CHECK(script.name << ": " << to_string(reply));
        return reply;
    }

    void connect(client& c)
    {
        c = {.id = "6f1c1d0e-0000-8000-8000-" + std::to_string(100'000'000'000 + ++last_id_)};
        c.connection = model_.connect(*c.ears);
        say({"SUBSCRIBE", "channel:" + c.id}, c.connection);
    }

    std::string next_holder(client const& c) { return c.id + ":" + std::to_string(++last_id_); }
    std::int64_t any_weight() { return std::int64_t(1 + chance_.below(chance_.happens(0.7) ? 1 : 3)); }

    // Returns how many clients received a message since the last call.
    std::int64_t note_messages()
    {
        std::int64_t all = 0;
        for (auto& c : clients_) {
            if (std::exchange(c.ears->messages, 0) == 0)
                continue;
            CHECK_FALSE(c.holder.empty());
            c.has_message = true;
            ++all;
        }
        notified_ += unsigned(all);
        return all;
    }

    std::vector<std::string> acquire_words(bool waits) const
    {
        return {"30000", std::to_string(usual_total), "86400000", "channel", waits ? "1" : "0"};
    }

    void attempt(client& c)
    {
        if (c.holder.empty())
            c.holder = next_holder(c), c.weight = any_weight();
        std::vector<grant> contenders{{c.holder, c.weight}};
        for (auto n = chance_.below(3); n > 0; --n)
            contenders.push_back({next_holder(c), any_weight()});
        auto words = acquire_words(true);
        for (auto const& g : contenders)
            words.insert(words.end(), {g.holder, std::to_string(g.weight)});
        auto const reply = run(scripts::permits_acquire, words);
        auto const granted = reply.is_nil() ? contenders.size() : std::size_t(reply.items.at(0).integer);
        held_.insert(held_.end(), contenders.begin(), contenders.begin() + std::ptrdiff_t(granted));
        c.holder.clear();
        c.has_message = false;
        bool const fails = !reply.is_nil() && reply.items.at(1).integer == -2;
        if (granted < contenders.size() && !fails)
            c.holder = contenders[granted].holder, c.weight = contenders[granted].weight;
        note_messages();
    }

    void barge()
    {
        auto words = acquire_words(false);
        grant const g{next_holder(clients_.front()), any_weight()};
        words.insert(words.end(), {g.holder, std::to_string(g.weight)});
        if (run(scripts::permits_acquire, words).is_nil())
            held_.push_back(g);
        note_messages();
    }

    // One grant, or several in a batch, some of which their holders may not have any more.
    void release()
    {
        auto const before = free();
        std::vector<std::string> words;
        for (auto n = 1 + chance_.below(3); n > 0 && !held_.empty(); --n) {
            auto const at = held_.begin() + std::ptrdiff_t(chance_.below(held_.size()));
            words.insert(words.end(), {at->holder, std::to_string(at->weight), words.empty() ? "channel" : ""});
            held_.erase(at);
        }
        if (words.empty())
            return;
        bool const is_one = words.size() == 3;
        auto const reply = is_one ? run(scripts::permits_release, {"channel", words[0], words[1]})
                                  : run(scripts::permits_release_all, words);
        auto most = free() - before;
        // Who has nothing to release counts as a waiter that leaves: others may get its message.
        for (std::size_t i = 0; i != words.size() / 3; ++i)
            if ((is_one ? reply.integer : reply.items.at(i).integer) == 0)
                most += std::stoll(words[3 * i + 1]);
        CHECK(note_messages() <= most);
        if (free() > before)
            check_none_fits();
    }

    // After a release: some client has a message, or each of them waits for more than is free now or within 5 s.
    void check_none_fits()
    {
        if (std::ranges::any_of(clients_, &client::has_message))
            return;
        auto const last = std::to_string(now_ms_ + 5'000 + 10'000);  // scores are 10 s after the end
        auto const ending = say({"ZRANGEBYSCORE", timeouts, "-inf", last}, nobody_).items.size();
        for (auto const& c : clients_)
            CHECK((c.holder.empty() || c.weight > free() + std::int64_t(ending)));
    }

    void leave(client& c)
    {
        if (c.holder.empty())
            return;
        if (auto const weight = std::to_string(c.weight); chance_.happens(0.5))
            run(scripts::permits_release, {"channel", c.holder, weight});
        else
            run(scripts::permits_release_all, {c.holder, weight, "channel"});
        c.holder.clear();
        c.has_message = false;
        note_messages();
    }

    void set_permits()
    {
        total_ = std::int64_t(chance_.below(8));
        run(scripts::permits_set, {std::to_string(total_), "86400000", "channel"});
        note_messages();
    }

    // A client that has a message takes it along: others look again after a time.
    void crash(client& c)
    {
        if (c.has_message)
            return;
        model_.disconnect(c.connection);
        connect(c);
    }

    std::int64_t free() { return simulated::to_integer(say({"GET", counter}, nobody_).text).value_or(usual_total); }

    void check()
    {
        bool const is_settled = std::ranges::none_of(clients_, [](client const& c) { return c.has_message; });
        for (auto const& c : clients_) {
            if (c.holder.empty())
                continue;
            bool const is_entered = !say({"ZSCORE", waiting, c.holder}, nobody_).is_nil();
            CHECK((is_entered || c.has_message));
            CHECK((c.has_message || c.weight <= total_));
            if (is_settled)
                CHECK(c.weight > free());
        }
    }

    simulated::redis_model model_;
    chance chance_;
    std::int64_t now_ms_ = 1'800'000'000'000;
    std::uint64_t last_id_ = 0;
    std::vector<client> clients_;
    std::vector<grant> held_;
    listener deaf_;
    connection_id nobody_ = model_.connect(deaf_);
    std::int64_t total_ = usual_total;
    unsigned notified_ = 0;
};

TEST_CASE("no client waits for permits that are free, and a release notifies as many as it frees", "[semaphore]")
{
    auto const lua = std::make_shared<lua_engine>();
    unsigned notified = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        waiting_world world(lua, seed);
        for (int i = 0; i != 300; ++i)
            world.go_on();
        notified += world.notified();
    }
    CHECK(notified > 3'000);
}

}  // namespace
}  // namespace holdfast::test
