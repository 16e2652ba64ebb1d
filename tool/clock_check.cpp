//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/clock_check.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace holdfast::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

std::optional<std::int64_t> to_number(std::string_view text)
{
    std::int64_t n = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    bool const is_whole = error == std::errc() && end == text.data() + text.size() && n >= 0;
    return is_whole ? std::optional(n) : std::nullopt;
}

microseconds between(steady_clock::time_point from, steady_clock::time_point to)
{
    return std::chrono::duration_cast<microseconds>(to - from);
}

std::string in_ms(microseconds d)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(d.count()) / 1000);
    return text;
}

}  // namespace

std::optional<clock_reading> read_clock(
    detail::command_reply const& r, steady_clock::time_point sent, steady_clock::time_point received)
{
    if (r.items.size() != 2)
        return std::nullopt;
    auto const seconds = to_number(r.items[0]), rest = to_number(r.items[1]);
    constexpr std::int64_t latest = 100'000'000'000;  // the year 5138: so the product cannot overflow
    if (!seconds || !rest || *seconds > latest || *rest >= 1'000'000)
        return std::nullopt;
    return clock_reading{sent, received, microseconds(*seconds * 1'000'000 + *rest)};
}

finding judge_clock(clock_reading const& first, clock_reading const& second)
{
    auto const shortest = between(first.received, second.sent), longest = between(first.sent, second.received);
    auto const allowed = longest / 100 + microseconds(2000);
    auto const passed = second.server - first.server;
    auto const words = in_ms(passed) + " in " + in_ms(longest);
    if (passed >= shortest - allowed && passed <= longest + allowed)
        return {grade::good, "clock", "TIME went " + words};
    if (passed > longest)
        return {
            grade::doubtful,
            "clock",
            "TIME went " + words + ": a step forward ends leases on the server while their holders count on them"};
    return {
        grade::doubtful,
        "clock",
        "TIME went " + words + ": a step back keeps the locks of dead holders for longer than their lease time"};
}

}  // namespace holdfast::cli
