//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ACQUISITION_HPP
#define HOLDFAST_ENGINE_ACQUISITION_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "core/backoff.hpp"
#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/pooled.hpp"
#include "core/turn_taking.hpp"
#include "engine/acquire/batch_acquire.hpp"
#include "engine/acquire/fair_queue.hpp"
#include "engine/acquire/probe.hpp"
#include "engine/acquire/subscriptions.hpp"
#include "engine/hold/grant.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_protocol.hpp"

namespace holdfast::engine {

class contender;
struct engine_parts;
class queued_arbiter;

// How an arbiter gets its grant from Redis: a first try; if that is refused, subscribe and try again in one write;
// then wait for a message or for the re-check, whichever comes first. The flag that a message sets is cleared before a
// try is sent, so that a message during the try leads to another.
//
// Of a fair lock: a patient try takes a place in a queue on the server. The token is kept until it is granted or given
// up, and its queue says when the next try is due.
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

    // Goes on, if there is something to do now: called whenever anything changed that it depends on.
    void proceed();

    // Nobody wants the grant any more. What is under way is given back when its outcome is known.
    void rest();

    // The session is open anew; `spread` paces the re-checks of many locks.
    void on_open(core::duration spread);
    void on_closed();

    // Lets other processes have a turn: waits for the reply to the release just queued and, if others heard of it, for
    // the next message or two round trips.
    void yield();
    void on_released(unsigned heard);

    bool is_under_way() const noexcept { return pending_ > 0; }
    bool is_known_busy() const noexcept { return known_busy_; }
    // Nothing is known since a try failed or the connection was lost.
    bool is_in_doubt() const noexcept { return in_doubt_; }
    // When the server was asked what it has not answered yet; never: nothing is under way.
    core::instant asked_since() const noexcept;
    bool is_at_rest() const noexcept { return pending_ == 0 && phase_ == phase::resting; }

private:
    enum class phase : std::uint8_t {
        resting,    // nobody contends, or somebody here holds the lock
        trying,     // the first try is under way, or the next may be sent at once
        waiting,    // refused: a message or the re-check leads to the next try
        pausing,    // nothing can be had from the server now: the next try is when the pause ends
        releasing,  // others are to have a turn: the reply to the release says whether any heard of it
        yielding,   // others have a turn: a message ends it, or its own end
    };

    void on_due(core::instant now) override;
    void on_message() override;
    std::string_view place_token() const noexcept override { return grant_->token(); }
    void on_turn() override;
    void on_seen() override;
    void on_try(answer const&);

    void attempt(script_form);
    void seek();
    bool hears() const noexcept { return listener::is_linked(); }
    bool is_due() const noexcept;
    bool is_too_early() const noexcept;
    std::string_view channel() const noexcept;
    void leave_channel();
    void wait_in_queue();
    void release_token();
    void prepare_to_wait();
    void decide();
    void settle();
    void on_granted();
    void on_late();
    void on_busy();
    void on_failed(error_code);
    void on_later();
    void on_no_script();
    void on_unknown();
    void doubt() noexcept;
    void compensate();
    void give_up_token();
    void pause();
    core::duration remaining() const noexcept;
    core::duration recheck_after();

    engine_parts const& parts_;
    queued_arbiter& arbiter_;
    boost::intrusive_ptr<grant> grant_;

    probe probe_{*this};
    command_of<acquisition, &acquisition::on_try> try_command_{*this};
    acquire_result result_;
    core::instant sent_{};
    core::instant asked_{};      // the try under way, or the release before a yield
    core::message_pace pace_{};  // of tries to which messages led

    std::string own_channel_;                  // of its place; empty: that of the lock
    boost::intrusive_ptr<fair_queue> queue_;   // of a fair lock
    boost::intrusive_ptr<batch_acquire> all_;  // that carries the try under way

    core::backoff pauses_;
    phase phase_ = phase::resting;
    std::uint8_t pending_ = 0;       // commands under way
    std::uint8_t late_ = 0;          // grants in a row that came when their validity had run out
    std::uint8_t own_share_ = 0;     // of those that heard our release: ourselves
    std::uint8_t own_messages_ = 0;  // the message of that release, still to come
    bool flagged_ = false;           // sticky: a message came since the last try was sent
    bool told_ = false;              // and it was of a release: the lock is likely free
    bool probed_ = false;            // refused before: tries go with a subscription, and with questions
    bool known_busy_ = false;        // the last answer was that somebody else holds it
    bool in_doubt_ = false;          // there was no such answer, nor a grant, since a try failed
    bool leaves_trace_ = false;      // a refused try of this token left something on the server
    bool is_placed_ = false;         // its token has, or may have, a place in the queue: it is kept
};

}  // namespace holdfast::engine

#endif
