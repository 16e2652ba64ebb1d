//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/acquisition.hpp"

#include <cassert>
#include <utility>

#include <holdfast/error.hpp>

#include "core/validity.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/fair_queues.hpp"
#include "engine/acquire/queued_arbiter.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/port/applied.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;

constexpr core::duration first_pause = 10ms;
constexpr core::duration longest_pause = 1s;
constexpr int most_late_grants = 3;

// After a try that asked for nothing but the lock. Whoever was quicker has it for less than that more often than not,
// and no lease ends sooner.
constexpr core::duration probe_again = 100ms;

}  // namespace

acquisition::acquisition(engine_parts const& p, queued_arbiter& a)
    : parts_(p), arbiter_(a), pauses_(first_pause, longest_pause)
{}

acquisition::~acquisition()
{
    leave_channel();
    if (!queue_)
        return;
    queue_->leave(*this);
    queue_->detach();
}

void acquisition::proceed()
{
    if (is_under_way())
        return;
    if (!arbiter_.head())
        return rest();
    if (phase_ == phase::resting)
        phase_ = phase::trying;
    if (!is_due() || !parts_.runtime.session().is_open())
        return;
    if (!is_too_early())
        attempt(script_form::sha1);
    else if (!is_armed() || due() > pace_.next())
        parts_.runtime.arm(*this, pace_.next());
}

bool acquisition::is_due() const noexcept
{
    return phase_ == phase::trying || (phase_ == phase::waiting && flagged_);
}

// Messages come faster than they may lead to tries.
bool acquisition::is_too_early() const noexcept
{
    return phase_ == phase::waiting && told_ && parts_.runtime.recent() < pace_.next();
}

core::instant acquisition::asked_since() const noexcept
{
    return is_under_way() || phase_ == phase::releasing ? asked_ : core::never;
}

void acquisition::rest()
{
    if (is_under_way())
        return;
    arbiter_.on_contested();
    settle();
}

void acquisition::settle()
{
    phase_ = phase::resting;
    flagged_ = told_ = known_busy_ = in_doubt_ = probed_ = false;
    give_up_token();
    pauses_.reset();
    parts_.runtime.disarm(*this);
    leave_channel();
}

std::string_view acquisition::channel() const noexcept
{
    return own_channel_.empty() ? arbiter_.lock().channel : std::string_view(own_channel_);
}

void acquisition::leave_channel()
{
    parts_.subscriptions.leave(channel(), *this);
    own_channel_.clear();
}

void acquisition::attempt(script_form form)
{
    auto& head = *arbiter_.head();
    parts_.runtime.disarm(*this);
    phase_ = phase::trying;
    if (!grant_ || !arbiter_.suits(*grant_, head))
        seek();
    parts_.releaser.flush(head.lock());
    bool const was_told = std::exchange(told_, false) && hears();
    if (was_told)
        probe_.guess(probe_again), pace_.spend(parts_.runtime.recent());
    else if (probed_)
        prepare_to_wait();
    flagged_ = false;
    asked_ = parts_.runtime.recent();
    own_messages_ = 0;
    ++pending_;
    grant_->on_sent(grant_->lease());
    engine::attempt const wanted{
        .lock = head.lock(),
        .token = grant_->token(),
        .lease = grant_->lease(),
        .is_patient = arbiter_.has_patient_contender(),
        .priority = head.terms().priority,
        .cover = arbiter_.cover()};
    leaves_trace_ = leaves_trace_ || (wanted.is_patient && head.lock().protocol->leaves_trace(head.lock()));
    if (head.batch && head.batch->take(head, try_command_, wanted))
        all_ = head.batch;
    else
        head.lock().protocol->acquire(parts_.runtime.session(), try_command_, wanted, form);
}

void acquisition::seek()
{
    auto const& head = *arbiter_.head();
    give_up_token();
    grant_.reset(new grant(
        head.shared_lock(),
        parts_.runtime.tokens().next(head.lock().protocol->token_mark(), label_of(head.owner())),
        head.terms().lease,
        arbiter_.covering_write()));
    if (!head.lock().protocol->has_queue())
        return;
    is_placed_ = !head.is_one_shot();
    own_channel_ = std::string(head.lock().channel).append(":").append(grant_->token());
    if (queue_)
        return;
    queue_ = parts_.fair_queues.queue_of(head.shared_lock());
    // Who has to expect to wait subscribes at once, and needs no second try for that.
    probed_ = is_placed_ && queue_->expects_wait();
    queue_->attach();
}

