//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/not_yet.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "oracle/locks.hpp"

namespace holdfast::test::oracle {
namespace {

bool acquires(step const& s)
{
    return s.what == verb::acquire || s.what == verb::try_acquire || s.what == verb::with_lock;
}

bool is_owned(step const& s)
{
    auto const& d = design_of(s.get(field::lock));
    return d.kind == kind::reentrant || is_composite(d) || (d.kind != kind::mutex && s.has(field::owner));
}

// The default lease, for every hold of an owner.
void enter_on_equal_terms(step& s, program const&)
{
    auto inner = s;
    inner.set(field::lock, s.get(field::inner));
    if (acquires(s) && (is_owned(s) || (s.has(field::inner) && is_owned(inner))))
        s.set(field::lease, absent).set(field::renew, absent).set(field::max_hold, absent);
}

void shorten(step& s, program const&)
{
    for (auto const f : {field::lease, field::max_hold, field::wait, field::by})
        if (s.get(f) == endless)
            s.set(f, 60'000);
}

void take_no_member_twice(step& s, program const&)
{
    if (s.has(field::lock) && design_of(s.get(field::lock)).name == "multi_red_own")
        s.set(field::lock, lock_called("multi_red"));
}

// The last is of the writer that waits while it downgrades.
void downgrade_without_owner(step& s, program const& p)
{
    bool owned_write = false;
    for (auto const& other : p.steps)
        owned_write = owned_write
                      || (acquires(other) && other.has(field::owner)
                          && design_of(other.get(field::lock)).kind == kind::write);
    if (s.what == verb::downgrade && owned_write)
        s = step(verb::advance);
}

void permit_what_follows_a_write(step& s, program const&)
{
    if (s.what == verb::deny && (s.get(field::how) == 1 || s.get(field::how) == 2))
        s.set(field::how, 0);
}

void wait_for_no_holder(step& s, program const&)
{
    if (s.get(field::wait) > 0)
        s.set(field::wait, 0);
}

void try_without_silence(step& s, program const&)
{
    if (s.what == verb::lose_replies)
        s.what = verb::disconnect;
    if (s.what == verb::pause)
        s.set(field::us, std::clamp<std::int64_t>(s.get(field::us), 10'000, 400'000));
}

void extend_what_is_held(step& s, program const& p)
{
    bool composites = false;
    for (auto const& other : p.steps)
        composites = composites || (other.has(field::lock) && is_composite(design_of(other.get(field::lock))));
    if (s.what == verb::extend && composites)
        s = step(verb::advance);
    if (s.what == verb::extend)
        s.set(field::keep, absent);
}

}  // namespace

std::vector<exclusion> const& not_yet()
{
    static std::vector<exclusion> const all{
        {"other terms", "A re-entry changes the terms of the hold that it enters.", enter_on_equal_terms},
        {"endless", "Options of a very long time overflow.", shorten},
        {"member twice", "A multi_lock of a red_lock and one of its members waits for itself.", take_no_member_twice},
        {"downgrade", "A re-entry of a write that is being downgraded loses its lease.", downgrade_without_owner},
        {"denied",
         "Without the right to pexpire or time, a refused acquire leaves its key.",
         permit_what_follows_a_write},
        {"waits", "A wait that ends while the lock is held may end as unavailable.", wait_for_no_holder},
        {"extend", "An extension that is launched after its lease was given up crashes.", extend_what_is_held},
        {"silence", "One attempt behind a waiter takes until a silent connection is given up.", try_without_silence},
    };
    return all;
}

// HOLDFAST_ORACLE_ALL may also name one exclusion, which is not made then.
program without_exclusions(program p)
{
    auto const* const all = std::getenv("HOLDFAST_ORACLE_ALL");
    if (all && std::string_view(all) == "1")
        return p;
    for (auto const& e : not_yet())
        if (!all || e.name != all)
            for (auto& s : p.steps)
                e.leave_out(s, p);
    return p;
}

}  // namespace holdfast::test::oracle
