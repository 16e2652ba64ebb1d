//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_UNIT_FAKE_SESSION_HPP
#define HOLDFAST_TEST_UNIT_FAKE_SESSION_HPP

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/port/session.hpp"

namespace holdfast::engine {

using texts = std::vector<std::string>;

// Records the submitted commands, which the test answers, and the subscriptions. The test also calls its events.
class fake_session final : public session {
public:
    struct submitted {
        command* to;
        texts words;
    };

    connection_id const& last_connection() const noexcept override { return last; }
    void follow(connection_id const& c) override { followed = c; }
    void start(session_events& e) override { events = &e; }
    void stop() noexcept override { is_stopped = true; }
    bool is_open() const noexcept override { return open; }
    server_identity const& server() const noexcept override { return identity_of_server; }
    script_cache& scripts() noexcept override { return cache; }
    void submit(command& c, std::span<std::string_view const> words) override
    {
        sent.push_back({&c, texts(words.begin(), words.end())});
    }
    void await_turn_end() override {}
    void subscribe(std::string_view channel) override { subscribed.emplace_back(channel); }
    void unsubscribe(std::string_view channel) override { std::erase(subscribed, channel); }
    bool notifies() const noexcept override { return has_given_up.empty(); }
    void give_up_subscribing(std::string_view channel) override { has_given_up = channel; }
    void request_slots() override { ++slot_requests; }
    void doubt() override { ++doubts; }
    void drop(std::string_view) override { ++drops; }

    // Answers the oldest command.
    void answer_next(answer const& a)
    {
        auto const to = sent.front().to;
        sent.pop_front();
        to->on_answer(a);
    }

    session_events* events = nullptr;
    bool open = true;
    bool is_stopped = false;
    int slot_requests = 0;
    int doubts = 0;
    int drops = 0;
    server_identity identity_of_server = {};
    script_cache cache;
    connection_id last = {};
    connection_id followed = {};
    std::deque<submitted> sent;
    texts subscribed;
    std::string has_given_up;
};

}  // namespace holdfast::engine

#endif
