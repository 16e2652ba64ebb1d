//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/context.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/validity.hpp"
#include "engine/exclusive_arbiter.hpp"
#include "engine/owner_state.hpp"
#include "engine/shared_arbiter.hpp"
#include "engine/wire_form.hpp"

namespace holdfast::engine {
namespace {

auto to_ms(core::duration d) noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(d);
}

// Where contenders for a lock meet.
std::pair<std::string_view, std::uint8_t> address_of(lock_spec const& lock) noexcept
{
    return {lock.key, lock.form->side()};
}

constexpr std::uint8_t writers = 0;  // and all who hold alone
constexpr std::uint8_t readers = 1;

// The write under which a contender reads; null: none.
tenure const* own_write(contender const& c, core::instant now)
{
    if (c.under())
        return c.under()->held_grant ? c.under().get() : nullptr;
    return c.owner() ? c.owner()->tenure_of(c.lock(), writers, now) : nullptr;
}

std::string_view label_of(std::shared_ptr<owner_state> const& owner) noexcept
{
    return owner ? std::string_view(owner->label()) : std::string_view();
}

}  // namespace

context::context(std::shared_ptr<session> s, config const& c, log l, std::weak_ptr<gate> home)
    : session_(std::move(s)), config_(c), log_(std::move(l)), home_(std::move(home))
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
    for_each_arbiter([](arbiter& a) { a.fail_all(errc::client_stopped); });
    on_quieter();
}

void context::stop()
{
    if (std::exchange(stage_, stage::stopped) == stage::stopped)
        return;
    auto const abandoned = meters_.held + releaser_.size();
    meters_.abandoned.add(static_cast<std::int64_t>(abandoned));
    if (abandoned > 0)
        log_.warning(std::to_string(abandoned) + " grants were abandoned: their keys expire with their leases");
    session_->stop();
    for_each_arbiter([](arbiter& a) { a.stop(); });
    releaser_.stop();
    renewer_.stop();
    arbiters_.clear();
    private_arbiters_.clear();
    queues_.clear();
    tell(awaiting_ready_, errc::client_stopped);
    tell(awaiting_idle_, {});
    tell(awaiting_stop_, {});
}

// Why nobody may begin to contend now.
error_code context::door() const noexcept
{
    switch (stage_) {
        case stage::fresh: return errc::not_running;
        case stage::running: return refused_;
        default: return errc::client_stopped;
    }
}

void context::join(contender& c)
{
    c.joined = now();
    meters_.waiting.add();
    contend(c);
}

void context::contend(contender& c)
{
    if (auto const ec = door())
        return fail(c, ec);
    if (auto const* owner = c.owner().get(); owner && !c.under()) {
        if (auto* held = owner->tenure_of(c.lock(), now()))
            return held->held_grant->home->re_enter(c, *held);
        if (c.lock().form->side() == writers && owner->tenure_of(c.lock(), readers, now()))
            return fail(c, errc::would_deadlock);
        if (!owner->is_process() && owner->waits_for(c.lock()))
            return fail(c, errc::owner_in_use);
    }
    arbiter_for(c)->join(c);
}

boost::intrusive_ptr<arbiter> context::arbiter_for(contender const& c)
{
    auto const& lock = c.lock();
    if (lock.form->is_private())
        return make_private(c, {});
    bool const reads = lock.form->side() == readers;
    if (auto const* write = reads ? own_write(c, now()) : nullptr)
        return make_private(c, write->held_grant);
    if (auto const found = arbiters_.find(address_of(lock)); found != arbiters_.end())
        return found->second;
    boost::intrusive_ptr<arbiter> fresh;
    if (reads)
        fresh.reset(new shared_arbiter(*this, c.shared_lock()));
    else
        fresh.reset(new exclusive_arbiter(*this, c.shared_lock()));
    arbiters_.emplace(address_of(fresh->lock()), fresh);
    return fresh;
}

boost::intrusive_ptr<arbiter> context::make_private(contender const& c, boost::intrusive_ptr<grant> cover)
{
    if (cover)
        cover->cover(c.terms().lease);
    return *private_arbiters_.emplace(new exclusive_arbiter(*this, c.shared_lock(), true, std::move(cover))).first;
}

bool context::has_waiting_writer(lock_spec const& lock) const noexcept
{
    auto const found = arbiters_.find(std::pair(std::string_view(lock.key), writers));
    return found != arbiters_.end() && found->second->waiting() > 0;
}