// What a waiter asks for besides, unless a message led to the try: to hear of the release, before the try that decides
// to wait; and, where the try itself does not say, what is in the way.
void acquisition::prepare_to_wait()
{
    auto const& lock = arbiter_.head()->lock();
    if (!hears() && arbiter_.has_patient_contender())
        parts_.subscriptions.join(channel(), *this);
    if (lock.protocol->is_mute())
        pending_ += probe_.send(parts_.runtime.session(), lock.key);
}

void acquisition::on_seen()
{
    if (--pending_ == 0)
        decide();
}

void acquisition::on_try(answer const& a)
{
    all_.reset();
    result_ = grant_->lock().protocol->classify(a);
    sent_ = a.sent;
    parts_.runtime.on_answer(a);
    grant_->on_answered(parts_.runtime.recent(), a.outcome != outcome::unknown);
    if (result_.what == acquire_result::kind::failed)
        parts_.runtime.telemetry().on_refused(result_.error, grant_->lock(), a.words);
    // What a script wrote before it was refused must not outlive the attempt: the token is released, not dropped.
    auto const sent = grant_->lock().protocol->is_mute() ? command_kind::single : command_kind::script;
    leaves_trace_ = leaves_trace_ || (result_.what == acquire_result::kind::failed && may_be_applied(sent, a));
    if (--pending_ == 0)
        decide();
}

void acquisition::decide()
{
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    // What is in the way is no lock, and will not go.
    if (probe_.take_wrong_type() && result_.what == acquire_result::kind::busy) {
        result_ = {.what = acquire_result::kind::failed, .error = errc::wrong_type};
        parts_.runtime.telemetry().on_refused(result_.error, grant_->lock(), {});
    }
    switch (result_.what) {
        case acquire_result::kind::granted: on_granted(); break;
        case acquire_result::kind::busy: on_busy(); break;
        case acquire_result::kind::failed: on_failed(result_.error); break;
        case acquire_result::kind::later: on_later(); break;
        case acquire_result::kind::unknown: on_unknown(); break;
        case acquire_result::kind::no_script: on_no_script(); break;
    }
    keep->proceed();  // a lock that is held may have ended its acquisition by now
}

void acquisition::on_granted()
{
    if (parts_.runtime.now() >= core::valid_until(sent_, grant_->lease()))
        return on_late();
    grant_->confirm(sent_, grant_->lease());
    grant_->fence = result_.fence;
    auto won = std::move(grant_);
    leaves_trace_ = false;
    settle();
    pace_.reset();
    late_ = 0;
    arbiter_.on_granted(std::move(won));
}

// The validity had run out when the reply came: given back, and after some in a row nobody can hold such a lease.
void acquisition::on_late()
{
    compensate();
    pause();
    if (++late_ < most_late_grants)
        return;
    late_ = 0;
    arbiter_.fail_head(errc::unavailable);
}

void acquisition::on_busy()
{
    arbiter_.on_contested();
    arbiter_.note_held();
    in_doubt_ = false;
    // Nobody waits unheard: whoever has not subscribed, or came when only one-shots looked, tries once more with that.
    bool const is_first = !std::exchange(probed_, true);
    bool const is_unheard = arbiter_.has_patient_contender() && !hears() && parts_.runtime.session().notifies();
    if (arbiter_.head() && (is_unheard || (is_first && result_.is_mute)))
        return;
    known_busy_ = true;
    phase_ = phase::waiting;
    arbiter_.on_busy();
    if (is_placed_)
        wait_in_queue();
    else
        parts_.runtime.arm(*this, parts_.runtime.now() + recheck_after());
}

void acquisition::wait_in_queue()
{
    queue_->join(*this, grant_->lock().waiter_timeout, remaining());
}

void acquisition::on_turn()
{
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    flagged_ = true;
    arbiter_.proceed();
}

void acquisition::on_failed(error_code ec)
{
    auto const lock = grant_->shared_lock();
    give_up_token();
    phase_ = phase::resting;
    arbiter_.on_failed(*lock, ec);
}

void acquisition::on_later()
{
    pause();
    arbiter_.on_doubt();
}

