//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/operations.hpp"

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>

#include "oracle/acquire_options.hpp"

namespace holdfast::test::oracle {

using namespace std::chrono_literals;

void operations::execute(step const& s)
{
    ++count_;
    switch (s.what) {
        case verb::acquire:
        case verb::try_acquire: return acquire(s);
        case verb::with_lock: return scope(s);
        case verb::is_locked:
        case verb::holders:
        case verb::force_release: return query(s);
        case verb::release: return release(s);
        case verb::extend: return extend(s);
        case verb::lost: return watch(s);
        case verb::downgrade: return downgrade(s);
        case verb::drop: return leases_.drop(slot_of(s));
        case verb::move: return leases_.move(slot_of(s), slot_of(s, field::to));
        case verb::cancel: return cancel(s);
        case verb::launch: return launch(s);
        case verb::forget: return forget(s);
        case verb::stop: return clients_.stop(s);
        case verb::destroy: return clients_.destroy(s);
        case verb::shutdown: return clients_.shut_down(s);
        default: return;
    }
}

// ---- operations of a program

std::shared_ptr<pending> operations::make_pending(step const& s)
{
    auto p = std::make_shared<pending>();
    p->what = s;
    p->what.set(field::process, process_of(s));
    all_.push_back(p);
    if (s.has(field::op))
        named_[s.get(field::op)] = p;
    return p;
}

std::shared_ptr<pending> operations::make_pending_on(step const& s, slot const& of)
{
    auto p = make_pending(s);
    p->of_hold = of.hold;
    p->state = of.lease.state();
    return p;
}

std::shared_ptr<pending> operations::find(step const& s) const
{
    auto const named = named_.find(s.get(field::op, -1));
    return named == named_.end() ? nullptr : named->second;
}

void operations::on_launch(pending& p)
{
    p.in_model = &model_.launch(p.what, world_.now());
    p.in_model->was_kept = p.what.get(field::keep) != 0;
    if (p.what.what == verb::release || p.what.what == verb::extend || p.what.what == verb::lost
        || p.what.what == verb::downgrade)
        model_.launch_on_lease(*p.in_model, p.of_hold, p.state);
    if (p.moves_lease)
        model_.gave_up(p.of_hold, world_.now());
    ++under_way_;
}

// `make` calls the library with a token; `handler` is told of the end.
template <class Make, class Handler>
void operations::begin(step const& s, std::shared_ptr<pending> p, Make make, Handler handler)
{
    auto end = asio::bind_cancellation_slot(
        p->signal.slot(),
        asio::bind_executor(world_.executor_of(process_of(s)), [this, p, handler](auto... results) mutable {
            --under_way_;
            if (!is_ending_)
                handler(*p->in_model, std::move(results)...);
        }));
    if (s.get(field::keep) == 0) {
        on_launch(*p);
        return make(std::move(end));
    }
    auto deferred = make(asio::deferred);
    p->kept = std::make_unique<kept_deferred<decltype(deferred), decltype(end)>>(std::move(deferred), std::move(end));
}

void operations::cancel(step const& s)
{
    auto const p = find(s);
    if (!p || p->kept)
        return;
    if (p->in_model)
        model_.cancel(*p->in_model, world_.now());
    p->signal.emit(std::array{
        asio::cancellation_type::total,
        asio::cancellation_type::partial,
        asio::cancellation_type::terminal}[std::size_t(s.get(field::how)) % 3]);
}

void operations::launch(step const& s)
{
    auto const p = find(s);
    if (!p || !p->kept)
        return;
    on_launch(*p);
    std::exchange(p->kept, nullptr)->launch();
}

void operations::forget(step const& s)
{
    if (auto const p = find(s); p && p->kept)
        give_up(*p);
}

void operations::give_up(pending& p)
{
    if (p.moves_lease)
        model_.gave_up(p.of_hold, world_.now());
    p.kept.reset();
}

// ---- on a lock

void operations::acquire(step const& s)
{
    clients_.with_lock_of(s, [&]<class Lock>(Lock const& lock) {
        auto const end = [this, s](
                             operation& o, error_code ec, holdfast::lease l) { keep_lease(s, o, ec, std::move(l)); };
        if (s.what == verb::acquire)
            begin(
                s,
                make_pending(s),
                [&](auto token) {
                    return lock.acquire(acquire_options_of<typename Lock::acquire_options>(s), std::move(token));
                },
                end);
        else
            begin(
                s,
                make_pending(s),
                [&](auto token) {
                    return lock.try_acquire(acquire_options_of<typename Lock::try_options>(s), std::move(token));
                },
                end);
    });
}

void operations::keep_lease(step const& s, operation& o, error_code ec, holdfast::lease l)
{
    leases_.look();
    auto const hold = model_.acquired(o, world_.now(), ec, view_of(l));
    if (hold == 0)
        return;
    ++grants_;
    leases_.put(slot_of(s), std::move(l), hold);
    if (under_way_ > 0 && world_.is_traced())
        world_.note("program", "got " + to_text(s));
}

void operations::query(step const& s)
{
    clients_.with_lock_of(s, [&](auto const& lock) {
        auto const p = make_pending(s);
        auto const tell = [this](operation& o, error_code ec, bool answer) {
            model_.queried(o, world_.now(), ec, answer);
        };
        if (s.what == verb::is_locked)
            begin(
                s, p, [&](auto token) { return lock.is_locked(std::move(token)); }, tell);
        else if (s.what == verb::holders)
            begin(
                s,
                p,
                [&](auto token) { return lock.holders(std::move(token)); },
                [this](operation& o, error_code ec, std::vector<holder> const&) {
                    model_.queried(o, world_.now(), ec, {});
                });
        else {
            auto const now = world_.now();
            for_each_part(design_of(s.get(field::lock)), [&](lock_design const& part) {
                model_.lose_data(part.server, part.key, now, now + 10min);
            });
            begin(
                s, p, [&](auto token) { return lock.force_release(std::move(token)); }, tell);
        }
    });
}

// ---- on a lease

void operations::release(step const& s)
{
    auto& from = slot_of(s);
    auto const p = make_pending_on(s, from);
    p->moves_lease = true;
    if (from.hold != 0 && s.get(field::keep) != 0)
        model_.put_away(from.hold);
    from.hold = 0;
    begin(
        s,
        p,
        [&](auto token) { return from.lease.release(std::move(token)); },
        [this](operation& o, error_code ec) { model_.released(o, world_.now(), ec); });
}

void operations::extend(step const& s)
{
    auto& of = slot_of(s);
    begin(
        s,
        make_pending_on(s, of),
        [&](auto token) { return of.lease.extend(option(s, field::by).value_or(0ms), std::move(token)); },
        [this](operation& o, error_code ec) {
            auto const v = leases_.find(o.of_hold);
            model_.extended(o, world_.now(), ec, v ? &*v : nullptr);
        });
}

void operations::watch(step const& s)
{
    auto& of = slot_of(s);
    begin(
        s,
        make_pending_on(s, of),
        [&](auto token) { return of.lease.lost(std::move(token)); },
        [this](operation& o, error_code ec, loss why) {
            auto const v = leases_.find(o.of_hold);
            model_.ended_watch(o, world_.now(), ec, why, v ? &*v : nullptr);
        });
}

void operations::downgrade(step const& s)
{
    auto& of = slot_of(s);
    begin(
        s,
        make_pending_on(s, of),
        [&](auto token) { return of.lease.downgrade(std::move(token)); },
        [this, s](operation& o, error_code ec, holdfast::lease l) { keep_read(s, o, ec, std::move(l)); });
}

void operations::keep_read(step const& s, operation& o, error_code ec, holdfast::lease l)
{
    leases_.look();
    auto const before = o.of_hold;
    auto const hold = model_.downgraded(o, world_.now(), ec, view_of(l));
    if (hold == 0)
        return;
    leases_.forget(before);
    leases_.put(slot_of(s, field::to), std::move(l), hold);
}

// ---- the end

void operations::give_up_everything()
{
    for (auto& p : all_)
        if (p->kept)
            give_up(*p);
    leases_.drop_all();
}

void operations::check_watches()
{
    for (auto const& p : all_)
        if (p->in_model && p->what.what == verb::lost && !world_.is_frozen(process_of(p->what))
            && model_.is_watch_overdue(*p->in_model, world_.now() - 2ms))
            model_.report("lost_is_told", to_text(p->what) + ": its lease was lost, and it does not complete");
}

void operations::check_completion()
{
    for (auto const& p : all_)
        if (p->in_model && !p->in_model->done)
            model_.report("completes", to_text(p->what) + ": does not complete");
}

// Operations that were not launched may refer to this.
void operations::end()
{
    is_ending_ = true;
    for (auto& p : all_)
        p->kept.reset();
    named_.clear();
    all_.clear();
}

}  // namespace holdfast::test::oracle
