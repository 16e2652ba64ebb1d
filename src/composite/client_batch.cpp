//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/client_batch.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/error.hpp>

#include "core/memory_end.hpp"
#include "engine/acquire/batch_acquire.hpp"
#include "engine/client_engine.hpp"
#include "operations/operation.hpp"
#include "operations/single_lease.hpp"

namespace holdfast::detail {

// One attempt on the lock of one server. It is a contender itself: no operation and no handler are allocated for
// it. It owns the object that receives the results, and is owned by its batch, which that object owns: the cycle
// ends with the attempt.
class single_try final : public core::pooled<single_try>, public lease_contender {
public:
    single_try(boost::intrusive_ptr<attempts> all, std::size_t place, wish w)
        : lease_contender(std::move(w)), all_(std::move(all)), place_(place)
    {}

    bool is_over() const noexcept { return !all_; }
    bool is_had() const noexcept { return is_had_; }
    void give_up();

    void acquired(lease l) override
    {
        is_had_ = true;
        end({}, std::move(l));
    }
    void busy() override { end({}, lease()); }
    void failed(described_error ec) override { end(std::move(ec), lease()); }

private:
    // A contender is a message, but this one is never sent: its batch is.
    void deliver(engine::client_engine&) override {}
    void discard() noexcept override {}
    void end(described_error, lease);

    boost::intrusive_ptr<attempts> all_;  // null: it has ended
    std::size_t place_;
    bool is_had_ = false;
};

// An attempt that waits in an arbiter leaves it, and the arbiter ends it with that error. Otherwise it has not joined
// yet, or has ended already.
void single_try::give_up()
{
    if (is_queued())
        leave(asio::error::operation_aborted);
    else
        end(asio::error::operation_aborted, lease());
}

// Only the first call reports a result. A lease that is granted after a cancellation is destroyed
// here, which releases it.
void single_try::end(described_error ec, lease got)
{
    bool const is_told = ec && ec.code != asio::error::operation_aborted;
    if (auto const all = std::move(all_))
        all->end(place_, is_told ? named(ec, lock().name) : std::move(ec), std::move(got));
}

client_batch::client_batch(std::shared_ptr<client_state> const& home, bool all_or_none)
    : home_(home), all_or_none_(all_or_none)
{}

client_batch::~client_batch() = default;  // here, where single_try is complete

void client_batch::add(boost::intrusive_ptr<attempts> of, std::size_t place, engine::contender::wish w)
{
    tries_.emplace_back(new single_try(std::move(of), place, std::move(w)));
}

// The message has a reference to the batch, which deliver() or discard() releases.
void client_batch::start() noexcept
{
    auto const client = home_.lock();
    if (!client)
        return fail_all(errc::client_stopped);
    intrusive_ptr_add_ref(static_cast<engine::request*>(this));
    client->send(*this);
}

void client_batch::request_cancellation() noexcept
{
    if (auto const client = home_.lock())
        cancellation_.send_to(*client);
}

// The attempts must end, not only disappear: the composite acquire waits for the result of each.
void client_batch::fail_all(described_error const& ec)
{
    core::run_or_end([&] {
        for (auto const& t : tries_)
            t->failed(ec);
    });
}

void client_batch::deliver(engine::client_engine& c)
{
    boost::intrusive_ptr<client_batch> const keep(this, false);
    if (all_or_none_ && tries_.size() > 1)
        return join_together(c);
    for (auto const& t : tries_)
        if (!t->is_over())
            c.join(*t);
}

// The engine gathers the attempts while their contenders join, and sends them as one script. A contender may end while
// it joins, for example because this process holds the lock. Then the others must not be granted: the remaining
// contenders do not join, nothing is sent, and the attempts that have joined end with operation_aborted. The contenders
// forget the batch before it is sent or called off, because it exists no longer than its command.
void client_batch::join_together(engine::client_engine& c)
{
    auto const all = c.make_batch();
    auto const is_missed = [](auto const& t) { return t->is_over() && !t->is_had(); };
    for (auto const& t : tries_) {
        if (!t->is_over()) {
            t->batch = all.get();
            c.join(*t);
        }
        if (is_missed(t))
            break;
    }
    for (auto const& t : tries_)
        t->batch = nullptr;
    if (std::ranges::none_of(tries_, is_missed))
        return all->send();
    all->call_off();
    give_up();
}

void client_batch::give_up()
{
    for (auto const& t : tries_)
        t->give_up();
}

// The client's execution context has ended. The acquire of the composite lock may run in another one, and waits for the
// results.
void client_batch::discard() noexcept
{
    boost::intrusive_ptr<client_batch> const keep(this, false);
    fail_all(errc::client_stopped);
}

}  // namespace holdfast::detail
