//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RUNTIME_HPP
#define HOLDFAST_ENGINE_RUNTIME_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

#include <holdfast/config.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/response_time.hpp"
#include "engine/port/log.hpp"
#include "engine/port/mailbox.hpp"
#include "engine/port/session.hpp"
#include "engine/runtime/lifecycle.hpp"
#include "engine/runtime/telemetry.hpp"
#include "engine/runtime/token_source.hpp"

namespace holdfast::engine {

// src/engine/runtime: what all parts of the engine share. The folder includes only itself, engine/protocol, engine/port
// and core, and the vocabulary of the public headers.
//
// The services of one client: session, clock, deadlines, telemetry, options, tokens and lifecycle. It does not know the
// parts, so each part can be read, and tested, with it alone. client_engine owns it. All functions are called on the
// strand, except telemetry() and lifecycle(), whose headers say which of their functions any thread may call.
class runtime {
public:
    runtime(std::shared_ptr<engine::session>, config const&, engine::log, std::weak_ptr<inbox> home);
    runtime(runtime const&) = delete;
    runtime& operator=(runtime const&) = delete;

    engine::session& session() noexcept { return *session_; }
    config const& options() const noexcept { return config_; }
    engine::log const& log() const noexcept { return log_; }
    engine::telemetry& telemetry() noexcept { return telemetry_; }
    engine::lifecycle& lifecycle() noexcept { return lifecycle_; }
    token_source& tokens() noexcept { return tokens_; }
    std::weak_ptr<inbox> const& home() const noexcept { return home_; }
    std::uint64_t random() noexcept { return session_->random(); }

    // Reads the clock.
    core::instant now() noexcept { return recent_ = session_->now(); }
    // The last result of now(), for code that runs after it in the same turn: reading the clock is a measurable part of
    // the cost of an acquire.
    core::instant recent() const noexcept { return recent_; }

    // Arms the deadline in the one queue of the client, whose earliest deadline sets the session's alarm.
    void arm(core::deadline&, core::instant);
    void disarm(core::deadline& d) noexcept { deadlines_.disarm(d); }
    std::size_t deadlines() const noexcept { return deadlines_.size(); }
    // The session's alarm has expired: runs the deadlines that are due.
    void on_alarm();

    // The estimate of the server's response time.
    core::response_time const& responses() const noexcept { return responses_; }
    // An attempt has its outcome.
    void on_answer(answer const&);

private:
    void set_alarm();

    std::shared_ptr<engine::session> const session_;  // before tokens_, whose constructor uses it
    config const config_;
    std::weak_ptr<inbox> const home_;  // weak, because the inbox owns the engine, and with it this object
    engine::log const log_;
    engine::telemetry telemetry_;
    engine::lifecycle lifecycle_;
    token_source tokens_;
    core::deadline_queue deadlines_;
    core::instant alarm_ = core::never;  // as requested from the session; never: none
    core::instant recent_{};
    core::response_time responses_;
};

}  // namespace holdfast::engine

#endif
