//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/context.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/error.hpp>

#include "core/validity.hpp"
#include "engine/lock_protocol.hpp"
#include "engine/owner_state.hpp"

namespace holdfast::engine {

context::context(std::shared_ptr<engine::session> s, config const& c, log l, std::weak_ptr<inbox> home)
    : session_(std::move(s)), config_(c), home_(std::move(home)), telemetry_(c.observer, std::move(l))
{
    incarnation_ = session_->incarnation();
    uuid_ = core::uuid_v8(session_->identity());
}

context::~context()
{
    stop();
}

// ---- the client's verbs

error_code context::start()
{
    if (stage_ == stage::stopped)
        return errc::client_stopped;
    if (stage_ != stage::fresh)
        return errc::already_running;
    stage_ = stage::running;
    session_->start(*this);
    return {};
}

void context::wait_ready(client_waiter& w)
{
    if (stage_ == stage::stopped)
        w.done(errc::client_stopped);
    else if (session_->is_open())
        w.done({});
    else if (refused_)
        w.done(refused_);
    else
        awaiting_ready_.push_back(w);
}

void context::close(client_waiter& drained)
{
    if (stage_ == stage::stopped)
        return drained.done({});
    awaiting_idle_.push_back(drained);
    stage_ = stage::closing;
    registry_.for_each_arbiter([](arbiter& a) { a.fail_all(errc::client_stopped); });
    on_quieter();
}

void context::stop()
{
    if (stage_.exchange(stage::stopped) == stage::stopped)
        return;
    telemetry_.on_stopped(releaser_.size());
    session_->stop();
    registry_.for_each_arbiter([](arbiter& a) { a.stop(); });
    releaser_.stop();
    watchdog_.stop();
    registry_.clear();
    sever_lost();
    tell(awaiting_ready_, errc::client_stopped);
    tell(awaiting_idle_, {});
    tell(awaiting_stop_, {});
}

// Why nobody may begin to contend now.
error_code context::admission_error() const noexcept
{
    switch (stage_.load(std::memory_order_relaxed)) {
        case stage::fresh: return errc::not_running;
        case stage::running: return refused_;
        default: return errc::client_stopped;
    }
}

void context::join(contender& c)
{
    c.joined = now();
    telemetry_.on_joined(c);
    contend(c);
}

void context::contend(contender& c)
{
    if (auto const ec = admission_error())
        return fail(c, ec);
    if (auto const* owner = c.owner().get(); owner && !c.under()) {
        if (auto* held = owner->tenure_of(c.lock(), now()))
            return held->held_grant->home->re_enter(c, *held);
        if (c.lock().protocol->side() == writers && owner->tenure_of(c.lock(), readers, now()))
            return fail(c, errc::would_deadlock);
        if (!owner->is_process() && owner->waits_for(c.lock()))
            return fail(c, errc::owner_in_use);
    }
    registry_.arbiter_for(c)->join(c);
}

void context::admit_reentrants(owner_state const& owner, tenure& t)
{
    for (auto const& a : owner.waits_at(t.lock())) {
        a->re_enter_all(owner, t);
        a->proceed();
    }
}

void context::leave(contender& c, error_code why)
{
    if (c.home)
        c.home->leave(c, why);
}

void context::call_off(contender& c)
{
    telemetry_.on_failed(c, boost::asio::error::operation_aborted, now() - c.joined);
    c.be_over();
}

void context::leave(tenure& t, release_waiter* waiter)
{
    if (t.is_holding() && now() >= t.valid_until())
        t.held_grant->home->lose(t, t.cause_of_end());
    if (t.is_holding())
        return t.held_grant->home->end_tenure(t, waiter);
    release_lost(t);
    if (waiter)
        waiter->released(t.is_lost() ? errc::lease_lost : errc::empty_lease);  // empty: it was detached
}

// The body of one who had lost it has ended.
void context::release_lost(tenure& t)
{
    boost::intrusive_ptr<tenure> const keep(&t);
    if (t.is_linked()) {
        lost_.erase(lost_.iterator_to(t));
        intrusive_ptr_release(&t);
    }
    auto const g = std::exchange(t.held_grant, nullptr);
    if (g && g->drop_claim() && stage_ != stage::stopped)
        releaser_.release(g, nullptr, nullptr);
}

void context::detach(tenure& t, release_waiter& waiter)
{
    if (!t.is_lost())
        t.set_state(lease_state::empty);
    leave(t, &waiter);
}

error_code context::check_held(tenure const& t) noexcept
{
    if (t.is_lost())
        return errc::lease_lost;
    if (!t.held_grant)
        return errc::empty_lease;
    return t.is_valid() ? error_code() : errc::lease_lost;
}

void context::extend(tenure& t, core::duration lease, extension_waiter& waiter)
{
    if (auto const ec = check_held(t))
        return waiter.extended(ec);
    if (!t.held().may_last(now(), lease))
        return waiter.extended(errc::invalid_option);
    auto& g = *t.held_grant;
    watchdog_.extend(g, &t, g.reckon().extension(t.held(), lease), &waiter);
}

void context::watch_loss(tenure& t, loss_waiter& w)
{
    if (t.is_lost())
        w.lost(t.reason());
    else if (!t.held_grant)
        w.failed(errc::released);
    else if (stage_ == stage::stopped)
        w.lost(loss::client_stopped);
    else
        t.waiters.push_back(w);
}

context::census context::count() const noexcept
{
    return {registry_.arbiters(), deadlines_.size(), subscriptions_.size(), releaser_.size()};
}

// ---- what the engine's parts share

void context::arm(core::deadline& d, core::instant due)
{
    deadlines_.arm(d, due);
    set_alarm();
}

// A deadline that is withdrawn leaves its alarm behind: an early wake-up costs less than a new timer each time.
void context::set_alarm()
{
    if (deadlines_.next() >= alarm_ || stage_ == stage::stopped)
        return;
    alarm_ = deadlines_.next();
    session_->wake_at(alarm_);
}

boost::intrusive_ptr<grant> context::seek(contender const& c, boost::intrusive_ptr<grant> under)
{
    std::string suffix(c.lock().protocol->token_mark());
    auto const label = label_of(c.owner());
    if (!suffix.empty() && !label.empty())
        suffix += ':';
    suffix += label;
    return new grant(c.shared_lock(), core::token(identity(), ++tokens_, suffix), c.terms().lease, std::move(under));
}

// A forked child is another process: it must never speak with its parent's tokens.
std::string_view context::identity()
{
    if (std::exchange(incarnation_, session_->incarnation()) != session_->incarnation()) [[unlikely]]
        uuid_ = core::uuid_v8(session_->identity());
    return uuid_;
}

boost::intrusive_ptr<tenure> context::begin_tenure(
    contender const& c, grant const& g, core::instant counted_from, tenure* entered)
{
    hold const h(c.terms(), recent(), counted_from);
    boost::intrusive_ptr<tenure> t(c.make_tenure({home_, c.shared_lock(), c.owner(), h, g.fence, entered}));
    telemetry_.on_begun(*t);
    t->set_valid_until(g.valid_until());
    if (g.at_risk)
        t->set_state(lease_state::at_risk);
    return t;
}

void context::end_tenure(tenure& t)
{
    t.waiters.clear_and_dispose([](loss_waiter* w) { w->failed(errc::released); });
    telemetry_.on_ended(t, recent() - t.started());
}

void context::lose_tenure(tenure& t, loss why)
{
    t.set_reason(why);
    t.waiters.clear_and_dispose([why](loss_waiter* w) { w->lost(why); });
    telemetry_.on_lost(t, now() - t.started());
}

void context::keep_lost(tenure& t)
{
    intrusive_ptr_add_ref(&t);
    lost_.push_back(t);
}

// Any thread may destroy the leases that are left, at the same time: none of them may reach a grant, which belongs to
// the strand.
void context::sever_lost() noexcept
{
    lost_.clear_and_dispose([](tenure* t) {
        t->held_grant.reset();
        intrusive_ptr_release(t);
    });
}

void context::forget(arbiter& a)
{
    registry_.forget(a);
    on_quieter();
}

// ---- outcomes of a contender

void context::admit(contender& c, boost::intrusive_ptr<tenure> t)
{
    telemetry_.on_acquired(c, recent() - c.joined);
    c.granted(std::move(t));
}

void context::refuse(contender& c)
{
    telemetry_.on_busy(c, now() - c.joined);
    c.busy();
}

void context::fail(contender& c, error_code ec)
{
    telemetry_.on_failed(c, ec, now() - c.joined);
    c.failed(ec);
}

void context::on_answer(answer const& a)
{
    if (a.outcome != outcome::applied)
        return;
    telemetry_.on_answered(now() - a.sent);
    responses_.add(a.sent, recent());
}

void context::on_quieter()
{
    if (!awaiting_idle_.empty() && is_idle())
        tell(awaiting_idle_, {});
}

bool context::is_idle() const noexcept
{
    return registry_.arbiters() == 0 && releaser_.size() == 0;
}

void context::tell(client_waiters& waiters, error_code ec)
{
    waiters.clear_and_dispose([ec](client_waiter* w) { w->done(ec); });
}

// ---- the session's events

// Compensations first, then renewals, then those who wait: in that order they depend on each other. Re-checks of many
// locks are paced, so that a restarted server is not met by all of them at once.
void context::on_open()
{
    refused_ = connect_error_ = {};
    telemetry_.on_connected();
    if (auto const g = home_.lock())
        g->on_server(session_->server());
    subscriptions_.on_open();
    releaser_.on_open();
    watchdog_.on_open();
    core::duration spread{};
    registry_.for_each_arbiter([&](arbiter& a) {
        a.on_open(spread + core::jitter(std::chrono::microseconds(100), random()));
        spread += std::chrono::microseconds(20);
    });
    registry_.for_each_queue([](fair_queue& q) { q.on_open(); });
    tell(awaiting_ready_, {});
}

void context::on_closed(closing const& why)
{
    subscriptions_.on_closed();
    releaser_.on_closed();
    watchdog_.on_closed();
    connect_error_ = why.code;
    telemetry_.on_disconnected(why.code, why.words);
    registry_.for_each_arbiter([](arbiter& a) { a.on_closed(); });
    if (!why.permanent)
        return;
    refused_ = why.code;
    registry_.for_each_arbiter([&](arbiter& a) { a.fail_all(why.code); });
    tell(awaiting_ready_, why.code);
}

void context::on_message(std::string_view channel)
{
    subscriptions_.on_message(channel);
}

// Of a burst of callers the first was let in at once, the others came while its command waited to leave.
void context::on_turn_end()
{
    auto const keep = home_.lock();
    if (keep)
        keep->read_mail();
    if (session_->is_open())
        releaser_.flush();
}

void context::on_alarm()
{
    alarm_ = core::never;
    deadlines_.run(now());
    watchdog_.flush();
    set_alarm();
}

}  // namespace holdfast::engine
