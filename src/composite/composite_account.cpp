//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/composite_account.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include "engine/client_engine.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {
namespace {

// Carries an event to the client's strand: observers are called there, never at the same time, and never inside a call
// of the user. It owns the lock, whose name the event refers to.
class report final : public engine::message {
public:
    using member = void (observer::*)(lock_event const&) noexcept;

    static void send(client_state& to, std::shared_ptr<lock_impl const> const& of, member what, lock_event e)
    {
        if (to.options().observer)
            to.send(*new report(to.options().observer, of, what, e));
    }

private:
    report(std::shared_ptr<observer> to, std::shared_ptr<lock_impl const> of, member what, lock_event e)
        : to_(std::move(to)), lock_(std::move(of)), what_(what), event_(e)
    {}

    // The mailbox does not own messages, so deliver() and discard() delete it.
    void deliver(engine::client_engine&) override
    {
        std::unique_ptr<report> const self(this);
        event_.name = lock_->name();
        (to_.get()->*what_)(event_);
    }
    void discard() noexcept override { delete this; }

    std::shared_ptr<observer> to_;
    std::shared_ptr<lock_impl const> lock_;
    member what_;
    lock_event event_;
};

auto to_ms(core::duration d) noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(d);
}

}  // namespace

composite_hold::composite_hold(std::shared_ptr<client_state> const& home, std::shared_ptr<lock_impl const> of)
    : home_(home), lock_(std::move(of)), started_(home->now())
{
    if (auto* const m = home->composites())
        m->held.add();
}

// Runs on the thread that releases or destroys the lease; the client may not exist any more.
composite_hold::~composite_hold()
{
    auto const home = home_.lock();
    auto* const m = home ? home->composites() : nullptr;
    if (!m)
        return;
    auto const held = home->now() - started_;
    m->held.add(-1);
    m->hold.add(held);
    report::send(*home, lock_, &observer::on_released, {.held = to_ms(held)});
}

// The acquire of a composite that is a member of another composite is not counted: the user has started one acquire.
composite_account::composite_account(
    std::shared_ptr<client_state> home, std::shared_ptr<lock_impl const> of, acquire_request const& r)
    : home_(r.is_part ? nullptr : std::move(home)),
      lock_(std::move(of)),
      started_(home_ ? home_->now() : core::instant())
{
    if (auto* const m = home_ ? home_->composites() : nullptr)
        m->waiting.add();
}

// Without end(), the acquire was cancelled, or its coroutine was destroyed with its execution context. Every acquire
// that was counted as waiting must be counted as ended.
composite_account::~composite_account()
{
    end(asio::error::operation_aborted, false);
}

std::unique_ptr<composite_hold> composite_account::begin_hold() const
{
    bool const is_counted = home_ && home_->composites();
    return is_counted ? std::make_unique<composite_hold>(home_, lock_) : nullptr;
}

// Counts once: home_ is null from then on.
void composite_account::end(error_code ec, bool is_had)
{
    auto const home = std::exchange(home_, nullptr);
    auto* const m = home ? home->composites() : nullptr;
    if (!m)
        return;
    auto const waited = home->now() - started_;
    m->waiting.add(-1);
    m->end_of(ec, is_had).add();
    if (is_had)
        m->wait.add(waited);
    auto const what = ec ? &observer::on_failed : is_had ? &observer::on_acquired : &observer::on_busy;
    report::send(*home, lock_, what, {.waited = to_ms(waited), .code = ec});
}

}  // namespace holdfast::detail
