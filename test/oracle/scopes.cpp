//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// with_lock, and what its bodies do.

#include <chrono>
#include <exception>
#include <utility>

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
        self.leases_.leave_body(hold);
        if (!self.is_ending_)
            self.model_.body_ended(hold, self.world_.now());
    }
    operations& self;
    int const hold;
};

void operations::scope(step const& s)
{
    if (!clients_.has_clients_of(s, design_of(s.get(field::lock))))
        return;
    auto const p = make_pending(s);
    on_launch(*p);
    asio::co_spawn(
        world_.executor_of(process_of(s)),
        scoped(s, p),
        asio::bind_cancellation_slot(p->signal.slot(), [this](std::exception_ptr e) {
            --under_way_;
            if (e && !is_ending_)
                std::rethrow_exception(e);
        }));
}

asio::awaitable<void> operations::scoped(step s, std::shared_ptr<pending> p)
{
    auto const& d = design_of(s.get(field::lock));
    // Named: GCC 12 destroys temporaries in a co_await expression twice.
    if (d.kind == kind::fair) {
        auto const lock = clients_.make_fair(s, d);
        co_await scoped_with(lock, s, p);
    } else {
        auto const lock = clients_.make_lock(s, d);
        co_await scoped_with(lock, s, p);
    }
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
    if (!is_ending_)
        model_.with_lock_ended(*p->in_model, world_.now(), ec, ran);
}

asio::awaitable<void> operations::body(holdfast::lease& l, step s, std::shared_ptr<pending> p, bool& ran)
{
    ran = true;
    leases_.look();
    auto const hold = model_.body_began(*p->in_model, world_.now(), view_of(l));
    ++grants_;
    leases_.enter_body(hold, l);
    body_end const at_end(*this, hold);
    if (s.has(field::inner))
        co_await inner_scope(s);
    co_await world_.sleep(process_of(s), std::chrono::microseconds(s.get(field::us, 1'000)));
}

// What the body takes besides, without waiting for it.
asio::awaitable<void> operations::inner_scope(step s)
{
    auto inner = step(verb::with_lock);
    inner.set(field::process, s.get(field::process)).set(field::lock, s.get(field::inner)).set(field::us, 1'000);
    inner.set(field::wait, 0);
    for (auto const f : {field::lease, field::renew, field::owner})
        inner.set(f, s.get(f, absent));
    if (!clients_.has_clients_of(inner, design_of(inner.get(field::lock))))
        co_return;
    auto const p = make_pending(inner);
    on_launch(*p);
    model_.cancel(*p->in_model, world_.now());  // the end of the outer one cancels it at any time
    co_await scoped(inner, p);
    --under_way_;
}

}  // namespace holdfast::test::oracle
