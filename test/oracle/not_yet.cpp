//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/not_yet.hpp"

#include <cstdlib>

#include "oracle/locks.hpp"
#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {
namespace {

void hold_for_a_round(step& s, program const&)
{
    bool const several = is_composite(design_of(s.get(field::lock))) || is_composite(design_of(s.get(field::inner)));
    if (several && s.get(field::max_hold) > 0 && milliseconds_of(s, field::max_hold) < slack)
        s.set(field::max_hold, 50);
}

}  // namespace

std::vector<exclusion> const& not_yet()
{
    static std::vector<exclusion> const all{
        {"fleeting",
         "Undecidable: whether several locks with a max_hold shorter than a round are granted depends on timing, and "
         "acquire() waits until they are.",
         hold_for_a_round},
    };
    return all;
}

// HOLDFAST_ORACLE_ALL may also name one exclusion, which is skipped then.
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
