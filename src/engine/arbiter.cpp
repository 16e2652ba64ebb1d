//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/arbiter.hpp"

#include <cassert>
#include <utility>

#include <holdfast/error.hpp>

#include "engine/context.hpp"
#include "engine/owner_state.hpp"

namespace holdfast::engine {
namespace {

using contender_ptr = boost::intrusive_ptr<contender>;

// Only reads are granted to an owner that has some already: a downgrade contends although its owner may read, and reads
// under one write may have waited together, each for a grant of its own.
tenure* other_read_of(contender const& c, core::instant now)
{
    bool const reads = c.owner() && c.lock().protocol->side() == readers;
    return reads ? c.owner()->tenure_of(c.lock(), now) : nullptr;
}

}  // namespace

arbiter::arbiter(context& c, std::shared_ptr<lock_spec const> lock, bool is_private, boost::intrusive_ptr<grant> cover)
    : lock_(std::move(lock)), cover_(std::move(cover)), context_(c), is_private_(is_private)
{}

arbiter::~arbiter()
{
    assert(queue_.empty());
    forget_seeker();
}

acquisition& arbiter::seeker()
{
    if (!acquisition_)
        acquisition_ = new acquisition(context_, *this);
    return *acquisition_;
}

reentries& arbiter::entering()
{
    if (!entering_)
        entering_ = std::make_unique<reentries>(context_, *this);
    return *entering_;
}

void arbiter::seek()
{
    if (acquisition_ || head())
        seeker().proceed();
}

void arbiter::forget_seeker() noexcept
{
    delete std::exchange(acquisition_, nullptr);
}

// ---- contenders

void arbiter::join(contender& c)
{
    if (c.is_one_shot() && is_known_busy())
        return context_.refuse(c);
    push(c);
    proceed();
}

void arbiter::leave(contender& c, error_code why)
{
    auto const gone = take(c);
    context_.fail(*gone, why);
    proceed();
}

void arbiter::expire(contender& c, core::instant now)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (c.is_entering) {
        entering_->on_due(c, now);
        return proceed();
    }
    auto const outcome = core::classify_wait(facts_of(c, now));
    auto const gone = take(c);
    if (outcome == core::wait_outcome::busy)
        context_.refuse(*gone);
    else
        context_.fail(*gone, errc::unavailable);
    proceed();
}

core::wait_facts arbiter::facts_of(contender const& c, core::instant now) const noexcept
{
    auto const since = asked_since();
    // One attempt owes its caller an answer, or is not busy: however slow the server usually is.
    bool const is_overdue = c.is_one_shot() && now - c.joined >= context_.options().command_timeout;
    return {
        .is_held_here = is_held_here(),
        .is_connected = context_.session().is_open(),
        .was_seen_held = seen_held_ > c.joined,
        .is_in_doubt = acquisition_ && acquisition_->is_in_doubt(),
        .needs_answer = c.needs_answer() || is_overdue,
        .unanswered = since == core::never ? core::duration::zero() : now - since,
        .answer_timeout = context_.responses().answer_timeout(context_.options().command_timeout)};
}

core::instant arbiter::asked_since() const noexcept
{
    return acquisition_ ? acquisition_->asked_since() : core::never;
}

void arbiter::note_held() noexcept
{
    seen_held_ = context_.recent();
}

void arbiter::push(contender& c)
{
    c.home = this;
    intrusive_ptr_add_ref(&c);
    queue_.push_back(c);
    if (c.is_one_shot())
        ++one_shots_;
    if (c.owner())
        c.owner()->begins_to_wait(*this);
    // One attempt may begin with a wait for the attempt of another one, for others' turn, or for a connection: what
    // bounds its own command does not bound these.
    set_limit(
        c,
        c.is_one_shot() ? std::min<core::duration>(c.limit(), context_.options().command_timeout)
                        : c.wait().value_or(core::duration::max()));
}

void arbiter::set_limit(contender& c, core::duration from_joining)
{
    if (from_joining < core::duration::max())
        context_.arm(c, c.joined + from_joining);
}

contender_ptr arbiter::take(contender& c) noexcept
{
    if (c.is_entering)
        return entering_->take(c);
    queue_.erase(queue_.iterator_to(c));
    if (c.is_one_shot())
        --one_shots_;
    if (c.owner())
        c.owner()->ends_to_wait(*this);
    context_.disarm(c);
    c.home = nullptr;
    return {&c, false};
}

