//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The execution of with_lock and of its bodies.

#include <chrono>
#include <exception>
#include <utility>
#include <variant>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include <holdfast/with_lock.hpp>

#include "oracle/acquire_options.hpp"
#include "oracle/operations.hpp"

namespace holdfast::test::oracle {

struct operations::body_end {
    body_end(operations& o, int h) : self(o), hold(h) {}
    ~body_end()
    {
        guard const held(self.mutex_);
        self.leases_.leave_body(hold);
        if (!self.is_ending_)
            self.model_.body_ended(hold, self.world_.now());
    }
    operations& self;
    int const hold;
};

void operations::scope(execution e)
{
    auto lock = clients_.handle_of(e.what);
    if (!lock)
        return;
    auto const p = make_pending(e.what, e.where);
    on_launch(*p);
    e.held.unlock();
    asio::co_spawn(
        p->where,
        scoped(std::move(*lock), e.what, p),
        asio::bind_cancellation_slot(p->signal.slot(), [this](std::exception_ptr error) {
            guard const held(mutex_);
            --under_way_;
            if (error && !is_ending_)
                std::rethrow_exception(error);
        }));
}

asio::awaitable<void> operations::scoped(lock_handle of, step s, std::shared_ptr<pending> p)
{
    // Named: GCC 12 destroys temporaries in a co_await expression twice.
    auto whole = std::visit([&](auto const& lock) { return scoped_with(lock, s, p); }, of);
    co_await std::move(whole);
}

template <class Lock>
asio::awaitable<void> operations::scoped_with(Lock lock, step s, std::shared_ptr<pending> p)
{
    bool ran = false;
    auto guarded = [&](holdfast::lease& l) -> asio::awaitable<void> { return body(l, s, p, ran); };
    auto const options = acquire_options_of<typename Lock::try_options>(s);
    error_code ec;
    try {
        co_await with_lock(lock, options, guarded);
    } catch (boost::system::system_error const& e) {
        ec = e.code();
    }
    guard const held(mutex_);
    if (!is_ending_)
        model_.with_lock_ended(*p->in_model, world_.now(), ec, ran);
}

asio::awaitable<void> operations::body(holdfast::lease& l, step s, std::shared_ptr<pending> p, bool& ran)
{
    ran = true;
    body_end const at_end(*this, enter_body(l, *p));
    if (s.has(field::inner))
        co_await inner_scope(s, p->where);
    co_await world_.sleep(process_of(s), std::chrono::microseconds(s.get(field::us, 1'000)));
}

int operations::enter_body(holdfast::lease const& l, pending& p)
{
    guard const held(mutex_);
    leases_.check();
    auto const now = world_.now();
    auto const hold = model_.body_began(*p.in_model, now, view_of(l));
    ++grants_;
    leases_.enter_body(hold, l);
    return hold;
}

std::shared_ptr<pending> operations::launch_inner(step const& s, asio::any_io_executor const& where)
{
    auto p = make_pending(s, where);
    on_launch(*p);
    model_.cancel(*p->in_model, world_.now());  // the end of the outer body may cancel it at any time
    return p;
}

// Acquires the inner lock in the body, without a wait.
asio::awaitable<void> operations::inner_scope(step s, asio::any_io_executor where)
{
    auto inner = step(verb::with_lock);
    inner.set(field::process, s.get(field::process)).set(field::lock, s.get(field::inner)).set(field::us, 1'000);
    inner.set(field::wait, 0);
    for (auto const f : {field::lease, field::renew, field::owner})
        inner.set(f, s.get(f, absent));
    guard held(mutex_);
    auto const lock = clients_.handle_of(inner);
    if (!lock)
        co_return;
    auto const p = launch_inner(inner, where);
    held.unlock();
    co_await scoped(*lock, inner, p);
    held.lock();
    --under_way_;
}

}  // namespace holdfast::test::oracle
