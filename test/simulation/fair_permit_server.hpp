//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_FAIR_PERMIT_SERVER_HPP
#define HOLDFAST_TEST_SIMULATION_FAIR_PERMIT_SERVER_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "sim/command_words.hpp"
#include "sim/redis_model.hpp"

namespace holdfast::test {

// A server model with one fair semaphore, and its scripts as calls, in virtual time.
class fair_permit_server {
public:
    static constexpr auto counter = "permits";
    static constexpr auto timeouts = "{permits}:timeout";
    static constexpr auto queue = "holdfast_permit_queue:{permits}";
    static constexpr auto waiters = "holdfast_permit_waiters:{permits}";
    static constexpr std::int64_t usual_total = 5;
    static constexpr std::int64_t lease_ms = 20'000;
    static constexpr std::int64_t timeout_ms = 15'000;

    explicit fair_permit_server(std::shared_ptr<simulated::lua_engine> lua) : model_(std::move(lua)) {}

    std::int64_t now_ms = 1'800'000'000'000;

    simulated::value say(std::vector<std::string> const& text) { return say(text, id_); }

    simulated::value run(engine::script const& script, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> words{"EVAL", std::string(script.text), "4", counter, timeouts, queue, waiters};
        words.insert(words.end(), arguments.begin(), arguments.end());
        auto reply = say(words);
        if (reply.is_error())
            FAIL_CHECK(script.name << ": " << to_string(reply));
        return reply;
    }

    bool exists() { return say({"EXISTS", counter}).integer == 1; }
    std::int64_t free() { return simulated::to_integer(say({"GET", counter}).text).value_or(0); }
    std::int64_t held() { return say({"ZCARD", timeouts}).integer; }

    simulated::value acquire(std::string const& holder, std::int64_t weight, bool will_wait)
    {
        return run(
            engine::scripts::permits_fair_acquire,
            {std::to_string(lease_ms),
             std::to_string(usual_total),
             "86400000",
             "channel",
             holder,
             std::to_string(weight),
             std::to_string(timeout_ms),
             will_wait ? "1" : "0"});
    }

    std::string leave(std::string const& holder, std::int64_t weight)
    {
        return to_string(
            run(engine::scripts::permits_fair_leave,
                {holder, std::to_string(weight), "channel", std::to_string(timeout_ms)}));
    }

    // The holders that should make an attempt.
    std::vector<std::string> refresh(std::vector<std::string> const& holders)
    {
        std::vector<std::string> arguments{std::to_string(timeout_ms), "channel"};
        arguments.insert(arguments.end(), holders.begin(), holders.end());
        auto const reply = run(engine::scripts::permits_fair_refresh, arguments);
        std::vector<std::string> all;
        for (std::size_t i = 1; i < reply.items.size(); ++i)
            all.push_back(holders.at(std::size_t(reply.items[i].integer) - 1));
        return all;
    }

    void listen(std::string const& holder) { say({"SUBSCRIBE", "channel:" + holder}, listener_id_); }
    void unlisten(std::string const& holder) { say({"UNSUBSCRIBE", "channel:" + holder}, listener_id_); }

    // The holders that a message was sent to since the last call.
    std::vector<std::string> messages() { return std::exchange(listener_.received, {}); }

private:
    struct subscriber final : simulated::peer {
        void on_push(simulated::value const& v) override
        {
            if (v.items.at(0).text == "message")
                received.push_back(v.items.at(1).text.substr(std::string("channel:").size()));
        }
        void on_kill() override {}
        std::vector<std::string> received;
    };

    simulated::value say(std::vector<std::string> const& text, simulated::connection_id as)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        return model_.execute(as, views, now_ms * 1000).value_or(simulated::nil());
    }

    simulated::redis_model model_;
    subscriber listener_;
    simulated::connection_id listener_id_ = model_.connect(listener_);
    subscriber nobody_;
    simulated::connection_id id_ = model_.connect(nobody_);
};

}  // namespace holdfast::test

#endif
