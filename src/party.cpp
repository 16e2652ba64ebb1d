//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "party.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/error.hpp>

#include "engine/context.hpp"
#include "engine/joint_attempt.hpp"
#include "operation.hpp"

namespace holdfast::detail {

// The attempt on a lock of one server: contends directly, without a handler of its own.
class single_try final : public core::recycled<single_try>, public engine::contender {
public:
    single_try(boost::intrusive_ptr<attempts> all, std::size_t place, wish w)
        : contender(std::move(w)), all_(std::move(all)), place_(place)
    {}

    bool is_over() const noexcept { return !all_; }
    bool is_had() const noexcept { return is_had_; }
    void give_up(engine::context&);

    void granted(boost::intrusive_ptr<engine::tenure> t) override
    {
        is_had_ = true;
        end({}, lease_access::make(std::move(t)));
    }
    void busy() override { end({}, lease()); }
    void failed(error_code ec) override { end(ec, lease()); }

private:
    // Its party travels for it.
    void deliver(engine::context&) override {}
    void discard() noexcept override {}
    void end(error_code, lease);

    boost::intrusive_ptr<attempts> all_;  // until it ended
    std::size_t place_;
    bool is_had_ = false;
};

void single_try::give_up(engine::context& c)
{
    if (is_queued())
        c.leave(*this, asio::error::operation_aborted);
    else
        end(asio::error::operation_aborted, lease());
}

// What comes after a cancellation dies here, and that releases it.
void single_try::end(error_code ec, lease got)
{
    if (auto const all = std::move(all_))
        all->end(place_, ec, std::move(got));
}

party::party(std::shared_ptr<client_state> const& home, bool all_or_none) : home_(home), all_or_none_(all_or_none) {}

party::~party() = default;

void party::add(boost::intrusive_ptr<attempts> of, std::size_t place, engine::contender::wish w)
{
    tries_.emplace_back(new single_try(std::move(of), place, std::move(w)));
}

void party::start() noexcept
{
    if (!post(*this))
        fail_all(errc::client_stopped);
}

void party::ask_to_cancel() noexcept
{
    post(cancellation_);
}

// False: the client is gone.
bool party::post(engine::letter& l) noexcept
{
    auto const client = home_.lock();
    if (!client)
        return false;
    intrusive_ptr_add_ref(static_cast<engine::request*>(this));
    client->send(l);
    return true;
}

void party::fail_all(error_code ec)
{
    for (auto const& t : tries_)
        t->failed(ec);
}

void party::deliver(engine::context& c)
{
    boost::intrusive_ptr<party> const keep(this, false);
    if (all_or_none_ && tries_.size() > 1)
        return join_together(c);
    for (auto const& t : tries_)
        if (!t->is_over())
            c.join(*t);
}

void party::join_together(engine::context& c)
{
    boost::intrusive_ptr<engine::joint_attempt> const all(new engine::joint_attempt(c));
    auto const is_missed = [](auto const& t) { return t->is_over() && !t->is_had(); };
    for (auto const& t : tries_)
        if (!t->is_over() && std::ranges::none_of(tries_, is_missed)) {
            t->company = all.get();
            c.join(*t);
        }
    for (auto const& t : tries_)
        t->company = nullptr;
    if (std::ranges::none_of(tries_, is_missed))
        return all->send();
    all->call_off();
    give_up(c);
}

void party::give_up(engine::context& c)
{
    for (auto const& t : tries_)
        t->give_up(c);
}

// The client's execution context has ended. Who waits may run in another.
void party::discard() noexcept
{
    boost::intrusive_ptr<party> const keep(this, false);
    fail_all(errc::client_stopped);
}

}  // namespace holdfast::detail
