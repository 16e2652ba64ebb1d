//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REPLY_HPP
#define HOLDFAST_ENGINE_REPLY_HPP

#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast::engine {

// The reply to one command. It is a view of the transport's buffer, valid only during the call that passes it on: a
// copy of each reply would be an allocation (rule 24). An array may contain arrays, but no script of the library
// replies with such a one: outside of its greeting, the session treats it as a protocol error.
struct reply {
    enum class kind : std::uint8_t { nil, integer, text, array };

    kind type = kind::nil;
    std::int64_t integer = 0;           // kind::integer
    std::string_view text = {};         // kind::text: a status such as OK, or a bulk string
    std::span<reply const> items = {};  // kind::array

    bool is_nil() const noexcept { return type == kind::nil; }
    bool is_ok() const noexcept { return type == kind::text && text == "OK"; }
};

}  // namespace holdfast::engine

#endif
