//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RELEASE_SCHEDULE_HPP
#define HOLDFAST_ENGINE_RELEASE_SCHEDULE_HPP

#include <cstdint>

#include <holdfast/error.hpp>

#include "core/backoff.hpp"
#include "core/clock.hpp"

// When one release is sent, repeated and ended, and when its waiter completes. All of it is pure, so that a unit test
// can try each pair of state and event. releaser::order sends the command, arms the deadline and completes the waiter.
namespace holdfast::engine {

// What the schedule cannot know itself.
struct release_facts {
    core::instant now;
    core::instant expiry;  // the key has expired then at the latest (grant::expiry()); never: that is not known yet
    bool is_open;          // the session is open
};

// What the releaser does after an event.
struct release_step {
    enum class kind : std::uint8_t {
        none,
        send,   // alone or in a batch; arms the deadline for `due`, unless it is `never`
        pause,  // arms the deadline for pause_end()
        arm,    // arms the deadline for `due`
        end,    // completes the waiter, unless it has completed, with `outcome`, and forgets the release
    };

    kind what = kind::none;
    core::instant due = core::never;
    error_code outcome = {};
    error_code ends_wait = {};  // first, the waiter completes with this error, while the release goes on
};

// Whether a repetition would be refused with that error, too, unless an operator acts: a missing right, for example.
bool is_permanent(error_code refusal) noexcept;

// | state            | event              | condition                   | next      | step                          |
// |------------------|--------------------|-----------------------------|-----------|-------------------------------|
// | waiting          | begin()            | open                        | under_way | send                          |
// | waiting          | begin()            | not open                    | waiting   | arm: the waiter's deadline    |
// | waiting, pausing | on_open()          |                             | under_way | send again                    |
// | waiting, pausing | on_due()           | expired                     | ended     | end: unavailable              |
// | waiting, pausing | on_due()           | open                        | under_way | send again                    |
// | waiting, pausing | on_due()           | not open                    | waiting   | arm: expiry, or before it the |
// |                  |                    |                             |           | waiter's deadline             |
// | under_way        | on_due()           | its waiter waits            |           | arm: the waiter's deadline    |
// | under_way        | on_applied()       | found                       | ended     | end: success                  |
// | under_way        | on_applied()       | not found, in doubt         | ended     | end: success                  |
// | under_way        | on_applied()       | not found, not in doubt     | ended     | end: lease_lost               |
// | under_way        | on_refused()       | wrong_type                  | ended     | end: lease_lost               |
// | under_way        | on_refused()       | another error or none       |           | as on_unanswered(), no doubt; |
// |                  |                    |                             |           | is_permanent() ends the wait  |
// | under_way        | on_moved()         | open                        | under_way | send again                    |
// | under_way        | on_moved()         | not open                    | waiting   | arm: expiry, or before it the |
// |                  |                    |                             |           | waiter's deadline             |
// | under_way        | on_unanswered()    | expired                     | ended     | end: unavailable              |
// | under_way        | on_unanswered()    | open                        | pausing   | pause                         |
// | under_way        | on_unanswered()    | not open                    | waiting   | arm: expiry, or before it the |
// |                  |                    |                             |           | waiter's deadline             |
// | all but ended    | stop()             |                             | ended     | end: client_stopped           |
//
// An event without a row changes nothing, and its step is `none`. The first row of an event whose condition holds
// decides; expired: now >= expiry. on_unanswered() leaves the release in doubt for good: the server may have executed
// that send, or may do so later. So a repetition that finds no token is a success (rule 7).
//
// The waiter's deadline is `command_timeout` after the release was queued; begin() arms it without a waiter, too. The
// first on_due() at or after it ends the wait, in each state but ended. The command of the first send ends then, too. That
// of a later one ends later, so "send again" arms the waiter's deadline if its waiter waits. There is one deadline: a
// step that arms it replaces the earlier instant, and while the release is under way that of an earlier step stays armed.
class release_schedule {
public:
    enum class state : std::uint8_t {
        waiting,    // for a connection: the epoch that opens sends it
        pausing,    // it is repeated when the pause ends, or when an epoch opens
        under_way,  // in a batch or sent, and without an outcome
        ended,
    };

    release_schedule(core::instant queued, core::duration command_timeout, bool has_waiter) noexcept;

    state current_state() const noexcept { return state_; }
    core::instant queued() const noexcept { return queued_; }

    // The first event.
    release_step begin(bool is_open) noexcept;
    // A new epoch.
    release_step on_open() noexcept;
    // The armed deadline has come.
    release_step on_due(release_facts const&) noexcept;
    // The server executed the release. `found`: it deleted the token; false: the key did not have it.
    release_step on_applied(bool found) noexcept;
    // The server refused it: the error of classify_failure(), which is empty if the server accepts no command now.
    release_step on_refused(error_code, release_facts const&) noexcept;
    // The server redirected it: the lock is at another server of the cluster now.
    release_step on_moved(release_facts const&) noexcept;
    // Its outcome is unknown.
    release_step on_unanswered(release_facts const&) noexcept;
    // The client was stopped.
    release_step stop() noexcept;

    // Call once after each step `pause`: returns when the pause ends, which is the waiter's deadline at the latest.
    core::instant pause_end(core::instant now, std::uint64_t random) noexcept;

private:
    bool is_idle() const noexcept { return state_ == state::waiting || state_ == state::pausing; }
    release_step send() noexcept;
    release_step send_again() noexcept;
    release_step resume(release_facts const&) noexcept;
    release_step repeat(release_facts const&) noexcept;
    release_step wait_until(core::instant due) noexcept;
    release_step watch_deadline() const noexcept;
    release_step end(error_code) noexcept;
    bool end_wait(core::instant now) noexcept;
    core::instant limited(core::instant due, core::instant now) const noexcept;

    core::instant queued_;
    core::instant waiter_deadline_;
    core::backoff pauses_{std::chrono::milliseconds(10), std::chrono::seconds(1)};
    state state_ = state::waiting;
    bool is_awaited_;           // its waiter has not completed
    bool is_in_doubt_ = false;  // an earlier send may have been executed
};

}  // namespace holdfast::engine

#endif
