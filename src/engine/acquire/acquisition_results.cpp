//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What an acquisition does with the results of its attempts. The rest of the class is in acquisition.cpp.

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <holdfast/error.hpp>

#include "core/turn_taking.hpp"
#include "core/validity.hpp"
#include "engine/acquire/acquisition.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/queued_arbiter.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

// After so many grants in a row that cannot be used the acquire ends with an error (rule 3).
constexpr int most_unusable_grants = 3;
// How long before the end of its wait the first waiter of a fair lock asks again, besides the time for the reply.
constexpr core::duration last_look_lead = std::chrono::milliseconds(10);
constexpr std::string_view came_late = "the replies to its grants came when no validity was left";

void give(queued_arbiter& to, sought_grant::grant_list won)
{
    for (auto& g : won)
        to.on_granted(std::move(g));
}

}  // namespace

void acquisition::on_answered(answer const& a, acquire_result const& r)
{
    sought_.on_answered(a, r);
}

void acquisition::on_result(acquire_result r)
{
    // The result may end the last contender, and with it the arbiter that owns this object.
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    r.granted_before > 0 ? on_some_granted(r) : conclude(r);
    keep->proceed();  // not arbiter_: an arbiter that holds the lock may have deleted this object
}

void acquisition::conclude(acquire_result const& r)
{
    switch (r.what) {
        case acquire_result::kind::granted: on_granted(r); break;
        case acquire_result::kind::busy: on_busy(r); break;
        case acquire_result::kind::failed: on_failed({r.error, call_.words()}); break;
        case acquire_result::kind::later: on_later(); break;
        case acquire_result::kind::moved: step(attempt_event::repeat); break;
        case acquire_result::kind::unknown: on_unknown(); break;
        case acquire_result::kind::no_script: on_no_script(); break;
        case acquire_result::kind::asked: on_asked(); break;
        case acquire_result::kind::unacknowledged: on_unusable({r.error, call_.words()}); break;
    }
}

void acquisition::on_granted(acquire_result const& r)
{
    if (is_late())
        return on_unusable({error_code(), detail::make_error_text(came_late)});
    width_.on_all_granted();
    // Before settle(), which releases a token that is still sought.
    auto won = take(sought_.size());
    won.front()->fence = r.fence;
    won.front()->number = r.number;
    won.front()->settle = std::chrono::duration_cast<decltype(grant::settle)>(r.settle);
    settle();
    // Last, because the arbiter may delete this object.
    give(arbiter_, std::move(won));
}

// The reply may have come late, or the process was paused before it read the reply (rule 3).
bool acquisition::is_late() const
{
    auto const* head = arbiter_.head();
    auto const lasts = head ? usable(head->terms(), sought_->lease()) : sought_->lease();
    return parts_.runtime.now() >= core::valid_until(call_.sent(), lasts);
}

sought_grant::grant_list acquisition::take(std::size_t n)
{
    auto won = sought_.take(n);
    for (auto const& g : won)
        g->confirm(call_.sent(), g->lease());
    messages_.pace.reset();
    unusable_ = 0;
    return won;
}

// The server granted permits to some contenders, and not to the one behind them, which is the head from now on. The
// others get theirs before the refusal is handled.
void acquisition::on_some_granted(acquire_result const& r)
{
    // A reply that grants more than it was asked for makes no sense.
    if (r.granted_before >= sought_.size())
        return on_unknown();
    if (is_late())
        return on_unusable({error_code(), detail::make_error_text(came_late)});
    give(arbiter_, take(r.granted_before));
    r.what == acquire_result::kind::busy ? on_busy(r) : on_failed({r.error, call_.words()});
}

// No validity was left when the reply came, or too few replicas have the grant. The client releases it and makes
// another attempt. After several in a row no contender can hold a lock with that lease time, or no replica follows the
// server, and the head completes with an error (rule 3). With an error code another attempt would not help.
void acquisition::on_unusable(described_error why)
{
    sought_.compensate();
    pause();
    if (!why && ++unusable_ < most_unusable_grants)
        return;
    unusable_ = 0;
    if (!why)
        why.code = errc::unavailable;
    arbiter_.fail_head(why);
}

void acquisition::on_busy(acquire_result const& r)
{
    // Perhaps the client's own grant, whose release the attempt has overtaken.
    if (parts_.releaser.was_overtaken(sought_->lock(), overtaken_))
        return step(attempt_event::repeat);
    if (is_subscribed() && !call_.has_asked())
        parts_.subscriptions.on_served(server(), channel());
    width_.on_granted(r.granted_before);
    sought_.forget_followers();
    arbiter_.on_contested();
    arbiter_.on_permits(r.permits);
    arbiter_.note_held();
    // The server answers again: a wait that ends now is busy, not unavailable.
    if (is_in_doubt())
        known_ = knowledge::nothing;
    bool const is_first = !std::exchange(was_refused_, true);
    if (must_repeat(is_first && r.is_mute))
        return step(attempt_event::repeat);
    known_ = knowledge::held;
    step(attempt_event::refused);
    arbiter_.on_busy(sought_->lock().permits());
    if (sought_.has_place())
        wait_for_turn();
    else
        parts_.runtime.arm(*this, parts_.runtime.now() + recheck_after());
}

