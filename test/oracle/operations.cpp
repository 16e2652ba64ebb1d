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

asio::any_io_executor operations::place_of(step const& s)
{
    guard const held(mutex_);
    bool const refers = s.what == verb::cancel || s.what == verb::launch || s.what == verb::forget;
    auto const p = refers ? find(s) : nullptr;
    return p ? p->where : world_.executor_of(process_of(s));
}

void operations::execute(step const& s, asio::any_io_executor const& where)
{
    guard held(mutex_);
    execution const e{s, where, held};
    ++count_;
    switch (s.what) {
        case verb::acquire:
        case verb::try_acquire: return acquire(e);
        case verb::with_lock: return scope(e);
        case verb::is_locked:
        case verb::holders:
        case verb::force_release: return query(e);
        case verb::set_latch:
        case verb::count_down:
        case verb::count:
        case verb::remove_latch:
        case verb::await_latch: return use_latch(e);
        case verb::release: return release(e);
        case verb::extend: return extend(e);
        case verb::lost: return watch(e);
        case verb::downgrade: return downgrade(e);
        case verb::drop: return leases_.drop(slot_of(s));
        case verb::move: return leases_.move(slot_of(s), slot_of(s, field::to));
        case verb::cancel: return cancel(e);
        case verb::launch: return launch(e);
        case verb::forget: return forget(e);
        case verb::stop: return clients_.stop(s);
        case verb::destroy: return clients_.destroy(s);
        case verb::shutdown: return clients_.shut_down(s);
        default: return;
    }
}

// ---- operations of a program

std::shared_ptr<pending> operations::make_pending(step const& s, asio::any_io_executor const& where)
{
    auto p = std::make_shared<pending>();
    p->what = s;
    p->where = where;
    p->what.set(field::process, process_of(s));
    all_.push_back(p);
    if (s.has(field::op))
        named_[s.get(field::op)] = p;
    return p;
}

std::shared_ptr<pending> operations::make_pending_on(execution e, slot const& of)
{
    auto p = make_pending(e.what, e.where);
    p->of_hold = of.hold;
    p->state = of.lease.state();
    return p;
}

std::shared_ptr<pending> operations::find(step const& s) const
{
    auto const named = named_.find(s.get(field::op, -1));
    return named == named_.end() ? nullptr : named->second;
}

// Another operation with another executor may have taken the name meanwhile.
std::shared_ptr<pending> operations::find_here(execution e) const
{
    auto p = find(e.what);
    return p && p->where == e.where ? p : nullptr;
}

void operations::on_launch(pending& p)
{
    p.in_model = &model_.launch(p.what, world_.now());
    p.in_model->was_kept = p.what.get(field::keep) != 0;
    if (is_on_lease(p.what.what))
        model_.launch_on_lease(*p.in_model, p.of_hold, p.state);
    if (p.moves_lease)
        model_.gave_up(p.of_hold, world_.now());
    ++under_way_;
}

template <class Handler>
auto operations::handler_of(std::shared_ptr<pending> p, Handler f)
{
    auto& signal = p->signal;
    auto const where = p->where;
    return asio::bind_cancellation_slot(
        signal.slot(), asio::bind_executor(where, [this, p, f](auto... results) mutable {
            guard const held(mutex_);
            --under_way_;
            if (!is_ending_)
                f(*p->in_model, std::move(results)...);
        }));
}

// `make` calls the library with a completion token; `f` handles the completion.
template <class Make, class Handler>
void operations::begin(std::shared_ptr<pending> const& p, Make& make, Handler const& f)
{
    auto const how = adapter_of(p->what, world_);
    if (how == adapter::none)
        return make(handler_of(p, f));
    auto op = erased(make(asio::deferred), p->where);
    begin_adapted(how, std::move(op), {handler_of(p, f)}, p->where, p->signal.slot());
}

template <class Make, class Handler>
void operations::begin_on_lock(execution e, std::shared_ptr<pending> p, Make make, Handler f)
{
    if (e.what.get(field::keep) != 0)
        return begin_on_lease(e, p, make, f);
    on_launch(*p);
    e.held.unlock();
    begin(p, make, f);
}

template <class Make, class Handler>
void operations::begin_on_lease(execution e, std::shared_ptr<pending> p, Make make, Handler f)
{
    if (e.what.get(field::keep) == 0) {
        on_launch(*p);
        return begin(p, make, f);
    }
    auto end = handler_of(p, f);
    auto deferred = make(asio::deferred);
    p->kept = std::make_unique<kept_deferred<decltype(deferred), decltype(end)>>(std::move(deferred), std::move(end));
}

void operations::cancel(execution e)
{
    auto const p = find_here(e);
    if (!p || p->kept || adapter_of(p->what, world_) == adapter::outside)
        return;
    if (p->in_model)
        model_.cancel(*p->in_model, world_.now());
    e.held.unlock();
    p->signal.emit(std::array{
        asio::cancellation_type::total,
        asio::cancellation_type::partial,
        asio::cancellation_type::terminal}[std::size_t(e.what.get(field::how)) % 3]);
}

void operations::launch(execution e)
{
    auto const p = find_here(e);
    if (!p || !p->kept)
        return;
    on_launch(*p);
    auto const kept = std::exchange(p->kept, nullptr);
    e.held.unlock();
    kept->launch();
}

void operations::forget(execution e)
{
    if (auto const p = find_here(e); p && p->kept)
        give_up(*p);
}

void operations::give_up(pending& p)
{
    if (p.moves_lease)
        model_.gave_up(p.of_hold, world_.now());
    p.kept.reset();
}

// ---- on a lock

