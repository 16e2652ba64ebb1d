//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/acquisition.hpp"

#include <cassert>

#include <holdfast/error.hpp>

#include "core/validity.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/queued_arbiter.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;

constexpr core::duration first_pause = 10ms;
constexpr core::duration longest_pause = 1s;

// The time after which the client sends a probe if the last attempt had none. Usually the faster contender has released
// the lock by then, and no probe is needed. No lease time is shorter than this (rule 3), so no grant ends sooner.
constexpr core::duration probe_again = 100ms;

}  // namespace

acquisition::acquisition(engine_parts const& p, queued_arbiter& a)
    : parts_(p), arbiter_(a), sought_(p, *this), call_(p.runtime, *this), pauses_(first_pause, longest_pause)
{}

acquisition::~acquisition()
{
    leave_channel();
}

shard& acquisition::server() const noexcept
{
    return parts_.runtime.shard_of(arbiter_.lock());
}

// ---- the schedule

void acquisition::proceed()
{
    if (is_under_way())
        return;
    if (!arbiter_.head()) {
        // No contender of this process waits: the next grant starts with a full hand-off budget.
        arbiter_.on_contested();
        return settle();
    }
    if (is_eased()) {
        known_ = knowledge::nothing;
        step(attempt_event::eased);
    }
    step(attempt_event::wanted);
    if (!is_due() || !server().is_open())
        return;
    // Messages may lead to an attempt only at their pace, so an attempt that is too early waits. A re-check that is due
    // before that stays armed, and leads back to this line.
    if (state_ == attempt_state::ready || !messages_.are_ahead_of_pace(parts_.runtime.recent()))
        attempt(script_form::sha1);
    else if (!is_armed() || due() > messages_.pace.next())
        parts_.runtime.arm(*this, messages_.pace.next());
}

// The lock is held, or no contender is left. The subscription lasts for a second longer (subscriptions.hpp).
void acquisition::settle()
{
    step(attempt_event::ended);
    known_ = knowledge::nothing;
    messages_.forget_release();
    was_refused_ = false;
    sought_.give_up();
    pauses_.reset();
    parts_.runtime.disarm(*this);
    leave_channel();
}

std::string_view acquisition::channel() const noexcept
{
    return sought_.channel().empty() ? arbiter_.lock().channel : std::string_view(sought_.channel());
}

// Whether the server notifies this client when it is its turn. The first handle decides: heads of other handles come and
// go while the subscription stays.
bool acquisition::is_notified_alone() const noexcept
{
    auto const& lock = arbiter_.lock();
    return lock.semaphore && !lock.semaphore->with_redisson && !lock.protocol->has_queue();
}

void acquisition::join_channel()
{
    if (is_notified_alone())
        sought_.use_channel_of_client(arbiter_.lock());
    parts_.subscriptions.join(arbiter_.lock(), channel(), *this);
}

void acquisition::leave_channel()
{
    parts_.subscriptions.leave(channel(), *this);
    sought_.forget_channel();
}

// ---- an attempt

void acquisition::attempt(script_form form)
{
    auto& head = *arbiter_.head();
    parts_.runtime.disarm(*this);
    // The head may be another contender than that of the last attempt, and one token serves one lease time only.
    if (!sought_.is_for(head))
        was_refused_ = sought_.begin(head, arbiter_.covering_write()) || was_refused_;
    // An own release of this lock that is still queued goes first. Behind the attempt, it would make the attempt fail.
    parts_.releaser.flush(head.lock());
    prepare(head);
    // The flag that a message sets is cleared before the command is submitted, not when its reply comes: a message in
    // between may announce a release that the server executed after it had refused this attempt (rule 13).
    step(attempt_event::sent);
    sent_ = parts_.runtime.recent();
    overtaken_ = parts_.releaser.overtaken();
    if (head.lock().protocol->serves_followers())
        sought_.follow(arbiter_.contenders(), width_.now());
    auto const followers = sought_.followers();
    auto const wanted = arbiter_.attempt_with(*sought_, followers, is_listening());
    sought_.on_sent(wanted);
    call_.send(head, *sought_, wanted, form);
}

