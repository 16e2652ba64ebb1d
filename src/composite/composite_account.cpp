//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/composite_account.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include "client/client_state.hpp"
#include "core/memory_end.hpp"

namespace holdfast::detail {
namespace {

using event_function = void (observer::*)(lock_event const&) noexcept;

// Observers are called on the client's strand, never at the same time, and never inside a call of the user. The call
// owns the lock, whose name the event refers to, and the context. Destructors report, so it does not throw.
void report(
    client_state& to,
    std::shared_ptr<lock_impl const> const& of,
    acquire_mark const& acquire,
    event_function what,
    lock_event e)
{
    auto const& receiver = to.options().observer;
    if (!receiver)
        return;
    auto tell = [receiver, of, acquire, what, e](engine::client_engine&) mutable {
        e.name = of->name();
        e.kind = of->kind();
        e.acquire = acquire.number;
        e.context = acquire.context.get();
        (receiver.get()->*what)(e);
    };
    core::run_or_end([&] { to.send_call(std::move(tell)); });
}

auto to_ms(core::duration d) noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(d);
}

}  // namespace

composite_hold::composite_hold(
    std::shared_ptr<client_state> const& home,
    engine::composite_meters& m,
    std::shared_ptr<lock_impl const> of,
    acquire_mark a)
    : home_(home), meters_(m), lock_(std::move(of)), acquire_(std::move(a)), started_(home->now())
{
    meters_.held.add();
}

// Runs on the thread that releases or destroys the lease; the client may not exist any more.
composite_hold::~composite_hold()
{
    auto const home = home_.lock();
    if (!home)
        return;
    auto const held = home->now() - started_;
    meters_.held.add(-1);
    meters_.hold.add(held);
    error_code const ec = is_lost_ ? errc::lease_lost : error_code();
    report(*home, lock_, acquire_, &observer::on_released, {.held = to_ms(held), .code = ec});
}

// The acquire of a composite that is a member of another composite is not counted: the user has started one acquire.
composite_account::composite_account(
    std::shared_ptr<client_state> home,
    std::shared_ptr<lock_impl const> of,
    acquire_request const& r,
    std::shared_ptr<void> context)
    : home_(r.is_part ? nullptr : std::move(home)),
      meters_(home_ ? &home_->composites_of(of->kind(), of->name()) : nullptr),
      lock_(std::move(of)),
      acquire_{home_ && home_->options().observer ? home_->next_acquire() : 0, std::move(context)},
      started_(home_ ? home_->now() : core::instant())
{
    if (!meters_)
        return;
    meters_->waiting.add();
    report(*home_, lock_, acquire_, &observer::on_waiting, {});
}

// Without end(), the acquire was cancelled, or its coroutine was destroyed with its execution context. Every acquire
// that was counted as waiting must be counted as ended.
composite_account::~composite_account()
{
    end(asio::error::operation_aborted, lease());
}

std::unique_ptr<composite_hold> composite_account::begin_hold() const
{
    return home_ ? std::make_unique<composite_hold>(home_, *meters_, lock_, acquire_) : nullptr;
}

// Counts once: home_ is null from then on.
void composite_account::end(error_code ec, lease const& l)
{
    auto const home = std::exchange(home_, nullptr);
    if (!home)
        return;
    auto const waited = home->now() - started_;
    bool const is_had = !l.empty();
    meters_->waiting.add(-1);
    meters_->end_of(ec, is_had).add();
    if (is_had)
        meters_->wait.add(waited);
    auto const what = ec ? &observer::on_failed : is_had ? &observer::on_acquired : &observer::on_busy;
    report(
        *home,
        lock_,
        acquire_,
        what,
        {.waited = to_ms(waited), .fencing_token = is_had ? l.fencing_token() : std::nullopt, .code = ec});
}

}  // namespace holdfast::detail
