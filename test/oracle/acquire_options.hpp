//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_ACQUIRE_OPTIONS_HPP
#define HOLDFAST_TEST_ORACLE_ACQUIRE_OPTIONS_HPP

#include <chrono>
#include <concepts>
#include <optional>

#include <holdfast/options.hpp>

#include "oracle/program.hpp"

namespace holdfast::test::oracle {

inline std::optional<std::chrono::milliseconds> option(step const& s, field f)
{
    if (!s.has(f))
        return std::nullopt;
    return s.get(f) == endless ? std::chrono::milliseconds::max() : std::chrono::milliseconds(s.get(f));
}

// The options that a step gives to an acquire.
template <class Options>
Options acquire_options_of(step const& s)
{
    Options o;
    o.lease = option(s, field::lease);
    if constexpr (requires { o.renew; })
        o.renew = s.get(field::renew) != 0;
    o.max_hold = option(s, field::max_hold);
    if constexpr (requires { o.at_least; })
        o.at_least = option(s, field::at_least);
    if constexpr (requires { o.priority; })
        o.priority = int(s.get(field::priority, 5));
    if constexpr (requires { o.weight; })
        o.weight = unsigned(s.get(field::weight, 1));
    if constexpr (requires { o.wait; })
        o.wait = option(s, field::wait);
    // Without a limit, a campaign waits; a try_acquire is one attempt.
    if constexpr (std::same_as<Options, campaign_options>)
        if (s.what == verb::try_acquire)
            o.wait = o.wait.value_or(std::chrono::milliseconds(0));
    return o;
}

}  // namespace holdfast::test::oracle

#endif
