//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/command_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace holdfast::simulated {

// As Redis' string2ll(): no sign but '-', no leading zero, and nothing after the digits. So "-0" is no integer either.
std::optional<std::int64_t> to_integer(std::string_view s)
{
    std::int64_t n = 0;
    auto const [end, failure] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (failure != std::errc() || end != s.data() + s.size())
        return std::nullopt;
    // Neither string is empty: from_chars() has found a digit.
    auto const digits = s.front() == '-' ? s.substr(1) : s;
    if (digits.front() == '0' && s.size() > 1)
        return std::nullopt;
    return n;
}

// strtod(), because Redis uses it, and accepts the same texts then, such as "inf" and hexadecimal numbers. It also
// accepts leading blanks, which Redis refuses. A score is never NaN, which has no place in the order of a sorted set.
std::optional<double> to_score(std::string_view s)
{
    std::string const text(s);  // a view has no terminating zero
    char* end = nullptr;
    double const d = std::strtod(text.c_str(), &end);
    if (text.empty() || text.front() == ' ' || end != text.c_str() + text.size() || std::isnan(d))
        return std::nullopt;
    return d;
}

std::string from_score(double d)
{
    if (std::isinf(d))
        return d > 0 ? "inf" : "-inf";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", d);
    return text;
}

// As lower() in command_table.cpp: independent of the locale.
bool same_word(std::string_view a, std::string_view upper)
{
    return std::equal(a.begin(), a.end(), upper.begin(), upper.end(), [](char x, char y) {
        return (x >= 'a' && x <= 'z' ? x - 32 : x) == y;
    });
}

value wrong_type()
{
    return error("WRONGTYPE Operation against a key holding the wrong kind of value");
}
value syntax_error()
{
    return error("ERR syntax error");
}
value not_an_integer()
{
    return error("ERR value is not an integer or out of range");
}
value not_a_float()
{
    return error("ERR value is not a valid float");
}

// The name of a subcommand includes that of its command: "client|kill".
value wrong_arity(std::string_view full_name)
{
    return error("ERR wrong number of arguments for '" + std::string(full_name) + "' command");
}

value invalid_expiry(std::string_view command)
{
    return error("ERR invalid expire time in '" + std::string(command) + "' command");
}

// A first index before the first element means the first element. A last index before it stays negative: then the range
// is empty.
range clip(std::int64_t first, std::int64_t last, std::size_t size)
{
    auto const n = std::int64_t(size);
    if (first < 0)
        first = std::max<std::int64_t>(first + n, 0);
    if (last < 0)
        last += n;
    return {first, std::min(last, n - 1)};
}

value scan(call const& c, std::size_t size, std::function<std::array<std::string, 2>(std::size_t)> const& words_of)
{
    constexpr std::size_t small = 128;
    auto const cursor = to_integer(c.args[2]);
    if (!cursor || *cursor < 0)
        return error("ERR invalid cursor");
    if (size == 0)
        return array({bulk("0"), array({})});
    std::int64_t count = 10;
    if (c.args.size() == 5 && same_word(c.args[3], "COUNT")) {
        auto const given = to_integer(c.args[4]);
        if (!given)
            return not_an_integer();
        count = *given;
    } else if (c.args.size() != 3) {
        return syntax_error();
    }
    if (count < 1)
        return syntax_error();
    auto const first = std::min(std::size_t(*cursor), size);
    auto const last = size <= small ? size : first + std::min(std::size_t(count), size - first);
    std::vector<value> some;
    for (std::size_t i = first; i < last; ++i)
        for (auto& word : words_of(size <= small ? i : size - 1 - i))
            some.push_back(bulk(std::move(word)));
    return array({bulk(last == size ? "0" : std::to_string(last)), array(std::move(some))});
}

}  // namespace holdfast::simulated
