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
constexpr int most_late_grants = 3;

// After an attempt without a probe. Whoever was quicker holds the lock for less than that more often than not, and no
// lease ends sooner.
constexpr core::duration probe_again = 100ms;

}  // namespace

acquisition::acquisition(engine_parts const& p, queued_arbiter& a)
    : parts_(p), arbiter_(a), sought_(p, *this), pauses_(first_pause, longest_pause)
{}

acquisition::~acquisition()
{
    leave_channel();
}

// ---- when

void acquisition::proceed()
{
    if (is_under_way())
        return;
    if (!arbiter_.head()) {
        arbiter_.on_contested();
        return settle();
    }
    step(attempt_event::wanted);
    if (!is_due() || !parts_.runtime.session().is_open())
        return;
    if (!is_too_early())
        attempt(script_form::sha1);
    else if (!is_armed() || due() > pace_.next())
        parts_.runtime.arm(*this, pace_.next());
}

// Messages come faster than they may lead to attempts.
bool acquisition::is_too_early() const noexcept
{
    return state_ == attempt_state::notified && is_likely_free_ && parts_.runtime.recent() < pace_.next();
}

void acquisition::settle()
{
    step(attempt_event::ended);
    known_ = knowledge::nothing;
    is_likely_free_ = was_refused_ = false;
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
    if (!sought_ || !arbiter_.suits(*sought_, head))
        was_refused_ = sought_.begin(head, arbiter_.covering_write()) || was_refused_;
    parts_.releaser.flush(head.lock());
    prepare(head);
    step(attempt_event::sent);
    asked_ = parts_.runtime.recent();
    own_messages_ = 0;
    ++awaited_;
    auto const wanted = arbiter_.attempt_with(*sought_);
    sought_.on_sent(wanted);
    if (head.batch && head.batch->take(head, command_, wanted))
        batch_ = head.batch;
    else
        head.lock().protocol->acquire(parts_.runtime.session(), command_, wanted, form);
}

// An attempt to which a message led is sent alone: the lock is likely free. Any other one that follows a refusal goes
// with a subscription, so that no release is missed between the two, and, where the attempt itself does not say what is
// in the way, with a probe.
void acquisition::prepare(contender const& head)
{
    if (std::exchange(is_likely_free_, false) && hears()) {
        probe_.guess(probe_again);
        pace_.spend(parts_.runtime.recent());
    } else if (was_refused_)
        ask_with(head);
}

void acquisition::ask_with(contender const& head)
{
    if (!hears() && arbiter_.has_patient_contender())
        parts_.subscriptions.join(channel(), *this);
    if (head.lock().protocol->is_mute())
        awaited_ += probe_.send(parts_.runtime.session(), head.lock().key);
}

void acquisition::on_probed()
{
    if (--awaited_ == 0)
        classify();
}

void acquisition::on_attempted(answer const& a)
{
    batch_.reset();
    result_ = sought_->lock().protocol->classify(a);
    sent_ = a.sent;
    parts_.runtime.on_answer(a);
    sought_.on_answered(a, result_);
    if (result_.what == acquire_result::kind::failed)
        parts_.runtime.telemetry().on_refused(result_.error, sought_->lock(), a.words);
    if (--awaited_ == 0)
        classify();
}

