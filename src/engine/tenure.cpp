//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/tenure.hpp"

#include "engine/arbiter.hpp"
#include "engine/context.hpp"
#include "engine/grant.hpp"
#include "engine/owner_state.hpp"

namespace holdfast::engine {

tenure::tenure(
    std::weak_ptr<gate> home,
    std::shared_ptr<lock_spec const> lock,
    std::shared_ptr<owner_state> owner,
    struct terms const& t,
    std::uint64_t fence,
    core::instant started)
    : home_(std::move(home)),
      lock_(std::move(lock)),
      owner_(std::move(owner)),
      fence_(fence),
      started_(started),
      terms_(t),
      own_end_(core::never),
      valid_until_(core::instant::min().time_since_epoch().count())
{}

tenure::~tenure() = default;

lease_state tenure::state() const noexcept
{
    auto const s = state_.load(std::memory_order_relaxed);
    bool const is_over = s == lease_state::lost || s == lease_state::empty;
    return is_over || is_valid() ? s : lease_state::lost;
}

bool tenure::is_valid() const noexcept
{
    if (is_lost() || is_passed_on())
        return false;
    auto const client = home_.lock();
    return client && client->now() < valid_until();
}

void tenure::set_valid_until(core::instant grant_end) noexcept
{
    auto const end = std::min(grant_end, own_end_);
    valid_until_.store(end.time_since_epoch().count(), std::memory_order_relaxed);
}

void tenure::drop(boost::intrusive_ptr<tenure> t) noexcept
{
    auto const client = t->home_.lock();
    // Several leases of one tenure may be dropped at once, from several threads: one letter speaks for all.
    if (client && t->dropped_.fetch_add(1, std::memory_order_relaxed) == 0)
        client->send(*t.detach());
}

void tenure::deliver(context& c)
{
    boost::intrusive_ptr<tenure> const self(this, false);
    for (auto n = dropped_.exchange(0, std::memory_order_relaxed); n > 0; --n)
        c.leave(*this, nullptr);
}

void tenure::discard() noexcept
{
    intrusive_ptr_release(this);
}

}  // namespace holdfast::engine
