//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/release/release_order.hpp"

#include <memory>
#include <utility>

#include "engine/protocol/lock_protocol.hpp"
#include "engine/release/end_listener.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

releaser::order::order(
    releaser& r, boost::intrusive_ptr<grant> g, release_waiter* waiter, arbiter* yielding, release_history* repeats)
    : releaser_(r),
      grant_(std::move(g)),
      waiter_(waiter),
      yielding_(yielding),
      repeats_(repeats),
      schedule_(runtime().now(), runtime().options().command_timeout, waiter != nullptr)
{}

shard& releaser::order::server() const
{
    return runtime().shard_of(lock());
}

// ---- events

void releaser::order::begin()
{
    carry_out(schedule_.begin(server().is_open()));
}

void releaser::order::on_open(core::instant now)
{
    // The barrier has ended the old connection: an acquire or a renewal of unknown outcome can no longer set the key
    // (rule 8).
    grant_->on_barrier(now);
    carry_out(schedule_.on_open());
}

// A release under way has its answer from the old server first.
void releaser::order::on_moved()
{
    if (server().is_open())
        carry_out(schedule_.on_open());
}

void releaser::order::on_due(core::instant now)
{
    carry_out(schedule_.on_due(facts(now)));
}

void releaser::order::on_reply(answer const& given)
{
    auto const a = runtime().counted(given, at_, lock());
    switch (a.outcome) {
        case outcome::applied: return on_applied(a);
        case outcome::refused: return on_refused(a);
        case outcome::unknown: return carry_out(schedule_.on_unanswered(facts(runtime().now())));
    }
}

// The reply is 0 if the key did not have the token, else the number of receivers and 1 (lock_protocol::release()).
void releaser::order::on_applied(answer const& a)
{
    auto const count = a.value.integer;
    bool const found = count > 0;
    releaser_.histories_[at_].add(grant_, a.sent);
    // The answer counts, so the lock is still at that server.
    if (found && has_followed_from(server().session()))
        releaser_.on_unnoticed(lock());
    carry_out(schedule_.on_applied(found), found ? static_cast<unsigned>(count - 1) : 0);
}

void releaser::order::on_refused(answer const& a)
{
    if (a.why == refusal::redirected && !runtime().is_at(at_, lock()))
        return carry_out(schedule_.on_moved(facts(runtime().now())));
    auto const failure = classify_failure(a);
    bool const is_first = !std::exchange(words_, detail::make_error_text(a.words));
    if (is_first && !is_passing(a.why))
        runtime().telemetry().on_refused(failure.error, lock(), a.words);
    auto const now = facts(runtime().now());
    bool const is_unknown = failure.what == acquire_result::kind::unknown;
    carry_out(is_unknown ? schedule_.on_unanswered(now) : schedule_.on_refused(failure.error, now));
}

void releaser::order::stop()
{
    complete(schedule_.stop().outcome);
}

release_facts releaser::order::facts(core::instant now) const
{
    return {.now = now, .expiry = grant_->expiry(schedule_.queued()), .is_open = server().is_open()};
}

// ---- steps

// The order may not exist any more after this call.
void releaser::order::carry_out(release_step const& step, unsigned receivers)
{
    using enum release_step::kind;
    if (step.ends_wait)
        complete(step.ends_wait);
    switch (step.what) {
        case none: return;
        case send: return gather_or_send(step.due);
        case pause: return runtime().arm(*this, schedule_.pause_end(runtime().recent(), runtime().random()));
        case arm: return runtime().arm(*this, step.due);
        case end: return finish(step.outcome, receivers);
    }
}

// A release with which the arbiter yields is sent at once and alone: acquisition::yield() relies on that. So is one of
// a lock that stays taken for a time, because it is another script.
void releaser::order::gather_or_send(core::instant waiter_deadline)
{
    if (waiter_deadline != core::never)
        runtime().arm(*this, waiter_deadline);
    at_ = server().id();
    bool const is_alone = yielding_ || grant_->rest(runtime().now()) > core::duration::zero();
    auto const* together = is_alone ? nullptr : lock().protocol->batch_release();
    if (together)
        releaser_.gather(*together, *this);
    else
        send(server().session());
}

void releaser::order::add_to(script_words& to) const
{
    lock().protocol->add_release(lock(), grant_->token(), to);
}

void releaser::order::submit(session& to, command& c, script_form form)
{
    // The time is read again for each send: a repetition keeps the lock for what is left then.
    auto const rest = grant_->rest(runtime().now());
    if (rest > core::duration::zero())
        lock().protocol->release_later(to, c, lock(), grant_->token(), rest + core::drift(rest), form);
    else
        lock().protocol->release(to, c, lock(), grant_->token(), form);
}

session* releaser::order::follow(answer const& ask)
{
    return lock().protocol->is_confined() ? runtime().asked_session(ask) : nullptr;
}

void releaser::order::finish(error_code ec, unsigned receivers)
{
    auto& r = releaser_;
    // Out of the list first: the listener checks whether a release is left.
    r.orders_.erase(r.orders_.iterator_to(*this));
    std::unique_ptr<order> const self(this);
    complete(ec);
    if (yielding_)
        yielding_->on_released(receivers);
    if (repeats_) {
        repeats_->on_repeated();
        r.repeat(*repeats_);
    }
    // Last: it may complete a shutdown.
    r.listener_.on_end();
}

void releaser::order::complete(error_code ec)
{
    if (auto* w = std::exchange(waiter_, nullptr))
        w->released({ec, why(ec)});
}

detail::error_text releaser::order::why(error_code ec) const
{
    bool const has_answered = words_ && runtime().session_of(lock()).is_open();
    if (ec == errc::unavailable && !has_answered)
        return runtime().why_silent(lock());
    return !ec || ec == errc::lease_lost ? nullptr : words_;
}

}  // namespace holdfast::engine
