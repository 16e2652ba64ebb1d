//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/client_engine.hpp"

#include <utility>

#include "engine/acquire/batch_acquire.hpp"
#include "engine/acquire/contender_result.hpp"
#include "engine/hold/arbiter.hpp"

namespace holdfast::engine {

client_engine::client_engine(client_io const& io, config const& c, log l, std::weak_ptr<inbox> home)
    : runtime_(io, c, std::move(l), std::move(home))
{}

client_engine::~client_engine()
{
    stop();
}

// ---- the client

error_code client_engine::start()
{
    auto const ec = runtime_.lifecycle().start();
    if (!ec)
        runtime_.start(*this, *this);
    return ec;
}

void client_engine::wait_ready(client_waiter& w)
{
    if (runtime_.lifecycle().is_stopped())
        w.done(errc::client_stopped);
    else if (runtime_.is_ready())
        w.done({});
    else if (auto const& ec = runtime_.refusal())
        w.done(ec);
    else
        awaiting_ready_.push_back(w);
}

void client_engine::wait_ending(client_waiter& w)
{
    if (runtime_.lifecycle().is_ending())
        w.done({});
    else
        awaiting_ending_.push_back(w);
}

void client_engine::close(client_waiter& drained)
{
    if (runtime_.lifecycle().is_stopped())
        return drained.done({});
    awaiting_idle_.push_back(drained);
    runtime_.lifecycle().close();
    registry_.for_each_arbiter([](auto& a) { a.fail_all(errc::client_stopped); });
    watches_.on_closing();
    complete_all(awaiting_close_, errc::client_stopped);
    // The client may be idle already.
    on_end();
}

void client_engine::end_bodies()
{
    runtime_.lifecycle().end();
    complete_all(awaiting_ending_, {});
}

void client_engine::stop()
{
    if (!runtime_.lifecycle().stop())
        return;
    // Before the tenures and releases that it counts are destroyed.
    runtime_.telemetry().on_stopped(releaser_.size());
    // Before the arbiters, so that nothing that they do from here on is sent, and no reply comes while the parts are
    // taken down.
    runtime_.stop();
    registry_.for_each_arbiter([](auto& a) { a.stop(); });
    // After the arbiters, which queue releases when they give up what they seek.
    releaser_.stop();
    watchdog_.stop();
    registry_.clear();
    fair_queues_.clear();
    watches_.stop();
    tenures_.sever_lost();
    complete_all(awaiting_ready_, errc::client_stopped);
    complete_all(awaiting_close_, errc::client_stopped);
    complete_all(awaiting_epoch_, errc::client_stopped);
    complete_all(awaiting_ending_, {});
    complete_all(awaiting_idle_, {});
    complete_all(awaiting_stop_, {});
}

client_engine::census client_engine::count() const noexcept
{
    auto const deadlines = runtime_.deadlines() - (topology_.is_waiting() ? 1 : 0);
    return {registry_.arbiters(), deadlines, subscriptions_.size(), releaser_.size()};
}

// ---- contenders

void client_engine::join(contender& c)
{
    c.joined = runtime_.now();
    count_joined(runtime_, c);
    registry_.contend(c);
}

boost::intrusive_ptr<batch_acquire> client_engine::make_batch()
{
    return new batch_acquire(runtime_, releaser_);
}

// ---- tenures

void client_engine::leave(tenure& t, release_waiter* waiter)
{
    // The validity has ended, but the watchdog has not run yet: the release completes with lease_lost.
    if (t.is_holding() && runtime_.now() >= t.valid_until())
        t.held_grant->home->lose(t, t.cause_of_end());
    if (t.is_holding())
        return t.held_grant->home->end_tenure(t, waiter);
    release_lost(t);
    if (waiter)
        waiter->released(t.is_lost() ? errc::lease_lost : errc::empty_lease);  // empty: a downgrade detached it
}

// The body of a tenure that has ended before ends now: if it is the last one, the client sends a compare-and-delete,
// because a renewal of unknown outcome may have left the key (rule 9). That of a shared grant may have been sent before.
void client_engine::release_lost(tenure& t)
{
    boost::intrusive_ptr<tenure> const keep(&t);
    tenures_.forget_lost(t);
    auto const g = std::exchange(t.held_grant, nullptr);
    if (g && g->drop_claim() && !g->is_retired() && !runtime_.lifecycle().is_stopped())
        releaser_.release(g, nullptr, nullptr);
}

void client_engine::detach(tenure& t, release_waiter& waiter)
{
    if (!t.is_lost())
        t.set_state(lease_state::empty);
    leave(t, &waiter);
}

void client_engine::extend(tenure& t, core::duration lease, extension_waiter& waiter)
{
    if (auto const ec = t.check_held())
        return waiter.extended(ec);
    if (!t.held().may_last(runtime_.now(), lease))
        return waiter.extended({errc::invalid_option, detail::make_error_text("extend: exceeds max_hold")});
    auto& g = *t.held_grant;
    watchdog_.extend(g, &t, g.reckon().extension(t.held(), lease), &waiter);
}

void client_engine::watch_loss(tenure& t, loss_waiter& w)
{
    if (t.is_lost())
        w.lost(t.reason());
    else if (!t.held_grant)
        w.failed(errc::released);
    else if (runtime_.lifecycle().is_stopped())
        w.lost(loss::client_stopped);
    else
        t.waiters.push_back(w);
}

// ---- watches

void client_engine::join(watch& w)
{
    watches_.join(w);
}

// ---- idleness

void client_engine::on_end()
{
    if (!awaiting_idle_.empty() && is_idle())
        complete_all(awaiting_idle_, {});
}

bool client_engine::is_idle() const noexcept
{
    return registry_.arbiters() == 0 && releaser_.size() == 0;
}

void client_engine::complete_all(client_waiters& waiters, described_error const& ec)
{
    // A waiter may wait again in done().
    client_waiters completed;
    completed.swap(waiters);
    while (!completed.empty()) {
        auto& w = completed.front();
        completed.pop_front();
        w.done(ec);
    }
}

// ---- the events of the world and of the shards

template <class Action>
void client_engine::for_each_arbiter_at(shard const& s, Action act)
{
    registry_.for_each_arbiter([&](auto& a) {
        if (runtime_.is_at(s, a.lock()))
            act(a);
    });
}

// The order of rule 11: subscriptions, releases, renewals, attempts. An attempt that overtakes an own release is
// refused, and a lease that is renewed late is lost.
void client_engine::on_open(shard& at)
{
    connect_error_ = {};
    runtime_.telemetry().on_connected();
    // Before everything else: a red_lock counts a reply only if it knows which server sent it.
    note_server(at);
    subscriptions_.on_open(at);
    releaser_.on_open(at);
    watchdog_.on_open(at);
    for_each_arbiter_at(at, [before = std::size_t(0)](auto& a) mutable { a.on_open(before++); });
    fair_queues_.on_open(at);
    watches_.on_open(at);
    complete_all(awaiting_ready_, {});
    complete_all(awaiting_epoch_, {});
}

void client_engine::note_server(shard& at)
{
    if (auto* const r = runtime_.router())
        return r->record(at);
    if (auto const home = runtime_.home().lock())
        home->on_server(at.session().server());
}

void client_engine::on_closed(shard& at, closing const& why)
{
    if (runtime_.router())
        is_first(at) ? topology_.on_closed() : topology_.on_doubt();
    subscriptions_.on_closed(at);
    releaser_.on_closed(at);
    watchdog_.on_closed(at);
    connect_error_ = why.code;
    runtime_.telemetry().on_disconnected(why.code, why.words, why.ended_epoch);
    for_each_arbiter_at(at, [](auto& a) { a.on_closed(); });
    // Before the refusal: it is not that of a server to which the locks lead no longer.
    if (runtime_.router())
        reroute(runtime_.router()->on_closed(at));
    if (!why.permanent)
        return watches_.on_closed(at);
    // The server refuses this client for good (wrong password, unknown user): waiting does not help.
    for_each_arbiter_at(at, [&](auto& a) { a.fail_all(at.refusal()); });
    watches_.on_refused(at);
    if (is_first(at))
        complete_all(awaiting_ready_, at.refusal());
    complete_all(awaiting_epoch_, {});  // each finds whether the server of its lock is meant
}

// ---- a cluster

void client_engine::on_slots(shard&, core::cluster_map const& slots)
{
    auto const moved = runtime_.router()->take(slots);
    runtime_.router()->record(moved, runtime_.now());
    topology_.on_slots(moved.any());
    move(moved);
    if (!topology_.is_in_doubt())
        subscriptions_.on_slots();
}

void client_engine::on_doubt(shard& at, core::redirect const* to)
{
    auto& router = *runtime_.router();
    reroute(to ? router.redirect(*to, at) : router.doubt(at));
    topology_.on_doubt();
}

// Often nothing has changed: many commands may meet the same MOVED.
void client_engine::reroute(core::slot_set const& changed)
{
    if (changed.any())
        runtime_.router()->record(changed, runtime_.now());
    move(changed);
}

// In the order of on_open(). A new primary is for the locks of its slots what a new epoch is, except that commands may
// be under way to the old one: the answer of each decides what follows (runtime::counted()).
void client_engine::move(core::slot_set const& moved)
{
    if (moved.none())
        return;
    // First: for the parts each command that was answered has its outcome then.
    runtime_.for_each_shard([&](shard& s) {
        if (auto* const a = s.acknowledger())
            a->on_moved(moved);
    });
    subscriptions_.on_moved(moved);
    releaser_.on_moved(moved);
    watchdog_.on_moved(moved);
    registry_.for_each_arbiter([&, before = std::size_t(0)](auto& a) mutable {
        if (moved[a.lock().slot])
            a.on_moved(before++);
    });
    fair_queues_.on_moved(moved);
    watches_.on_moved(moved);
}

void client_engine::on_message(shard&, std::string_view channel)
{
    subscriptions_.on_message(channel);
}

void client_engine::on_subscribed(shard& at, std::string_view channel)
{
    subscriptions_.on_subscribed(at, channel);
}

void client_engine::on_unsubscribed(shard& at, std::string_view channel)
{
    if (subscriptions_.on_unsubscribed(at, channel))
        topology_.on_doubt();
}

// The client delivered the first message of a burst at once, and the others came while its command waited to be sent.
// They are read here, so that their commands leave in the same write. A message may stop the client, so it is kept
// meanwhile and the session is checked again.
void client_engine::on_turn_end(shard& at)
{
    auto const keep = runtime_.home().lock();
    if (keep)
        keep->read_mail();
    if (at.is_open())
        releaser_.flush(at);
}

void client_engine::on_alarm()
{
    runtime_.on_alarm();
    // After all deadlines that are due, so that renewals that became due together are sent as batches.
    watchdog_.flush();
}

}  // namespace holdfast::engine