void context::let_in(owner_state const& owner, tenure& t)
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

void context::leave(tenure& t, release_waiter* waiter)
{
    if (t.hold_count() == 0)  // its lease was passed on
        return waiter ? waiter->released(errc::empty_lease) : void();
    if (!t.is_lost() && t.held_grant && now() >= t.valid_until())
        t.held_grant->home->lose(t, loss::expired);
    bool const is_last = t.leave() == 0;
    if (t.is_lost()) {
        if (is_last)
            bury(t);
        if (waiter)
            waiter->released(errc::lease_lost);
    } else if (is_last)
        t.held_grant->home->end_tenure(t, waiter);
    else if (waiter)
        waiter->released({});
}

// The body of one who had lost it has ended.
void context::bury(tenure& t)
{
    auto const g = std::exchange(t.held_grant, nullptr);
    if (g && g->drop_claim() && stage_ != stage::stopped)
        releaser_.release(g, nullptr, nullptr);
}

void context::pass_on(tenure& t, release_waiter& waiter)
{
    leave(t, &waiter);
    if (!t.is_lost())
        t.set_state(lease_state::empty);
}

void context::extend(tenure& t, core::duration lease, extension_waiter& waiter)
{
    if (t.state() == lease_state::lost)
        return waiter.extended(errc::lease_lost);
    auto const& limits = t.conditions();
    if (limits.max_hold > core::duration::zero() && now() + lease > t.started() + limits.max_hold)
        return waiter.extended(errc::invalid_option);
    renewer_.extend(*t.held_grant, &t, limits.renewed ? std::max(lease, t.held_grant->lease()) : lease, &waiter);
}

void context::watch_loss(tenure& t, loss_waiter& w)
{
    if (t.is_lost())
        w.lost(t.reason);
    else if (stage_ == stage::stopped)
        w.lost(loss::client_stopped);
    else if (!t.held_grant)
        w.failed(errc::released);
    else
        t.waiters.push_back(w);
}

context::census context::count() const noexcept
{
    return {arbiters_.size() + private_arbiters_.size(), deadlines_.size(), hub_.size(), releaser_.size()};
}

failure context::last_failure() const
{
    std::scoped_lock const guard(failure_mutex_);
    return failure_;
}

