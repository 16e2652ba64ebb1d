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

#include "engine/port/client_io.hpp"
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

// The engine's side of one session and its world in a simulation: records the events in order.
class recorder final : public engine::session_events, public engine::world_events {
public:
    explicit recorder(simulation& s, std::string_view process = "A", std::string_view server = "redis")
        : io_(s.make_io(s.at(process), server))
    {}
    // With options of its own.
    recorder(simulation& s, config const& c)
        : io_(s.make_io(s.at("A"), engine::strand(s.at("A").get_executor()), c, {}, "redis"))
    {}
    ~recorder() { stop(); }

    engine::world& world() { return *io_.world; }
    engine::session& session() { return *io_.session; }
    void start()
    {
        world().start(*this);
        session().start(*this);
    }
    void stop() noexcept
    {
        session().stop();
        world().stop();
    }

    recorded_command& send(std::initializer_list<std::string_view> text)
    {
        commands.emplace_back();
        session().submit(commands.back(), {text.begin(), text.size()});
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

    engine::client_io io_;
};

}  // namespace holdfast::test

#endif
