//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/leases.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {

using std::chrono::steady_clock;

lease_view view_of(holdfast::lease const& l)
{
    lease_view v;
    auto const before = steady_clock::now();
    auto const until = l.valid_until();
    auto const after = steady_clock::now();
    v.left_least = v.left_most = -longest;
    if (until != steady_clock::time_point()) {
        v.left_least = until - after;
        v.left_most = until - before;
    }
    v.token = l.fencing_token();
    v.hold_count = l.hold_count();
    v.name = l.name();
    v.has_owner = l.owner().has_value();
    // Last: with several threads a downgrade may end meanwhile, after which the lease is empty.
    v.state = l.state();
    return v;
}

void lease_set::put(slot& to, holdfast::lease l, int hold)
{
    model_.gave_up(to.hold, world_.now());
    to.hold = hold;
    to.lease = std::move(l);
}

void lease_set::move(slot& from, slot& to)
{
    if (&from != &to)
        put(to, std::move(from.lease), std::exchange(from.hold, 0));
}

void lease_set::drop(slot& of)
{
    model_.gave_up(std::exchange(of.hold, 0), world_.now());
    of.lease = holdfast::lease();
}

void lease_set::drop_all()
{
    for (auto& s : slots_)
        drop(s);
}

void lease_set::forget(int hold)
{
    for (auto& s : slots_)
        if (s.hold == hold)
            s.hold = 0;
}

std::optional<lease_view> lease_set::find(int hold) const
{
    auto const at = std::ranges::find(slots_, hold, &slot::hold);
    if (hold == 0 || at == slots_.end())
        return std::nullopt;
    return view_of(at->lease);
}

void lease_set::check()
{
    auto const show = [&](int hold, holdfast::lease const& l) {
        auto const now = world_.now();
        model_.check(hold, now, view_of(l));
    };
    for (auto const& s : slots_)
        if (s.hold != 0)
            show(s.hold, s.lease);
    for (auto const& [hold, l] : in_bodies_)
        show(hold, *l);
}

}  // namespace holdfast::test::oracle
