//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SESSION_PROBE_HPP
#define HOLDFAST_TEST_SUPPORT_SESSION_PROBE_HPP

#include <chrono>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include <holdfast/config.hpp>

#include "engine/port/client_io.hpp"
#include "engine/port/strand.hpp"
#include "redis/connection.hpp"

namespace holdfast::test {

// A command and its answer.
struct sent_command final : engine::command {
    struct item {
        engine::reply::kind type;
        std::int64_t integer;
        std::string text;
    };

    bool answered = false;
    int times = 0;  // on_answer() was called
    engine::outcome outcome = engine::outcome::unknown;
    engine::refusal why = engine::refusal::none;
    core::instant sent{};
    engine::reply::kind type = engine::reply::kind::nil;
    std::int64_t integer = 0;
    std::string text;
    std::string words;
    std::vector<item> items;
    std::function<void()> then;  // called within on_answer()

    void on_answer(engine::answer const&) override;
};

// The engine's side of a world and of a session over Boost.Redis, for tests of the session alone: records all events.
class session_probe final : public engine::session_events, public engine::world_events {
public:
    explicit session_probe(config, redis::name_lookup = redis::look_up);
    explicit session_probe(std::string url) : session_probe(with_url(std::move(url))) {}
    ~session_probe();

    static config with_url(std::string url);

    engine::world& world() { return *io_.world; }
    engine::session& session() { return *io_.session; }
    void start();
    void stop() noexcept;

    // Runs the event loop until the condition holds; returns false after twenty seconds.
    bool run_until(std::function<bool()> const&);
    void run_for(std::chrono::milliseconds);

    // Runs until nothing is pending; returns false after ten seconds.
    bool run_to_end();

    bool start_and_open();

    // Submits a command on the strand, at once. The returned object lives as long as the probe.
    sent_command& send(std::initializer_list<std::string_view> words);

    // Submits a command and runs until it is answered.
    sent_command& execute(std::initializer_list<std::string_view> words);

    // Destroys the execution context before the session, with everything that is pending in it.
    void destroy_context();

    std::size_t count_of_lines(std::string_view part) const;
    bool has_logged(std::string_view part) const { return count_of_lines(part) > 0; }

    struct closing {
        boost::system::error_code code;
        std::string words;
        bool permanent;
    };

    int opened = 0;
    int alarms = 0;
    std::vector<closing> closed;
    std::vector<std::string> messages;
    std::vector<std::pair<log_level, std::string>> lines;

    // Called when the event happens.
    std::function<void()> when_open;
    std::function<void()> when_closed;
    std::function<void()> when_message;
    std::function<void()> when_turn_ends;

private:
    void on_open() override;
    void on_closed(engine::closing const&) override;
    void on_message(std::string_view channel) override;
    void on_turn_end() override;
    void on_alarm() override;

    std::unique_ptr<boost::asio::io_context> context_;
    std::deque<sent_command> commands_;
    engine::client_io io_;
};

}  // namespace holdfast::test

#endif