// Not applied: nothing to undo. The text is sent only if somebody still wants the grant.
void acquisition::on_no_script()
{
    if (arbiter_.head() && parts_.runtime.session().is_open() && arbiter_.suits(*grant_, *arbiter_.head()))
        attempt(script_form::text);
}

// It may have been granted, or yet be: its token is never tried again, but where that finds its place or its grant.
void acquisition::on_unknown()
{
    compensate();
    if (parts_.runtime.session().is_open())
        pause();
    else
        phase_ = phase::trying;
    arbiter_.on_doubt();
}

void acquisition::doubt() noexcept
{
    known_busy_ = false;
    in_doubt_ = true;
}

void acquisition::compensate()
{
    doubt();
    if (!is_placed_)
        release_token();
}

void acquisition::release_token()
{
    leaves_trace_ = false;
    parts_.releaser.release(std::move(grant_), nullptr, nullptr);
    grant_.reset();
}

// A token that was refused, or never tried: nothing to undo, but for what it left of one who waited, or may have left
// when its script failed.
void acquisition::give_up_token()
{
    if (queue_)
        queue_->leave(*this);
    if (grant_ && leaves_trace_)
        release_token();
    leaves_trace_ = is_placed_ = false;
    grant_.reset();
}

void acquisition::pause()
{
    doubt();
    phase_ = phase::pausing;
    parts_.runtime.arm(*this, parts_.runtime.now() + pauses_.next(parts_.runtime.random()));
}

core::duration acquisition::remaining() const noexcept
{
    return result_.is_mute ? probe_.remaining() : result_.remaining;
}

// A notification may be lost, and a crashed holder sends none: asked again when the grant in the way ends, and now and
// then. Without notifications, more often.
core::duration acquisition::recheck_after()
{
    core::duration longest = parts_.runtime.options().poll_interval;
    if (!parts_.runtime.session().notifies())
        longest = std::min(longest, pauses_.next(parts_.runtime.random()));
    auto const base = std::min(remaining(), longest);
    return base + 1ms + core::jitter(std::min<core::duration>(base / 10, 50ms), parts_.runtime.random());
}

void acquisition::on_due(core::instant)
{
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    told_ = told_ && phase_ == phase::waiting;  // a message came too early for a try
    if (phase_ == phase::waiting)
        flagged_ = true;
    else
        phase_ = phase::trying;
    arbiter_.proceed();
}

void acquisition::on_message()
{
    if (own_messages_ > 0) {
        --own_messages_;
        return;
    }
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    parts_.runtime.now();
    flagged_ = told_ = true;
    if (phase_ == phase::yielding)
        phase_ = phase::trying;
    arbiter_.proceed();
}

void acquisition::on_open(core::duration spread)
{
    own_messages_ = 0;
    told_ = false;
    if (phase_ == phase::resting)
        return;
    if (!probed_) {
        phase_ = phase::trying;
        return arbiter_.proceed();
    }
    phase_ = phase::waiting;
    parts_.runtime.arm(*this, parts_.runtime.now() + spread);
}

void acquisition::on_closed()
{
    assert(!is_under_way());
    parts_.runtime.disarm(*this);
    if (phase_ == phase::resting)
        return;  // the lock is held here, and its renewals tell what becomes of it
    doubt();
    phase_ = phase::trying;
}

void acquisition::yield()
{
    arbiter_.on_contested();
    phase_ = phase::releasing;
    asked_ = parts_.runtime.recent();
    parts_.runtime.arm(*this, asked_ + core::longest_yield);
    flagged_ = false;
    own_messages_ = parts_.subscriptions.is_subscribed(channel()) ? 1 : 0;
    own_share_ = own_messages_;
    if (parts_.runtime.session().is_open() && !hears())
        parts_.subscriptions.join(channel(), *this);
}

void acquisition::on_released(unsigned heard)
{
    if (phase_ != phase::releasing)
        return;
    bool const others_heard = heard > own_share_ && !flagged_;
    phase_ = others_heard ? phase::yielding : phase::trying;
    auto const trip = parts_.runtime.responses().average();
    if (others_heard)
        parts_.runtime.arm(*this, core::yield_end(asked_, parts_.runtime.now(), trip, parts_.runtime.random()));
    arbiter_.proceed();
}

}  // namespace holdfast::engine
