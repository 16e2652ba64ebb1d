//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_VALUE_HPP
#define HOLDFAST_TESTING_VALUE_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::simulated {

// The words of a command, the name first.
using words = std::span<std::string_view const>;

// A reply or a push of a server, in the form in which scripts receive it: a map is an array of keys and values in turn,
// and a double is a bulk string. A status is not a bulk string, because scripts receive it as a table.
struct value {
    enum class kind : std::uint8_t { nil, integer, status, bulk, error, array };

    kind type = kind::nil;
    std::int64_t integer = 0;       // of an integer
    std::string text = {};          // of a status, a bulk string, or an error, without its leading '-'
    std::vector<value> items = {};  // of an array

    bool is_error() const noexcept { return type == kind::error; }
    bool is_nil() const noexcept { return type == kind::nil; }

    friend bool operator==(value const&, value const&) = default;
};

inline value nil()
{
    return {};
}
inline value of(std::int64_t n)
{
    return {value::kind::integer, n, {}, {}};
}
inline value status(std::string_view s)
{
    return {value::kind::status, 0, std::string(s), {}};
}
inline value ok()
{
    return status("OK");
}
inline value bulk(std::string_view s)
{
    return {value::kind::bulk, 0, std::string(s), {}};
}
inline value error(std::string s)
{
    return {value::kind::error, 0, std::move(s), {}};
}
inline value array(std::vector<value> v)
{
    return {value::kind::array, 0, {}, std::move(v)};
}

// In one line, for traces and for the messages of failed tests.
std::string to_string(value const&);

}  // namespace holdfast::simulated

#endif
