//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_UNIT_SESSION_SCENARIO_HPP
#define HOLDFAST_TEST_UNIT_SESSION_SCENARIO_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include "session/session.hpp"
#include "session/world.hpp"

// A session without a server and without a clock: the test acts as both.
namespace holdfast::session {

using lines = std::vector<std::string>;

inline constexpr core::instant start{std::chrono::hours(1000)};

inline engine::reply text(std::string_view t)
{
    return {.type = engine::reply::kind::text, .text = t};
}

// Records what the session does with one connection. The test acts as the server.
struct fake_connection final : connection {
    explicit fake_connection(std::weak_ptr<connection_events> e) : events(std::move(e)) {}

    void send(std::span<std::string_view const> words) override
    {
        std::string line;
        for (auto const w : words)
            line.append(line.empty() ? "" : " ").append(w);
        unsent.push_back(line);
    }
    void flush() override
    {
        sent.insert(sent.end(), unsent.begin(), unsent.end());
        unsent.clear();
    }
    void close() noexcept override { is_closed = true; }

    lines take() { return std::exchange(sent, {}); }

    void reply(std::string_view t) { events.lock()->on_reply(text(t)); }
    void error(std::string_view words) { events.lock()->on_error(words); }
    void end() { events.lock()->on_ended({boost::asio::error::eof, "End of file"}); }
    void hello(std::int64_t number)
    {
        std::vector<engine::reply> const items{text("id"), {engine::reply::kind::integer, number, {}, {}}};
        events.lock()->on_reply({.type = engine::reply::kind::array, .items = items});
    }
    void hello_of_member(std::int64_t number, std::string_view version)
    {
        std::vector<engine::reply> const items{
            text("id"),
            {engine::reply::kind::integer, number, {}, {}},
            text("mode"),
            text("cluster"),
            text("version"),
            text(version)};
        events.lock()->on_reply({.type = engine::reply::kind::array, .items = items});
    }
    void info(std::string const& run) { reply("# Server\r\nrun_id:" + run + "\r\nuptime_in_seconds:9\r\n"); }

    std::weak_ptr<connection_events> events;
    lines unsent, sent;
    bool is_closed = false;
};

struct fake_world {
    core::instant now = start;
    core::instant alarm = core::never;
    std::vector<std::shared_ptr<fake_connection>> connections;
    int read_only = 0;  // how often the connector was told so
};

class fake_environment final : public environment {
public:
    explicit fake_environment(fake_world& w) : world_(w) {}

    core::instant now() const noexcept override { return world_.now; }
    void wake_at(core::instant when) override { world_.alarm = std::min(world_.alarm, when); }
    void stop() noexcept override { world_.alarm = core::never; }
    std::uint64_t random() noexcept override { return 0; }
    std::array<std::uint8_t, 16> identity() override { return {}; }
    std::uint64_t incarnation() const noexcept override { return 0; }

private:
    fake_world& world_;
};

class fake_connector final : public connector {
public:
    explicit fake_connector(fake_world& w) : world_(w) {}

    std::shared_ptr<connection> connect(std::weak_ptr<connection_events> e) override
    {
        return world_.connections.emplace_back(std::make_shared<fake_connection>(std::move(e)));
    }
    std::string server_name() const override { return "fake"; }
    std::string_view host() const override { return "fake-host"; }
    void on_read_only() override { ++world_.read_only; }

private:
    fake_world& world_;
};

struct probe final : engine::command {
    void on_answer(engine::answer const& a) override
    {
        ++answers;
        outcome = a.outcome;
        words = a.outcome == engine::outcome::applied ? a.value.text : a.words;
    }

    int answers = 0;
    engine::outcome outcome = engine::outcome::unknown;
    std::string words;
};

// A session and the engine above it.
class scenario : engine::session_events, engine::world_events {
public:
    explicit scenario(
        unsigned database = 0,
        credentials_provider provider = {},
        purpose p = purpose::one_server,
        health_limits health = {})
        : strand_(context_.get_executor()),
          time_(std::make_shared<holdfast::session::world>()),
          session_(std::make_shared<session>(
              strand_,
              session::settings{
                  {.client_name = "me", .database = database},
                  std::chrono::seconds(3),
                  std::move(provider),
                  p,
                  {},
                  holdfast::sharded_messages::automatic,
                  health},
              engine::log([this](log_level, std::string_view line) { logged.emplace_back(line); }),
              time_,
              std::make_unique<fake_connector>(world)))
    {
        time_->live_in(std::make_unique<fake_environment>(world));
        time_->start(*this);
        session_->start(*this);
        turn();
    }
    ~scenario()
    {
        session_->stop();
        time_->stop();
    }

    session& operator*() { return *session_; }
    session* operator->() { return session_.get(); }
    holdfast::session::world& time() { return *time_; }
    fake_connection& server() { return *world.connections.back(); }

    void turn()
    {
        context_.restart();
        context_.poll();
    }
    void advance(core::duration by)
    {
        auto const end = world.now + by;
        for (auto const clock = time_->clock(); world.alarm <= end;) {
            world.now = std::max(world.now, std::exchange(world.alarm, core::never));
            clock.lock()->on_time();
            turn();
        }
        world.now = end;
    }
    // As SIGSTOP, and SIGCONT after this time: the clock runs, and the first thing that happens then is the timer.
    void stop_process_for(core::duration d)
    {
        world.now += d;
        advance({});
    }
    void submit(probe& p, std::initializer_list<std::string_view> words)
    {
        session_->submit(p, std::span(words.begin(), words.size()));
    }
    void greet(std::int64_t number, std::string const& run)
    {
        server().hello(number);
        server().info(run);
        server().take();
    }

    fake_world world;
    lines events;
    lines logged;
    lines redirects;
    int doubts = 0;
    engine::closing last;

private:
    void on_open() override { events.emplace_back("open"); }
    void on_closed(engine::closing const& c) override
    {
        events.emplace_back("closed: " + std::string(c.words));
        last = {c.code, {}, c.permanent};
    }
    void on_message(std::string_view channel) override { events.emplace_back("message: " + std::string(channel)); }
    void on_subscribed(std::string_view channel) override { events.push_back("subscribed: " + std::string(channel)); }
    void on_unsubscribed(std::string_view channel) override
    {
        events.push_back("unsubscribed: " + std::string(channel));
    }
    void on_turn_end() override {}
    void on_doubt(core::redirect const* to) override
    {
        if (to)
            redirects.push_back(std::string(to->host) + ":" + std::to_string(to->port));
        else
            ++doubts;
    }
    void on_alarm() override { events.emplace_back("alarm"); }

    boost::asio::io_context context_;
    engine::strand strand_;
    std::shared_ptr<holdfast::session::world> time_;
    std::shared_ptr<session> session_;
};

}  // namespace holdfast::session

#endif
