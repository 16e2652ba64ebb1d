//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/tenure.hpp"

#include <cassert>

#include "engine/arbiter.hpp"
#include "engine/context.hpp"
#include "engine/grant.hpp"
#include "engine/owner_state.hpp"

namespace holdfast::engine {

tenure::tenure(beginning b)
    : home_(std::move(b.home)),
      lock_(std::move(b.lock)),
      owner_(std::move(b.owner)),
      fence_(b.fence),
      first_(b.entered ? &b.entered->first() : nullptr),
      hold_(b.hold),
      valid_until_(core::instant::min().time_since_epoch().count())
{
    first().holds_.fetch_add(1, std::memory_order_relaxed);
}

// By then its client has taken it from all lists, and severed it from its grant, on the strand.
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

// What the holder's thread wrote before it let the lease go is visible to whoever holds the lock next: the mailbox
// passes the message on with release and acquire.
void tenure::drop(boost::intrusive_ptr<tenure> t) noexcept
{
    if (auto const client = t->home_.lock())
        client->send(*t.detach());
}

void tenure::deliver(context& c)
{
    boost::intrusive_ptr<tenure> const self(this, false);
    c.leave(*this, nullptr);
}

void tenure::discard() noexcept
{
    intrusive_ptr_release(this);
}

}  // namespace holdfast::engine
