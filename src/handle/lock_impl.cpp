//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

// A lease time below 100 ms is invalid (rule 3).
char const* validation_error(acquire_request const& r) noexcept
{
    using namespace std::chrono_literals;
    constexpr auto shortest_lease = 100ms;
    if (r.lease && *r.lease < shortest_lease)
        return "lease: must be at least 100 ms";
    if (r.max_hold && *r.max_hold < 0ms)
        return "max_hold: must not be negative";
    if (r.at_least && *r.at_least <= 0ms)
        return "at_least: must be more than 0";
    if (r.at_least && *r.at_least > 12h)
        return "at_least: must be at most 12 h";
    if (r.wait && *r.wait < 0ms)
        return "wait: must not be negative";
    if (r.priority < 1 || r.priority > 10)
        return "priority: must be 1 to 10";
    if (r.weight < 1 || r.weight > 4095)
        return "weight: must be 1 to 4095";
    return nullptr;
}

}  // namespace holdfast::detail
