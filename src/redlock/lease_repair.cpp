//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/lease_repair.hpp"

#include <utility>

#include "composite/client_batch.hpp"
#include "composite/composite_lease.hpp"
#include "core/validity.hpp"
#include "operations/lock_query.hpp"
#include "operations/single_lease.hpp"
#include "redlock/node_reply.hpp"
#include "redlock/repair_rules.hpp"

namespace holdfast::detail {
namespace {

// One attempt on one server. It waits like any contender, with a limit: contenders that have no majority hold the lock
// there for moments, and a single attempt would often meet one of them.
class member_attempt final : public attempts {
public:
    member_attempt(
        std::shared_ptr<client_state> const& home,
        engine::contender::wish w,
        std::shared_ptr<round_replies> into,
        std::size_t node,
        core::instant began)
        : batch_(new client_batch(home, false)), into_(std::move(into)), began_(began)
    {
        batch_->add(this, node, std::move(w));
    }

    void start() noexcept { batch_->start(); }
    void call_off() noexcept override { batch_->request_cancellation(); }
    void end(std::size_t node, described_error ec, lease got) override
    {
        into_->take_again(node, began_, {std::move(ec), std::move(got)});
    }

private:
    boost::intrusive_ptr<client_batch> const batch_;
    std::shared_ptr<round_replies> const into_;
    core::instant const began_;
};

bool is_held(lease_ptr const& member) noexcept
{
    auto const s = member ? member->state() : lease_state::empty;
    return s == lease_state::held || s == lease_state::at_risk;
}

// The members of a red_lock are locks of one server each.
core::instant end_of(lease_ptr const& member) noexcept
{
    return member ? static_cast<single_lease const&>(*member).engine::tenure::valid_until() : core::instant::min();
}

}  // namespace

lease_repair::lease_repair(
    std::shared_ptr<red_lock_impl const> of,
    acquire_request const& request,
    core::instant began,
    std::weak_ptr<round_replies> replies)
    : lock_(std::move(of)), request_(request), began_(began), replies_(std::move(replies))
{}

// ---- where it is

void lease_repair::start() noexcept
{
    intrusive_ptr_add_ref(static_cast<engine::request*>(this));
    move_on();
}

// A client whose execution context ends discards the message, which leads here again.
void lease_repair::move_on() noexcept
{
    auto const next = is_stopped_ ? nullptr : lock_->home();
    if (!next || next->is_stopped())
        return retire();
    {
        std::scoped_lock const guard(mutex_);
        client_ = next;
    }
    next->send(*this);
}

void lease_repair::retire() noexcept
{
    at_ = nullptr;
    intrusive_ptr_release(static_cast<engine::request*>(this));
}

// If it moves to another client meanwhile, it ends there when it is due.
void lease_repair::stop() noexcept
{
    is_stopped_ = true;
    std::shared_ptr<client_state> at;
    {
        std::scoped_lock const guard(mutex_);
        at = client_.lock();
    }
    if (at)
        cancellation_.send_to(*at);
}

void lease_repair::cancelled(engine::client_engine& c)
{
    if (at_ != &c)
        return;
    unlink();
    c.runtime().disarm(*this);
    retire();
}

void lease_repair::deliver(engine::client_engine& c)
{
    if (is_stopped_ || c.runtime().lifecycle().is_stopped())
        return move_on();
    at_ = &c;
    c.wait_stopped(*this);
    c.runtime().arm(*this, c.runtime().now() + core::renewal_retry(lease_of(0)));
}

// The client was stopped: its alarm will never come.
void lease_repair::done(described_error)
{
    at_.load()->runtime().disarm(*this);
    at_ = nullptr;
    move_on();
}

void lease_repair::on_due(core::instant now)
{
    if (look(now))
        return at_.load()->runtime().arm(*this, now + core::renewal_retry(lease_of(0)));
    unlink();
    retire();
}

// ---- what it does

// False: the lease was released or lost.
bool lease_repair::look(core::instant now)
{
    auto const replies = is_stopped_ ? nullptr : replies_.lock();
    auto const won = replies ? replies->won() : nullptr;
    if (!won || won->state() == lease_state::lost)
        return false;
    auto const nodes = lock_->nodes();
    auto const members = replies->members();
    missing_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (is_missing(i, members, now) && counts(*nodes[i], now) && replies->may_ask_again(i))
            ask(i, *nodes[i], *replies, now);
    return true;
}

// True if a majority has been confirmed since the member was found to be missing.
bool lease_repair::is_missing(std::size_t node, round_replies::member_list const& members, core::instant now)
{
    auto& missing = missing_[node];
    if (is_held(members[node])) {
        missing.reset();
        return false;
    }
    if (!missing) {
        missing.emplace(shortage{now, {}});
        for (auto const& m : members)
            missing->ends.push_back(end_of(m));
    }
    std::size_t confirmed = 0;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (is_held(members[i]))
            confirmed += is_confirmed_since(missing->since, missing->ends[i], end_of(members[i]), lease_of(i));
    return confirmed >= lock_->quorum();
}

bool lease_repair::counts(single_lock const& node, core::instant now) const
{
    auto const server = server_of(node);
    auto const since = server ? server->running_since : core::never;
    return node_reply::by_age(*lock_, since, now) == node_reply::kind::granted;
}

void lease_repair::ask(std::size_t node, single_lock const& lock, round_replies& replies, core::instant now)
{
    auto const home = lock.home();
    if (precondition_error(lock, home) || home->is_stopped())
        return replies.give_up(node);
    auto terms = to_terms(request_, home->options());
    auto const wait = core::renewal_interval(terms.lease);
    auto const rest = rest_of_hold(terms.max_hold, began_, now + wait);
    if (!rest)
        return replies.give_up(node);
    terms.max_hold = *rest;
    engine::contender::wish wish{
        .lock = lock_of(lock), .owner = lock.owner, .terms = terms, .wait = wait, .needs_answer = true};
    boost::intrusive_ptr<member_attempt> const one(
        new member_attempt(home, std::move(wish), replies.shared_from_this(), node, now));
    if (replies.begin_again(node, one))
        one->start();
}

core::duration lease_repair::lease_of(std::size_t node) const
{
    if (request_.lease)
        return *request_.lease;
    auto const home = lock_->members()[node]->home();
    return home ? core::duration(home->options().lease) : lock_->max_lease();
}

}  // namespace holdfast::detail
