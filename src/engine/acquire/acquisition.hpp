//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ACQUISITION_HPP
#define HOLDFAST_ENGINE_ACQUISITION_HPP

#include <cstdint>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "core/backoff.hpp"
#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/pooled.hpp"
#include "core/turn_taking.hpp"
#include "engine/acquire/attempt_schedule.hpp"
#include "engine/acquire/batch_acquire.hpp"
#include "engine/acquire/fair_queue.hpp"
#include "engine/acquire/probe.hpp"
#include "engine/acquire/sought_grant.hpp"
#include "engine/acquire/subscriptions.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_protocol.hpp"

namespace holdfast::engine {

struct engine_parts;
class queued_arbiter;

// How an arbiter gets its grant from Redis: a first attempt; if that is refused, a subscription and a second attempt in
// one write; then an attempt for each message, or for each re-check, whichever comes first. attempt_schedule.hpp says
// when an attempt is made.
//
// An attempt of a fair lock that waits takes a place in a queue on the server. Its token is kept until it is granted or
// given up, and the queue says when the next attempt is due.
class acquisition final : public core::pooled<acquisition>,
                          private core::deadline,
                          private listener,
                          private place,
                          private probe_listener {
public:
    acquisition(engine_parts const&, queued_arbiter&);
    ~acquisition();

    acquisition(acquisition const&) = delete;
    acquisition& operator=(acquisition const&) = delete;

    // Makes the next attempt if it is due. Called whenever anything has changed on which that depends.
    void proceed();

    // The session is open anew; `spread` paces the re-checks of many locks.
    void on_open(core::duration spread);
    void on_closed();

    // Lets other processes have a turn: waits for the reply to the release just queued and, if others received its
    // message, for the next message or two round trips.
    void yield();
    void on_released(unsigned heard);

    bool is_under_way() const noexcept { return engine::is_under_way(state_); }
    bool is_at_rest() const noexcept { return state_ == attempt_state::resting; }
    bool is_known_busy() const noexcept { return known_ == knowledge::held; }
    bool is_in_doubt() const noexcept { return known_ == knowledge::doubt; }
    // When the command was sent whose answer is awaited; never: none is under way.
    core::instant asked_since() const noexcept { return is_under_way() || is_releasing(state_) ? asked_ : core::never; }

private:
    // What the last attempt showed.
    enum class knowledge : std::uint8_t {
        nothing,
        held,   // somebody else holds the lock
        doubt,  // nothing, because the attempt failed or the connection was lost
    };

    void on_due(core::instant now) override;
    void on_message() override;
    std::string_view place_token() const noexcept override { return sought_->token(); }
    void on_turn() override;
    void on_probed() override;
    void on_attempted(answer const&);

    void step(attempt_event e) noexcept { state_ = next(state_, e); }
    void doubt(attempt_event e) noexcept
    {
        known_ = knowledge::doubt;
        step(e);
    }
    bool hears() const noexcept { return listener::is_linked(); }
    bool is_due() const noexcept { return state_ == attempt_state::ready || state_ == attempt_state::notified; }
    bool is_too_early() const noexcept;
    std::string_view channel() const noexcept;
    void leave_channel();
    void settle();

    void attempt(script_form);
    void prepare(contender const&);
    void ask_with(contender const&);
    void classify();
    void on_granted();
    void on_late();
    void on_busy();
    bool must_repeat() noexcept;
    void on_failed(error_code);
    void on_later();
    void on_no_script();
    void on_unknown();
    void pause();
    // When the lock may become free without a message.
    core::duration remaining() const noexcept { return result_.is_mute ? probe_.remaining() : result_.remaining; }
    core::duration recheck_after();

    engine_parts const& parts_;
    queued_arbiter& arbiter_;
    sought_grant sought_;

    probe probe_{*this};
    command_of<acquisition, &acquisition::on_attempted> command_{*this};
    acquire_result result_;
    core::instant sent_{};
    core::instant asked_{};                      // the attempt under way, or the release before a yield
    core::message_pace pace_{};                  // of attempts to which messages led
    boost::intrusive_ptr<batch_acquire> batch_;  // that carries the attempt under way

    core::backoff pauses_;
    attempt_state state_ = attempt_state::resting;
    knowledge known_ = knowledge::nothing;
    std::uint8_t awaited_ = 0;       // answers to the attempt under way and its probe
    std::uint8_t late_grants_ = 0;   // in a row, whose validity had run out when they came
    std::uint8_t own_share_ = 0;     // of those that received the message of our release: ourselves
    std::uint8_t own_messages_ = 0;  // the message of that release, still to come
    bool is_likely_free_ = false;    // a message said that the lock was released
    bool was_refused_ = false;       // attempts go with a subscription, and with a probe
};

}  // namespace holdfast::engine

#endif
