//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/redirect.hpp"

#include <algorithm>
#include <charconv>

#include "core/hash_slot.hpp"

namespace holdfast::core {
namespace {

std::optional<std::uint16_t> read_number(std::string_view digits) noexcept
{
    std::uint16_t n = 0;
    auto const* const end = digits.data() + digits.size();
    auto const read = std::from_chars(digits.data(), end, n);
    bool const is_whole = read.ec == std::errc() && read.ptr == end;
    return is_whole ? std::optional(n) : std::nullopt;
}

// The host is logged, and a newline in it would forge a line of the log.
bool is_control(char c) noexcept
{
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
}

}  // namespace

std::optional<redirect> read_redirect(std::string_view error) noexcept
{
    constexpr std::string_view moved = "MOVED ", ask = "ASK ";
    bool const is_moved = error.starts_with(moved);
    if (!is_moved && !error.starts_with(ask))
        return std::nullopt;
    error.remove_prefix(is_moved ? moved.size() : ask.size());
    auto const space = error.find(' ');
    auto const colon = error.rfind(':');
    if (space == error.npos || colon == error.npos || colon < space)
        return std::nullopt;
    auto const slot = read_number(error.substr(0, space));
    auto const port = read_number(error.substr(colon + 1));
    auto const host = error.substr(space + 1, colon - space - 1);
    bool const is_name = host != "?" && std::ranges::none_of(host, is_control);
    if (!slot || *slot >= hash_slots || !port || !is_name)
        return std::nullopt;
    return redirect{*slot, host, *port};
}

}  // namespace holdfast::core
