//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_RECORDER_HPP
#define HOLDFAST_TEST_SIMULATION_RECORDER_HPP

#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/port/session.hpp"
#include "support/simulation.hpp"

namespace holdfast::test {

// A command, and its reply.
struct recorded_command final : engine::command {
    void on_answer(engine::answer const& a) override
    {
        ++answers;
        outcome = a.outcome;
        text = a.outcome == engine::outcome::refused ? a.words : a.value.text;
        integer = a.value.integer;
        sent = a.sent;
        if (then)
            then();
    }

    int answers = 0;
    engine::outcome outcome = engine::outcome::unknown;
    std::string text;
    std::int64_t integer = 0;
    core::instant sent;
    std::function<void()> then;
};

// The engine's side of one session in a simulation: records the session's events in order.
class recorder final : public engine::session_events {
public:
    explicit recorder(simulation& s, std::string_view process = "A", std::string_view server = "redis")
        : session_(s.make_session(s.at(process), server))
    {}
    // With options of its own.
    recorder(simulation& s, config const& c)
        : session_(s.make_session(s.at("A"), engine::strand(s.at("A").get_executor()), c, {}, "redis"))
    {}
    ~recorder() { session_->stop(); }

    engine::session& session() { return *session_; }
    void start() { session_->start(*this); }

    recorded_command& send(std::initializer_list<std::string_view> text)
    {
        commands.emplace_back();
        session_->submit(commands.back(), {text.begin(), text.size()});
        return commands.back();
    }

    int count(std::string_view event) const { return int(std::count(events.begin(), events.end(), event)); }

    std::vector<std::string> events;
    std::deque<recorded_command> commands;
    std::function<void()> when_open;
    std::function<void()> when_turn_ends;

private:
    void on_open() override
    {
        events.emplace_back("open");
        if (when_open)
            when_open();
    }
    void on_closed(engine::closing const&) override { events.emplace_back("closed"); }
    void on_message(std::string_view channel) override { events.emplace_back(channel); }
    void on_turn_end() override
    {
        if (when_turn_ends)
            when_turn_ends();
    }
    void on_alarm() override { events.emplace_back("alarm"); }

    std::shared_ptr<engine::session> session_;
};

}  // namespace holdfast::test

#endif