// A place in a fair lock's queue needs no re-check of its own: one refresh covers all places of this client. But just
// before its wait ends the first of them makes an attempt, because the next refresh may come later.
void acquisition::wait_for_turn()
{
    sought_.wait_for_turn(call_.remaining());
    auto const* head = arbiter_.head();
    if (!head || !head->is_armed())
        return;
    auto const now = parts_.runtime.now();
    auto const look = head->due() - 2 * server().responses().average() - last_look_lead;
    if (look > now)
        parts_.runtime.arm(*this, look);
}

bool acquisition::is_last_look() const noexcept
{
    return state_ == attempt_state::waiting && known_ == knowledge::held && sought_.has_place();
}

// The refusal of a semaphore, and the entry of those that wait there, concern one token. A head that needs another token gets
// an attempt at once: it may be granted, and its entry is there before a message comes for the old one.
bool acquisition::is_eased() const
{
    auto const& head = *arbiter_.head();
    return state_ == attempt_state::waiting && head.lock().semaphore && sought_ && !sought_.is_for(head);
}

// No contender waits without a subscription: if there is none yet, or the contender joined while only single attempts
// were made, the client makes another attempt with it. A first refusal that does not describe the key leads to another
// attempt, too, even for single attempts: the probe decides whether the key is a lock or wrong_type (rule 15).
bool acquisition::must_repeat(bool needs_probe) const
{
    bool const must_subscribe = !is_subscribed() && server().session().notifies();
    return arbiter_.head() && (needs_probe || (must_subscribe && arbiter_.has_waiting_contender()));
}

void acquisition::on_failed(described_error ec)
{
    // A copy, because give_up() drops the grant.
    auto const lock = sought_->shared_lock();
    sought_.give_up();
    step(attempt_event::ended);
    arbiter_.on_failed(*lock, ec);
}

// The server cannot grant now, and may have said why.
void acquisition::on_later()
{
    pause();
    arbiter_.on_doubt();
}

// The server did not apply the script. It is sent again only if the head still wants this grant. Otherwise it would
// acquire the lock for a contender that has left (rule 7).
void acquisition::on_no_script()
{
    if (call_.has_asked())
        on_asked();
    else if (can_attempt_again() && server().is_open())
        attempt(call_.repeated_form());
    else
        step(attempt_event::repeat);
}

// The server did not apply the attempt: the server that imports the hash slot may grant the lock.
void acquisition::on_asked()
{
    if (!can_attempt_again() || !call_.can_ask())
        return pause();  // the session to that server is opening
    if (auto const end = others_turn_end(); end > parts_.runtime.now())
        return defer(end);
    step(attempt_event::sent);
    sent_ = parts_.runtime.recent();
    auto const followers = sought_.followers();
    auto const wanted = arbiter_.attempt_with(*sought_, followers, is_listening());
    sought_.on_sent(wanted);
    call_.send_asking(*sought_, wanted);
}

// This client may have released the lock at that server a moment ago, and the other waiters notice it only when they look.
// A single attempt does not wait for their turn, and the queue of a fair lock gives turns itself.
core::instant acquisition::others_turn_end() const
{
    auto const& head = *arbiter_.head();
    bool const leaves = !head.is_one_shot() && !head.lock().protocol->has_queue();
    return leaves ? parts_.releaser.unnoticed_until(head.lock()) : core::instant::min();
}

void acquisition::defer(core::instant until)
{
    known_ = knowledge::nothing;
    step(attempt_event::deferred);
    parts_.runtime.arm(*this, until);
}

// Whether the head still wants the grant that was sought.
bool acquisition::can_attempt_again() const
{
    return arbiter_.head() && sought_.is_for(*arbiter_.head());
}

// A reply or the connection was lost: the server may have granted the lock, or may yet do so. The release of the token
// follows the attempt on the same connection, and the next attempt has a new token (rules 6 and 7). Only a place in a
// fair lock's queue keeps its token. If the connection was lost, a single attempt is made again on the next one: a
// balancer may have closed a connection that was idle.
void acquisition::on_unknown()
{
    sought_.compensate();
    if (server().is_open())
        return on_later();
    doubt(attempt_event::repeat);
}

void acquisition::pause()
{
    doubt(attempt_event::postponed);
    auto const usual = pauses_.next(parts_.runtime.random());
    parts_.runtime.arm(
        *this, parts_.runtime.now() + (call_.is_in_open_slot() ? std::min(usual, core::open_slot_interval) : usual));
}

// A message may be lost, and a crashed holder sends none. So the client makes another attempt when the grant of the
// present holder ends, and at least once in a poll interval; without subscriptions, and for a lock whose messages do not
// reach this client, more often.
core::duration acquisition::recheck_after()
{
    core::duration longest = parts_.runtime.options().poll_interval;
    if (call_.has_asked())
        longest = std::min(longest, core::open_slot_interval);
    if (!server().session().notifies())
        longest = std::min(longest, pauses_.next(parts_.runtime.random()));
    return core::recheck_after(std::min(call_.remaining(), longest), parts_.runtime.random());
}

}  // namespace holdfast::engine
