//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ACQUISITION_HPP
#define HOLDFAST_ENGINE_ACQUISITION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/described_error.hpp>

#include "core/attempt_width.hpp"
#include "core/backoff.hpp"
#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/attempt_call.hpp"
#include "engine/acquire/attempt_schedule.hpp"
#include "engine/acquire/fair_queue.hpp"
#include "engine/acquire/sought_grant.hpp"
#include "engine/acquire/subscriptions.hpp"
#include "engine/acquire/unlock_messages.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/release/releaser.hpp"

namespace holdfast::engine {

struct engine_parts;
class queued_arbiter;
class shard;

// The folder `engine/acquire` has the contenders of one client and their queues, and acquires grants for them. It may
// include the other folders of the engine and `core`. client_engine enters it through the registry.
//
// An acquisition acquires the grant for the head of one arbiter's queue. It makes a first attempt; if the server
// refuses that, it sends a subscription and a second attempt in one write; then it makes an attempt for each message or
// re-check, whichever comes first (rule 13). attempt_schedule.hpp says when an attempt is made. The arbiter owns the
// acquisition and may delete it within proceed() and on_granted() of the arbiter. All calls on the strand.
//
// An attempt of a semaphore serves the head and contenders behind it. The server grants permits to the first of them,
// as many as it can: the refusal of the next one, if any, then concerns the new head.
//
// An attempt of a fair lock that waits takes a place in a queue on the server. The acquisition keeps the token of that
// attempt until the lock is granted or the contender gives up, and the queue says when the next attempt is due.
class acquisition final : public core::pooled<acquisition>,
                          private core::deadline,
                          private listener,
                          private place,
                          private attempt_listener {
public:
    acquisition(engine_parts const&, queued_arbiter&);
    ~acquisition();

    acquisition(acquisition const&) = delete;
    acquisition& operator=(acquisition const&) = delete;

    // Sends the next attempt if one is due, none is under way and the session is open. The arbiter calls it after each
    // change on which that depends; a call that changes nothing is harmless.
    void proceed();

    // A new epoch is open, as `before` other acquisitions of the client have learned (attempt_delay()).
    void on_open(std::size_t before);
    void on_closed();
    // The lock is at another server of the cluster now.
    void on_moved(std::size_t before);

    // Gives other processes a turn. The acquisition waits for the reply to the release that was just queued; if other
    // subscribers received its message, it then waits for the next message or for two round trips. Preconditions: no
    // attempt is under way, and the release was queued before this call.
    void yield();
    // The reply to that release has come: so many subscribers received the message, perhaps this client among them.
    void on_released(unsigned receivers);

    // Why the last attempt was not answered as granted or busy; errc::unavailable if the server has given no reason.
    detail::described_error last_failure() const { return call_.failure(); }

    bool is_under_way() const noexcept { return engine::is_under_way(state_); }
    bool is_at_rest() const noexcept { return state_ == attempt_state::resting; }
    bool is_known_busy() const noexcept { return known_ == knowledge::held; }
    bool is_in_doubt() const noexcept { return known_ == knowledge::doubt; }
    // When the command was sent whose reply has not come: an attempt, or the release before a turn of others. `never`:
    // there is none.
    core::instant unanswered_since() const noexcept
    {
        return is_under_way() || is_releasing(state_) ? sent_ : core::never;
    }

private:
    // What the last reply showed of the lock.
    enum class knowledge : std::uint8_t {
        nothing,
        held,   // another contender holds the lock
        doubt,  // nothing, because the attempt failed or the connection was lost
    };

    void on_due(core::instant now) override;
    void on_message() override;
    std::string_view place_token() const noexcept override { return sought_->token(); }
    void on_turn() override;
    void on_answered(answer const&, acquire_result const&) override;
    void on_result(acquire_result) override;

    void step(attempt_event e) noexcept { state_ = next(state_, e); }
    void doubt(attempt_event e) noexcept
    {
        known_ = knowledge::doubt;
        step(e);
    }
    bool is_subscribed() const noexcept { return listener::is_linked(); }
    bool is_due() const noexcept { return state_ == attempt_state::ready || state_ == attempt_state::notified; }
    shard& server() const noexcept;
    std::string_view channel() const noexcept;
    bool is_notified_alone() const noexcept;
    void join_channel();
    bool is_listening() const noexcept { return is_notified_alone() && is_subscribed(); }
    void leave_channel();
    void settle();

    void attempt(script_form);
    bool can_attempt_again() const;
    void prepare(contender const&);
    void prepare_wait(contender const&);
    void conclude(acquire_result const&);
    bool is_late() const;
    sought_grant::grant_list take(std::size_t n);
    void on_granted(acquire_result const&);
    void on_some_granted(acquire_result const&);
    void on_unusable(detail::described_error);
    void on_busy(acquire_result const&);
    bool must_repeat(bool needs_probe) const;
    bool is_eased() const;
    void on_failed(detail::described_error);
    void on_later();
    void on_no_script();
    void on_asked();
    core::instant others_turn_end() const;
    void defer(core::instant until);
    void on_unknown();
    void pause();
    core::duration recheck_after();
    void wait_for_turn();
    bool is_last_look() const noexcept;

    engine_parts const& parts_;
    queued_arbiter& arbiter_;
    sought_grant sought_;

    unlock_messages messages_;
    attempt_call call_;
    core::instant sent_{};           // send of the attempt under way, or of the release before a turn of others
    overtaken_count overtaken_ = 0;  // when the attempt was sent
    core::backoff pauses_;
    core::attempt_width width_;
    attempt_state state_ = attempt_state::resting;
    knowledge known_ = knowledge::nothing;
    std::uint8_t unusable_ = 0;  // grants in a row that came too late, or that replicas did not acknowledge
    bool was_refused_ = false;   // attempts go with a subscription and with a probe
};

}  // namespace holdfast::engine

#endif
