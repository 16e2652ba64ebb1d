//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/terms.hpp"

#include "core/validity.hpp"

namespace holdfast::engine {
namespace {

bool is_capped(terms const& t) noexcept
{
    return t.max_hold > core::duration::zero();
}

}  // namespace

hold::hold(terms const& t, core::instant began, core::instant counted_from) noexcept
    : terms_(t), began_(began), fixed_until_(t.renewed ? core::never : core::valid_until(counted_from, t.lease))
{}

core::instant hold::capped_at() const noexcept
{
    return is_capped(terms_) ? began_ + terms_.max_hold : core::never;
}

core::duration hold::stop_margin(core::duration trusted) const noexcept
{
    auto const lasts = is_capped(terms_) ? std::min(terms_.lease, terms_.max_hold) : terms_.lease;
    return core::stop_margin(std::min(lasts, trusted));
}

bool hold::may_last(core::instant now, core::duration by) const noexcept
{
    return now + by <= capped_at();
}

void hold::extend(core::instant sent, core::duration by) noexcept
{
    // A renewed hold has no end of its own to move. A fixed end never moves back.
    if (!terms_.renewed)
        fixed_until_ = std::max(fixed_until_, core::valid_until(sent, by));
}

void demand::add(hold const& h, bool is_taken_up) noexcept
{
    auto const& t = h.conditions();
    longest = std::max(longest, t.lease);
    if (!t.renewed)
        return;
    renewed = std::max(renewed, t.lease);
    if (is_taken_up)
        requested = std::max(requested, t.lease);
}

core::duration demand::extension(hold const& h, core::duration by) const noexcept
{
    // A shorter extension of a renewed hold requests what a renewal does: its reply must not count for less time.
    return h.conditions().renewed ? std::max(by, renewed) : by;
}

bool needs_extension(terms const& wanted, core::instant now, core::instant grant_end, demand const& present) noexcept
{
    bool const is_covered = core::valid_until(now, wanted.lease) <= grant_end;
    bool const will_be = wanted.renewed && wanted.lease <= present.renewed;
    // Renewals do not help here: they end when the process crashes.
    bool const stays_taken = wanted.at_least == core::duration::zero() || now + wanted.at_least <= grant_end;
    return !stays_taken || (!is_covered && !will_be);
}

core::duration usable(terms const& t, core::duration time_to_live) noexcept
{
    return t.renewed ? time_to_live : std::min(time_to_live, t.lease);
}

bool may_pass_on(terms const& from, terms const& to, core::duration remaining) noexcept
{
    bool const ends_at_once = from.at_least == core::duration::zero() && to.at_least == core::duration::zero();
    return ends_at_once && from.renewed && to.renewed && from.lease >= to.lease && remaining >= from.lease / 2;
}

}  // namespace holdfast::engine