void arbiter::re_enter(contender& c, tenure& t)
{
    auto& g = *t.held_grant;
    auto const now = context_.recent();
    if (needs_extension(c.terms(), now, g.valid_until(), g.reckon()))
        entering().wait(c, g);
    else
        enter(c, g, now, &t);
}

void arbiter::on_extended(contender& c, grant& g, error_code ec)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (!c.is_entering)
        return;  // it has ended meanwhile
    entering_->on_extended(c, g, ec);
    proceed();
}

void arbiter::fail_all(error_code ec)
{
    while (!queue_.empty())
        context_.fail(*take(queue_.front()), ec);
    if (entering_)
        entering_->fail_all(ec);
    proceed();
}

void arbiter::fail_head(error_code ec)
{
    if (!queue_.empty())
        context_.fail(*take(queue_.front()), ec);
}

void arbiter::tell_one_shots(error_code ec)
{
    for (auto c = queue_.begin(); one_shots_ > 0 && c != queue_.end();) {
        auto& current = *c++;
        if (!current.is_one_shot())
            continue;
        auto const gone = take(current);
        ec ? context_.fail(*gone, ec) : context_.refuse(*gone);
    }
}

// ---- the acquisition

bool arbiter::suits(grant const& g, contender const& c) noexcept
{
    return g.lock().shares_grants_with(c.lock()) && g.lease() == c.terms().lease;
}

void arbiter::on_busy()
{
    tell_one_shots({});
}

void arbiter::on_doubt()
{
    seen_held_ = core::instant::min();
    tell_one_shots(errc::unavailable);
}

void arbiter::on_failed(lock_spec const& lock, error_code ec)
{
    for (auto c = queue_.begin(); c != queue_.end();) {
        auto& current = *c++;
        if (current.lock().protocol == lock.protocol)
            context_.fail(*take(current), ec);
    }
}

// ---- the tenures

void arbiter::on_grant_due(grant& g, core::instant now)
{
    context_.watchdog().on_due(g, now);
}

void arbiter::begin_tenure(contender& c, grant& g)
{
    auto const next = take(c);
    enter(*next, g, g.confirmed(), other_read_of(*next, context_.recent()));
}

void arbiter::enter(contender& c, grant& g, core::instant counted_from, tenure* entered)
{
    auto const t = context_.begin_tenure(c, g, counted_from, entered);
    bool const is_first = !g.is_held();
    assert(is_first || g.home == this);
    g.enter(*t);
    g.home = this;
    is_first ? context_.watchdog().watch(g) : context_.watchdog().attend(g, *t);
    if (c.owner())
        c.owner()->begins(*t);
    context_.admit(c, t);
    if (!entered && t->owner() && t->owner()->is_process())
        context_.admit_reentrants(*t->owner(), *t);
}

void arbiter::detach(tenure& t) noexcept
{
    if (t.owner())
        t.owner()->ends(t);
    t.end_hold();
    auto& g = *t.held_grant;
    g.leave(t);
    if (g.is_held())
        return;
    context_.watchdog().unwatch(g);
    g.home = nullptr;
}

void arbiter::detach_lost(tenure& t, loss why)
{
    t.set_state(lease_state::lost);
    context_.lose_tenure(t, why);
    detach(t);
    context_.keep_lost(t);
}

// They enter through the arbiter that has the grant: where every contender has an arbiter of its own, that is another
// one.
void arbiter::re_enter_all(owner_state const& owner, tenure& t)
{
    boost::intrusive_ptr<arbiter> const has_grant(t.held_grant->home);
    for (auto c = queue_.begin(); c != queue_.end();) {
        auto& current = *c++;
        if (current.owner().get() == &owner)
            has_grant->re_enter(*take(current), t);
    }
}

void arbiter::stop()
{
    fail_all(errc::client_stopped);
    lose_all(loss::client_stopped);
}

// ---- the world

void arbiter::on_open(core::duration spread)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    bool const had_reentries = has_reentries();
    if (had_reentries)
        entering_->on_open();
    if (acquisition_)
        acquisition_->on_open(spread);
    if (had_reentries)
        proceed();  // they may have ended, or contend elsewhere
}

void arbiter::on_closed()
{
    if (acquisition_)
        acquisition_->on_closed();
    seen_held_ = core::instant::min();
}

void arbiter::on_released(unsigned heard)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (acquisition_)
        acquisition_->on_released(heard);
}

}  // namespace holdfast::engine
