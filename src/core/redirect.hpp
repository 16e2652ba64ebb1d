//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_REDIRECT_HPP
#define HOLDFAST_CORE_REDIRECT_HPP

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::core {

// What the error MOVED of a Redis Cluster says: the primary of a hash slot, as the answering node sees it.
struct redirect {
    std::uint16_t slot;
    std::string_view host;  // empty: the host by which the answering node was reached; a view into the error
    std::uint16_t port;

    bool operator==(redirect const&) const = default;
};

// Reads "MOVED 3999 127.0.0.1:6381", or the same with ASK. The port follows the last colon, because an IPv6 address has
// colons, too. Nothing: the error is another one, or it names no host that can be reached ("?").
std::optional<redirect> read_redirect(std::string_view error) noexcept;

}  // namespace holdfast::core

#endif
