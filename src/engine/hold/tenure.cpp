//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/tenure.hpp"

#include <cassert>

#include "engine/hold/grant.hpp"

namespace holdfast::engine {

tenure::tenure(beginning b)
    : home_(std::move(b.home)),
      lock_(std::move(b.lock)),
      owner_(std::move(b.owner)),
      fence_(b.fence),
      number_(b.number),
      acquire_(b.acquire),
      context_(std::move(b.context)),
      first_(b.entered ? &b.entered->first() : nullptr),
      hold_(b.hold),
      valid_until_(core::instant::min().time_since_epoch().count())
{
    first().holds_.fetch_add(1, std::memory_order_relaxed);
}

// Any thread may run this. The client has removed the tenure from all lists and from its grant before, on the strand.
tenure::~tenure()
{
    assert(!held_grant);
}

unsigned tenure::hold_count() const noexcept
{
    return is_detached() ? 0 : first().holds_.load(std::memory_order_relaxed);
}

void tenure::end_hold() noexcept
{
    first().holds_.fetch_sub(1, std::memory_order_relaxed);
}

lease_state tenure::state() const noexcept
{
    auto const s = state_.load(std::memory_order_relaxed);
    bool const is_over = s == lease_state::lost || s == lease_state::empty;
    return is_over || is_valid() ? s : lease_state::lost;
}

bool tenure::is_valid() const noexcept
{
    if (is_lost() || is_detached())
        return false;
    // Without the client no clock is left, and nothing renews the lease.
    auto const client = home_.lock();
    return client && client->now() < valid_until();
}

void tenure::set_valid_until(core::instant grant_end) noexcept
{
    auto const end = hold_.valid_until(grant_end);
    valid_until_.store(end.time_since_epoch().count(), std::memory_order_relaxed);
}

loss tenure::cause_of_end() const noexcept
{
    return hold_.is_capped_at(valid_until()) ? loss::max_hold : loss::expired;
}

error_code tenure::check_held() const noexcept
{
    if (is_lost())
        return errc::lease_lost;
    if (!held_grant)
        return errc::empty_lease;
    return is_valid() ? error_code() : errc::lease_lost;
}

}  // namespace holdfast::engine
