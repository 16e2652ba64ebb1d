//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/grant.hpp"

#include <cassert>
#include <utility>

#include "engine/hold/grant_watcher.hpp"
#include "engine/protocol/lock_protocol.hpp"

namespace holdfast::engine {

grant::grant(
    std::shared_ptr<lock_spec const> lock, core::token token, core::duration lease, boost::intrusive_ptr<grant> under)
    : lock_(std::move(lock)),
      token_(std::move(token)),
      under_(std::move(under)),
      lease_(lease),
      longest_requested_(lease)
{
    if (auto key = lock_->protocol->own_key(*lock_, token_.text()); !key.empty())
        own_key_ = std::make_unique<std::string const>(std::move(key));
}

grant::~grant()
{
    assert(holders_.empty());
}

core::duration grant::period() const noexcept
{
    auto const pace = demand_.pace();
    return std::min(pace > core::duration::zero() ? pace : lease_, longest_period());
}

core::duration grant::longest_period() const noexcept
{
    return lock_->protocol->longest_period(*lock_);
}

void grant::confirm(core::instant sent, core::duration lease) noexcept
{
    confirmed_ = std::max(confirmed_, sent);
    // A longer lease time that was set before still counts: no command shortens it (rule 4).
    if (lease > core::duration::zero())
        set_until_ = std::max(set_until_, core::valid_until(sent, lease));
    // Redisson's read watchdog may set the lock's time to live to its own, shorter one at any time. So a reply counts
    // only as long as that, however long the time to live is.
    auto const trusted = may_be_shortened() ? core::valid_until(sent, longest_period()) : set_until_;
    valid_until_ = std::max(valid_until_, std::min(set_until_, trusted));
}

void grant::enter(tenure& t)
{
    intrusive_ptr_add_ref(&t);
    holders_.push_back(t);
    t.held_grant = this;
    ++claims_;
    demand_.add(t.held(), t.is_taken_up());
    kept_until_ = std::max(kept_until_, t.held().kept_until());
}

void grant::leave(tenure& t) noexcept
{
    holders_.erase(holders_.iterator_to(t));
    intrusive_ptr_release(&t);
}

bool grant::drop_claim() noexcept
{
    assert(claims_ > 0);
    return --claims_ == 0;
}

void grant::on_sent(core::duration lease) noexcept
{
    commands_.on_sent();
    longest_requested_ = std::max(longest_requested_, lease);
    if (!under_)
        return;
    under_->commands_.on_sent();
    // An extension of the read keeps the key, and with it the write's field, for longer than the write requires. The
    // release of the write must not be given up before.
    under_->cover(lease);
}

void grant::on_answered(core::instant now, bool is_known) noexcept
{
    commands_.on_answered(now, is_known);
    if (under_)
        under_->commands_.on_answered(now, is_known);
}

void grant::cover(core::duration lease) noexcept
{
    covers_reads_ = true;
    longest_requested_ = std::max(longest_requested_, lease);
}

bool grant::lasts(core::instant now) const noexcept
{
    return std::ranges::any_of(holders_, [now](tenure const& t) { return now < t.valid_until(); });
}

void grant::prolong_holds(core::instant now) noexcept
{
    for (auto& t : holders_)
        if (now < t.valid_until())
            t.set_valid_until(valid_until_);
}

demand const& grant::reckon() noexcept
{
    demand_ = {};
    for (auto const& t : holders_)
        demand_.add(t.held(), t.is_taken_up());
    return demand_;
}

void grant::on_due(core::instant now)
{
    watcher->on_due(*this, now);
}

}  // namespace holdfast::engine