void context::remember(error_code ec, std::string_view words)
{
    std::scoped_lock const guard(failure_mutex_);
    failure_ = {ec, std::string(words)};
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

boost::intrusive_ptr<grant> context::seek(contender const& c)
{
    std::string suffix(c.lock().form->token_mark());
    auto const label = label_of(c.owner());
    if (!suffix.empty() && !label.empty())
        suffix += ':';
    suffix += label;
    return new grant(c.shared_lock(), core::token(identity(), ++tokens_, suffix), c.terms().lease);
}

// A forked child is another process: it must never speak with its parent's tokens.
std::string_view context::identity()
{
    if (std::exchange(incarnation_, session_->incarnation()) != session_->incarnation()) [[unlikely]]
        uuid_ = core::uuid_v8(session_->identity());
    return uuid_;
}

boost::intrusive_ptr<tenure> context::begin_tenure(contender const& c, grant const& g)
{
    meters_.held.add();
    return new tenure(home_, c.shared_lock(), c.owner(), c.terms(), g.fence, recent());
}

void context::end_tenure(tenure& t)
{
    auto const held = recent() - t.started();
    meters_.held.add(-1);
    meters_.hold.add(held);
    t.waiters.clear_and_dispose([](loss_waiter* w) { w->failed(errc::released); });
    if (config_.observer)
        config_.observer->on_released({.name = t.lock().name, .label = label_of(t.owner()), .held = to_ms(held)});
}

void context::lose_tenure(tenure& t, loss why)
{
    auto const held = now() - t.started();
    meters_.held.add(-1);
    meters_.hold.add(held);
    meters_.lost.add();
    t.reason = why;
    t.waiters.clear_and_dispose([why](loss_waiter* w) { w->lost(why); });
    if (config_.observer)
        config_.observer->on_lost(
            {.name = t.lock().name, .label = label_of(t.owner()), .held = to_ms(held), .reason = why});
}

void context::forget(arbiter& a)
{
    if (a.is_private())
        private_arbiters_.erase(&a);
    else if (auto const found = arbiters_.find(address_of(a.lock())); found != arbiters_.end() && found->second == &a)
        arbiters_.erase(found);
    if (is_idle())
        on_quieter();
}

boost::intrusive_ptr<fair_queue> context::queue_of(std::shared_ptr<lock_spec const> const& lock)
{
    if (auto const found = queues_.find(lock->key); found != queues_.end())
        return found->second;
    boost::intrusive_ptr<fair_queue> fresh(new fair_queue(*this, lock));
    queues_.emplace(fresh->lock().key, fresh);
    return fresh;
}

void context::forget(fair_queue& q)
{
    queues_.erase(q.lock().key);
}

// Arbiters come and go while they are told.
template <class Action>
void context::for_each_arbiter(Action act)
{
    std::vector<boost::intrusive_ptr<arbiter>> all;
    for (auto const& entry : arbiters_)
        all.push_back(entry.second);
    all.insert(all.end(), private_arbiters_.begin(), private_arbiters_.end());
    for (auto const& a : all)
        act(*a);
}

// ---- outcomes of a contender

void context::admit(contender& c, boost::intrusive_ptr<tenure> t)
{
    auto const waited = recent() - c.joined;
    meters_.waiting.add(-1);
    meters_.acquired.add();
    meters_.wait.add(waited);
    if (config_.observer)
        config_.observer->on_acquired({.name = c.lock().name, .label = label_of(c.owner()), .waited = to_ms(waited)});
    c.granted(std::move(t));
}

void context::refuse(contender& c)
{
    meters_.waiting.add(-1);
    meters_.busy.add();
    if (config_.observer)
        config_.observer->on_busy(
            {.name = c.lock().name, .label = label_of(c.owner()), .waited = to_ms(now() - c.joined)});
    c.busy();
}

void context::fail(contender& c, error_code ec)
{
    meters_.waiting.add(-1);
    if (ec == errc::unavailable)
        meters_.unavailable.add();
    c.failed(ec);
}

void context::on_answer(answer const& a)
{
    if (a.outcome != outcome::applied)
        return;
    auto const trip = now() - a.sent;
    meters_.round_trip.add(trip);
    round_trip_ += (trip - round_trip_) / 8;
}

void context::on_at_risk(tenure const& t)
{
    meters_.at_risk.add();
    if (config_.observer)
        config_.observer->on_at_risk({.name = t.lock().name, .label = label_of(t.owner())});
}

void context::on_renewed(tenure const&, core::instant sent)
{
    meters_.renewal_lag.add(now() - sent);
}

void context::report(error_code ec, lock_spec const& lock, std::string_view words)
{
    if (!ec)
        return;
    std::string line = "lock \"" + std::string(lock.name) + "\": " + ec.message();
    if (!words.empty())
        line.append(": ").append(words);
    remember(ec, line);
    log_.warning(line);
    if (config_.observer)
        config_.observer->on_refused({.name = lock.name, .label = lock.label, .code = ec, .message = words});
}

void context::on_quieter()
{
    if (!awaiting_idle_.empty() && is_idle())
        tell(awaiting_idle_, {});
}

bool context::is_idle() const noexcept
{
    return arbiters_.empty() && private_arbiters_.empty() && releaser_.size() == 0;
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
    if (config_.observer)
        config_.observer->on_connected();
    hub_.on_open();
    releaser_.on_open();
    renewer_.on_open();
    core::duration spread{};
    for_each_arbiter([&](arbiter& a) {
        a.on_open(spread + core::jitter(std::chrono::microseconds(100), random()));
        spread += std::chrono::microseconds(20);
    });
    for (auto const& entry : queues_)
        entry.second->on_open();
    tell(awaiting_ready_, {});
}

void context::on_closed(closing const& why)
{
    hub_.on_closed();
    renewer_.on_closed();
    connect_error_ = why.code;
    remember(why.code, why.words);
    if (config_.observer)
        config_.observer->on_disconnected(why.code, why.words);
    for_each_arbiter([](arbiter& a) { a.on_closed(); });
    if (!why.permanent)
        return;
    refused_ = why.code;
    for_each_arbiter([&](arbiter& a) { a.fail_all(why.code); });
    tell(awaiting_ready_, why.code);
}

void context::on_message(std::string_view channel)
{
    hub_.on_message(channel);
}

void context::on_alarm()
{
    alarm_ = core::never;
    deadlines_.run(now());
    renewer_.flush();
    set_alarm();
}

}  // namespace holdfast::engine
