//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/duration.hpp"

#include <array>
#include <charconv>

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

struct unit {
    std::string_view name;
    long long in_ms;
};

// In descending order: to_text() uses the first that fits.
constexpr std::array units{unit{"h", 3'600'000}, unit{"m", 60'000}, unit{"s", 1000}, unit{"ms", 1}};
constexpr double longest = 365.0 * 24 * 3'600'000;  // a year in ms: so the conversion to an integer cannot overflow

}  // namespace

std::optional<milliseconds> parse_duration(std::string_view text) noexcept
{
    // `fixed`: "1e3s" is refused. Not strtod(), which depends on the locale.
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0))  // in this form it is true for NaN, too
        return std::nullopt;

    auto const name = text.substr(static_cast<std::size_t>(end - text.data()));
    if (name.empty() && number == 0)
        return milliseconds(0);
    for (auto const& u : units)
        if (name == u.name && number * static_cast<double>(u.in_ms) <= longest)
            return milliseconds(static_cast<long long>(number * static_cast<double>(u.in_ms) + 0.5));
    return std::nullopt;
}

std::string to_text(milliseconds d)
{
    for (auto const& u : units)
        if (d.count() != 0 && d.count() % u.in_ms == 0)
            return std::to_string(d.count() / u.in_ms).append(u.name);
    return std::to_string(d.count()) + "ms";
}

}  // namespace holdfast::cli
