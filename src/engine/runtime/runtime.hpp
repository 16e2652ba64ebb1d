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

// What all parts of a client use: its session, clock, deadlines, telemetry, options, tokens and lifecycle. It knows
// none of the parts. Everything on the strand, except telemetry() and lifecycle(), whose headers say what any thread
// may call.
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

    core::instant now() noexcept { return recent_ = session_->now(); }
    // The last result of now(). For code that follows it in the same turn: clock reads count on the path of an acquire.
    core::instant recent() const noexcept { return recent_; }

    void arm(core::deadline&, core::instant);
    void disarm(core::deadline& d) noexcept { deadlines_.disarm(d); }
    std::size_t deadlines() const noexcept { return deadlines_.size(); }
    // The session's alarm rings: runs the deadlines that are due.
    void on_alarm();

    // How long the server has taken to answer.
    core::response_time const& responses() const noexcept { return responses_; }
    void on_answer(answer const&);

private:
    void set_alarm();

    std::shared_ptr<engine::session> const session_;
    config const config_;
    std::weak_ptr<inbox> const home_;
    engine::log const log_;
    engine::telemetry telemetry_;
    engine::lifecycle lifecycle_;
    token_source tokens_;
    core::deadline_queue deadlines_;
    core::instant alarm_ = core::never;
    core::instant recent_{};
    core::response_time responses_;
};

}  // namespace holdfast::engine

#endif
