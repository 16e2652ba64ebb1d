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

// What the server said to one command, as a view: valid only during the call that hands it over.
// An array holds its direct elements; deeper nesting is not needed by any script of ours and is a protocol error.
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