void acquisition::classify()
{
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    // What is in the way is no lock, and will not go.
    if (probe_.take_wrong_type() && result_.what == acquire_result::kind::busy) {
        result_ = {.what = acquire_result::kind::failed, .error = errc::wrong_type};
        parts_.runtime.telemetry().on_refused(result_.error, sought_->lock(), {});
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

// ---- its results

void acquisition::on_granted()
{
    if (parts_.runtime.now() >= core::valid_until(sent_, sought_->lease()))
        return on_late();
    sought_->confirm(sent_, sought_->lease());
    sought_->fence = result_.fence;
    auto won = sought_.take();
    settle();
    pace_.reset();
    late_grants_ = 0;
    arbiter_.on_granted(std::move(won));
}

// The validity had run out when the reply came. The grant is released; after some in a row nobody can hold such a
// lease.
void acquisition::on_late()
{
    sought_.compensate();
    pause();
    if (++late_grants_ < most_late_grants)
        return;
    late_grants_ = 0;
    arbiter_.fail_head(errc::unavailable);
}

void acquisition::on_busy()
{
    arbiter_.on_contested();
    arbiter_.note_held();
    if (is_in_doubt())
        known_ = knowledge::nothing;
    if (must_repeat())
        return step(attempt_event::repeat);
    known_ = knowledge::held;
    step(attempt_event::refused);
    arbiter_.on_busy();
    if (sought_.has_place())
        sought_.wait_for_turn(remaining());
    else
        parts_.runtime.arm(*this, parts_.runtime.now() + recheck_after());
}

// Nobody waits without a subscription: a contender that has none, or that came when only single attempts were made,
// attempts once more with it.
bool acquisition::must_repeat() noexcept
{
    bool const is_first = !std::exchange(was_refused_, true);
    bool const is_unheard = arbiter_.has_patient_contender() && !hears() && parts_.runtime.session().notifies();
    return arbiter_.head() && (is_unheard || (is_first && result_.is_mute));
}

void acquisition::on_failed(error_code ec)
{
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

// Not applied: nothing to undo. The text is sent only if somebody still wants the grant.
void acquisition::on_no_script()
{
    if (arbiter_.head() && parts_.runtime.session().is_open() && arbiter_.suits(*sought_, *arbiter_.head()))
        attempt(script_form::text);
    else
        step(attempt_event::repeat);
}

void acquisition::on_unknown()
{
    sought_.compensate();
    if (parts_.runtime.session().is_open())
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

// A notification may be lost, and a crashed holder sends none: the lock is asked for again when the grant in the way
// ends, and now and then. Without notifications, more often.
core::duration acquisition::recheck_after()
{
    core::duration longest = parts_.runtime.options().poll_interval;
    if (!parts_.runtime.session().notifies())
        longest = std::min(longest, pauses_.next(parts_.runtime.random()));
    auto const base = std::min(remaining(), longest);
    return base + 1ms + core::jitter(std::min<core::duration>(base / 10, 50ms), parts_.runtime.random());
}

// ---- what leads to the next attempt

void acquisition::on_due(core::instant)
{
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    step(attempt_event::due);
    is_likely_free_ = is_likely_free_ && state_ == attempt_state::notified;  // a message came too early for an attempt
    arbiter_.proceed();
}

void acquisition::on_message()
{
    if (own_messages_ > 0) {
        --own_messages_;
        return;
    }
    parts_.runtime.now();
    is_likely_free_ = true;
    on_turn();
}

void acquisition::on_turn()
{
    boost::intrusive_ptr<queued_arbiter> const keep(&arbiter_);
    step(attempt_event::notified);
    arbiter_.proceed();
}

void acquisition::on_open(core::duration spread)
{
    own_messages_ = 0;
    is_likely_free_ = false;
    if (is_at_rest())
        return;
    if (!was_refused_) {
        step(attempt_event::opened);
        return arbiter_.proceed();
    }
    step(attempt_event::opened_paced);
    parts_.runtime.arm(*this, parts_.runtime.now() + spread);
}

void acquisition::on_closed()
{
    assert(!is_under_way());
    parts_.runtime.disarm(*this);
    if (is_at_rest())
        return;  // the lock is held here, and its renewals tell what becomes of it
    doubt(attempt_event::closed);
}

// ---- turns of other processes

void acquisition::yield()
{
    arbiter_.on_contested();
    step(attempt_event::yielded);
    asked_ = parts_.runtime.recent();
    parts_.runtime.arm(*this, asked_ + core::longest_yield);
    own_messages_ = parts_.subscriptions.is_subscribed(channel()) ? 1 : 0;
    own_share_ = own_messages_;
    if (parts_.runtime.session().is_open() && !hears())
        parts_.subscriptions.join(channel(), *this);
}

void acquisition::on_released(unsigned heard)
{
    if (!is_releasing(state_))
        return;
    step(heard > own_share_ ? attempt_event::others_heard : attempt_event::nobody_heard);
    auto const trip = parts_.runtime.responses().average();
    if (state_ == attempt_state::yielding)
        parts_.runtime.arm(*this, core::yield_end(asked_, parts_.runtime.now(), trip, parts_.runtime.random()));
    arbiter_.proceed();
}

}  // namespace holdfast::engine
