//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/applied.hpp"

namespace holdfast::engine {
namespace {

// Redis checks these conditions before the first write of a script, and the hash slots of its KEYS before it starts. A
// script that has written may continue, even if the condition begins meanwhile (for example, if the memory becomes
// short).
bool comes_before_any_write(refusal why) noexcept
{
    switch (why) {
        case refusal::no_script:
        case refusal::read_only:
        case refusal::not_now:
        case refusal::moved:
        case refusal::redirected:
        case refusal::ask:
        case refusal::asked:
        case refusal::try_again:
        case refusal::out_of_resources: return true;
        default: return false;
    }
}

}  // namespace

bool may_be_applied(command_kind kind, answer const& a) noexcept
{
    if (a.outcome != outcome::refused)
        return true;
    // The words of a proxy say nothing of what the server behind it did.
    return a.why == refusal::other || (kind == command_kind::script && !comes_before_any_write(a.why));
}

answer answer_to_error(core::instant sent, std::string_view words) noexcept
{
    auto const why = classify(words);
    if (why == refusal::half_applied)
        return {.outcome = outcome::unknown, .sent = sent};
    return {.outcome = outcome::refused, .sent = sent, .why = why, .words = words};
}

}  // namespace holdfast::engine