void operations::acquire(execution e)
{
    clients_.with_lock_of(e.what, [&]<class Lock>(Lock const& lock) {
        auto const end = [this, s = e.what](
                             operation& o, error_code ec, holdfast::lease l) { keep_lease(s, o, ec, std::move(l)); };
        auto const p = make_pending(e.what, e.where);
        auto const& s = p->what;
        if (s.what == verb::acquire)
            begin_on_lock(
                e,
                p,
                [&](auto token) {
                    return lock.acquire(acquire_options_of<typename Lock::acquire_options>(s), std::move(token));
                },
                end);
        else
            begin_on_lock(
                e,
                p,
                [&](auto token) {
                    return lock.try_acquire(acquire_options_of<typename Lock::try_options>(s), std::move(token));
                },
                end);
    });
}

void operations::keep_lease(step const& s, operation& o, error_code ec, holdfast::lease l)
{
    leases_.check();
    auto const now = world_.now();
    auto const hold = model_.acquired(o, now, ec, view_of(l));
    if (hold == 0)
        return;
    ++grants_;
    leases_.put(slot_of(s), std::move(l), hold);
    if (under_way_ > 0 && world_.is_traced())
        world_.note("program", "got " + to_text(s));
}

void operations::query(execution e)
{
    clients_.with_lock_of(e.what, [&](auto const& lock) {
        auto const p = make_pending(e.what, e.where);
        auto const finish = [this](operation& o, error_code ec, bool answer) {
            model_.queried(o, world_.now(), ec, answer);
        };
        if (e.what.what == verb::is_locked)
            return begin_on_lock(
                e, p, [&](auto token) { return lock.is_locked(std::move(token)); }, finish);
        if (e.what.what == verb::holders)
            return begin_on_lock(
                e,
                p,
                [&](auto token) { return lock.holders(std::move(token)); },
                [this](operation& o, error_code ec, std::vector<holder> const&) {
                    model_.queried(o, world_.now(), ec, {});
                });
        auto const now = world_.now();
        for_each_part(design_of(e.what.get(field::lock)), [&](lock_design const& part) {
            model_.lose_data(part.server, part.key, now, now + 10min);
        });
        begin_on_lock(
            e, p, [&](auto token) { return lock.force_release(std::move(token)); }, finish);
    });
}

// ---- on a latch

void operations::use_latch(execution e)
{
    auto const of = clients_.latch_of(e.what);
    if (!of)
        return;
    auto const p = make_pending(e.what, e.where);
    auto const& s = p->what;
    auto const end = [this](operation& o, error_code ec, auto answer) {
        model_.latch_ended(o, world_.now(), ec, std::int64_t(answer));
    };
    auto const begin = [&](auto make) { begin_on_lock(e, p, make, end); };
    switch (s.what) {
        case verb::set_latch:
            return begin([&](auto t) { return of->set(unsigned(s.get(field::count)), std::move(t)); });
        case verb::count_down:
            return begin([&](auto t) { return of->count_down(unsigned(s.get(field::by, 1)), std::move(t)); });
        case verb::count: return begin([&](auto t) { return of->count(std::move(t)); });
        case verb::remove_latch: return begin([&](auto t) { return of->remove(std::move(t)); });
        default:
            return begin(
                [&](auto t) { return of->wait(latch_wait_options{.wait = option(s, field::wait)}, std::move(t)); });
    }
}

// ---- on a lease

void operations::release(execution e)
{
    auto& from = slot_of(e.what);
    auto const p = make_pending_on(e, from);
    p->moves_lease = true;
    if (from.hold != 0 && e.what.get(field::keep) != 0)
        model_.put_away(from.hold);
    from.hold = 0;
    begin_on_lease(
        e,
        p,
        [&](auto token) { return from.lease.release(std::move(token)); },
        [this](operation& o, error_code ec) { model_.released(o, world_.now(), ec); });
}

void operations::extend(execution e)
{
    auto& of = slot_of(e.what);
    begin_on_lease(
        e,
        make_pending_on(e, of),
        [&](auto token) { return of.lease.extend(option(e.what, field::by).value_or(0ms), std::move(token)); },
        [this](operation& o, error_code ec) {
            auto const now = world_.now();
            auto const v = leases_.find(o.of_hold);
            model_.extended(o, now, ec, v ? &*v : nullptr);
        });
}

void operations::watch(execution e)
{
    auto& of = slot_of(e.what);
    begin_on_lease(
        e,
        make_pending_on(e, of),
        [&](auto token) { return of.lease.lost(std::move(token)); },
        [this](operation& o, error_code ec, loss why) {
            auto const now = world_.now();
            auto const v = leases_.find(o.of_hold);
            model_.ended_watch(o, now, ec, why, v ? &*v : nullptr);
        });
}

void operations::downgrade(execution e)
{
    auto& of = slot_of(e.what);
    begin_on_lease(
        e,
        make_pending_on(e, of),
        [&](auto token) { return of.lease.downgrade(std::move(token)); },
        [this, s = e.what](operation& o, error_code ec, holdfast::lease l) { keep_read(s, o, ec, std::move(l)); });
}

void operations::keep_read(step const& s, operation& o, error_code ec, holdfast::lease l)
{
    leases_.check();
    auto const before = o.of_hold;
    auto const now = world_.now();
    auto const hold = model_.downgraded(o, now, ec, view_of(l));
    if (hold == 0)
        return;
    leases_.forget(before);
    leases_.put(slot_of(s, field::to), std::move(l), hold);
}

// ---- the end

void operations::give_up_everything()
{
    guard const held(mutex_);
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
            model_.report("lost_completes", to_text(p->what) + ": its lease was lost, and it does not complete");
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
    guard const held(mutex_);
    is_ending_ = true;
    for (auto& p : all_)
        p->kept.reset();
    named_.clear();
    all_.clear();
}

}  // namespace holdfast::test::oracle
