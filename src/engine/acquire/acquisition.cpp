//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/acquisition.hpp"

#include <cassert>
#include <utility>

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
// After so many late grants in a row the acquire ends with an error (rule 3).
constexpr int most_late_grants = 3;

// The time after which the client sends a probe if the last attempt had none. Usually the faster contender has released
// the lock by then, and no probe is needed. No lease time is shorter than this (rule 3), so no grant ends sooner.
constexpr core::duration probe_again = 100ms;

void give(queued_arbiter& to, sought_grant::grant_list won)
{
    for (auto& g : won)
        to.on_granted(std::move(g));
}

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
    if (head.lock().protocol->serves_followers())
        sought_.follow(arbiter_.contenders(), width_.now());
    auto const wanted = this->wanted();
    sought_.on_sent(wanted);
    call_.send(head, *sought_, wanted, form);
}

attempt acquisition::wanted() const
{
    auto a = arbiter_.attempt_with(*sought_);
    a.followers = sought_.followers();
    return a;
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
        parts_.subscriptions.join(arbiter_.lock(), channel(), *this);
    if (head.lock().protocol->is_mute())
        call_.add_probe(head.lock());
}

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
        case acquire_result::kind::failed: on_failed(r.error); break;
        case acquire_result::kind::later: on_later(); break;
        case acquire_result::kind::moved: step(attempt_event::repeat); break;
        case acquire_result::kind::unknown: on_unknown(); break;
        case acquire_result::kind::no_script: on_no_script(); break;
        case acquire_result::kind::asked: on_asked(); break;
    }
}

// ---- its results

void acquisition::on_granted(acquire_result const& r)
{
    if (is_late())
        return on_late();
    width_.on_all_granted();
    // Before settle(), which releases a token that is still sought.
    auto won = take(sought_.size());
    won.front()->fence = r.fence;
    won.front()->number = r.number;
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
    late_grants_ = 0;
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
        return on_late();
    give(arbiter_, take(r.granted_before));
    r.what == acquire_result::kind::busy ? on_busy(r) : on_failed(r.error);
}

// No validity was left when the reply came. The client releases the grant and makes another attempt. After several in a
// row no contender can hold a lock with that lease time, and the head completes with an error (rule 3).
void acquisition::on_late()
{
    sought_.compensate();
    pause();
    if (++late_grants_ < most_late_grants)
        return;
    late_grants_ = 0;
    arbiter_.fail_head(errc::unavailable);
}

void acquisition::on_busy(acquire_result const& r)
{
    width_.on_granted(r.granted_before);
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
    arbiter_.on_busy();
    // A place in a fair lock's queue needs no re-check of its own: one refresh covers all places of this client.
    if (sought_.has_place())
        sought_.wait_for_turn(call_.remaining());
    else
        parts_.runtime.arm(*this, parts_.runtime.now() + recheck_after());
}

// No contender waits without a subscription: if there is none yet, or the contender joined while only single attempts
// were made, the client makes another attempt with it. A first refusal that does not describe the key leads to another
// attempt, too, even for single attempts: the probe decides whether the key is a lock or wrong_type (rule 15).
bool acquisition::must_repeat(bool needs_probe) const
{
    bool const must_subscribe = !is_subscribed() && server().session().notifies();
    return arbiter_.head() && (needs_probe || (must_subscribe && arbiter_.has_waiting_contender()));
}

void acquisition::on_failed(error_code ec)
{
    // A copy, because give_up() drops the grant.
    auto const lock = sought_->shared_lock();
    sought_.give_up();
    step(attempt_event::ended);
    arbiter_.on_failed(*lock, ec);
}

void acquisition::on_later()
{
    pause();
    arbiter_.on_doubt();
}

// The server did not apply the script. Its text is sent only if the head still wants this grant. Otherwise the text
// would acquire the lock for a contender that has left (rule 7).
void acquisition::on_no_script()
{
    if (can_attempt_again() && server().is_open())
        attempt(script_form::text);
    else
        step(attempt_event::repeat);
}

// The server did not apply the attempt: the server that imports the hash slot may grant the lock.
void acquisition::on_asked()
{
    if (!can_attempt_again() || !call_.can_ask())
        return pause();  // the session to that server is opening
    step(attempt_event::sent);
    sent_ = parts_.runtime.recent();
    auto const wanted = this->wanted();
    sought_.on_sent(wanted);
    call_.send_asking(*sought_, wanted);
}

// Whether the head still wants the grant that was sought.
bool acquisition::can_attempt_again() const
{
    return arbiter_.head() && sought_.is_for(*arbiter_.head());
}

// A reply or the connection was lost: the server may have granted the lock, or may yet do so. The release of the token
// follows the attempt on the same connection, and the next attempt has a new token (rules 6 and 7). Only a place in a
// fair lock's queue keeps its token.
void acquisition::on_unknown()
{
    sought_.compensate();
    if (server().is_open())
        pause();
    else
        doubt(attempt_event::repeat);
    arbiter_.on_doubt();
}

void acquisition::pause()
{
    doubt(attempt_event::postponed);
    parts_.runtime.arm(*this, parts_.runtime.now() + pauses_.next(parts_.runtime.random()));
}

// A message may be lost, and a crashed holder sends none. So the client makes another attempt when the grant of the
// present holder ends, and at least once in a poll interval; without subscriptions, more often.
core::duration acquisition::recheck_after()
{
    core::duration longest = parts_.runtime.options().poll_interval;
    if (!server().session().notifies())
        longest = std::min(longest, pauses_.next(parts_.runtime.random()));
    return core::recheck_after(std::min(call_.remaining(), longest), parts_.runtime.random());
}

// ---- events

void acquisition::on_due(core::instant)
{
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
void acquisition::on_open(core::duration spread)
{
    messages_.on_open();
    // An attempt under way belongs to this epoch, or was sent to a former server of the lock: its answer decides.
    if (is_at_rest() || is_under_way())
        return;
    if (!was_refused_) {
        step(attempt_event::opened);
        return arbiter_.proceed();
    }
    step(attempt_event::opened_paced);
    parts_.runtime.arm(*this, parts_.runtime.now() + spread);
}

void acquisition::on_moved(core::duration spread)
{
    server().is_open() ? on_open(spread) : on_closed();
}

void acquisition::on_closed()
{
    // The session answers all commands before it ends the epoch, so an attempt under way was sent to a former server of the
    // lock: its answer decides.
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
    messages_.on_own_release(parts_.subscriptions.is_subscribed(channel()));
    if (server().is_open() && !is_subscribed())
        parts_.subscriptions.join(arbiter_.lock(), channel(), *this);
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