// An attempt to which a message led is sent alone, because the lock is likely free. Any other attempt that follows a
// refusal goes with a subscription and, if its reply does not describe the key, with a probe.
void acquisition::prepare(contender const& head)
{
    if (messages_.on_attempt() && is_subscribed()) {
        call_.assume(probe_again);
        messages_.pace.spend(parts_.runtime.recent());
    } else if (was_refused_)
        prepare_wait(head);
}

void acquisition::prepare_wait(contender const& head)
{
    // SUBSCRIBE is submitted before the attempt: in the other order the client misses a release that the server
    // executes between the two (rule 13). Single attempts end with a refusal, so they need no subscription.
    if (!is_subscribed() && arbiter_.has_waiting_contender())
        join_channel();
    if (head.lock().protocol->is_mute())
        call_.add_probe(head.lock());
}

// ---- events

void acquisition::on_due(core::instant)
{
    if (is_last_look() && !sought_.may_be_first())
        return;
    // proceed() may end the arbiter, which owns this object.
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    step(attempt_event::due);
    // A message that came too early for an attempt still counts. One that came during a pause or a turn of others may
    // be outdated: the next attempt goes with a probe.
    if (state_ != attempt_state::notified)
        messages_.forget_release();
    arbiter_.proceed();
}

void acquisition::on_message()
{
    if (!messages_.take())
        return;
    // A message comes in an iteration of its own of the event loop: this refreshes recent(), which is compared with the
    // pace.
    parts_.runtime.now();
    on_turn();
}

void acquisition::on_turn()
{
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    step(attempt_event::notified);
    arbiter_.proceed();
}

// Messages of the old connection do not count: the server may have restarted since. An attempt that was due because of
// one must not overtake the pace of the re-checks.
void acquisition::on_open(std::size_t before)
{
    messages_.on_open();
    // An attempt under way belongs to this epoch, or was sent to a former server of the lock: its answer decides.
    if (is_at_rest() || is_under_way())
        return;
    auto const delay = attempt_delay(before, was_refused_, parts_.runtime.random());
    if (delay == core::duration::zero()) {
        step(attempt_event::opened);
        return arbiter_.proceed();
    }
    step(attempt_event::opened_paced);
    parts_.runtime.arm(*this, parts_.runtime.now() + delay);
}

void acquisition::on_moved(std::size_t before)
{
    server().is_open() ? on_open(before) : on_closed();
}

void acquisition::on_closed()
{
    // The session answers all commands before it ends the epoch, so an attempt under way was sent to a former server of
    // the lock: its answer decides.
    assert(!is_under_way() || parts_.runtime.router());
    if (is_under_way())
        return;
    parts_.runtime.disarm(*this);
    if (is_at_rest())
        return;  // this process holds the lock, and its renewals detect a loss; or no contender is left
    // Other processes may acquire and release the lock during the outage.
    doubt(attempt_event::closed);
}

// ---- turns of other processes

void acquisition::yield()
{
    arbiter_.on_contested();
    step(attempt_event::yielded);
    sent_ = parts_.runtime.recent();
    // Limits the turn of others even if no reply to the release arrives.
    parts_.runtime.arm(*this, sent_ + core::longest_yield);
    // Before the channel is joined below: the release is submitted, so only a subscription that exists already receives
    // its message.
    // A client that is notified alone does not receive the message of its own release.
    messages_.on_own_release(!is_notified_alone() && parts_.subscriptions.is_subscribed(channel()));
    if (server().is_open() && !is_subscribed())
        join_channel();
}

void acquisition::on_released(unsigned receivers)
{
    if (!is_releasing(state_))
        return;
    step(messages_.reached_others(receivers) ? attempt_event::others_notified : attempt_event::none_notified);
    auto const trip = server().responses().average();
    if (state_ == attempt_state::yielding)
        parts_.runtime.arm(*this, core::yield_end(sent_, parts_.runtime.now(), trip, parts_.runtime.random()));
    arbiter_.proceed();
}

}  // namespace holdfast::engine
