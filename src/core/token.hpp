//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_TOKEN_HPP
#define HOLDFAST_CORE_TOKEN_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/container/small_vector.hpp>

namespace holdfast::core {

// The value that identifies a grant on the server: "<uuid>:<n>", or "<uuid>:<n>:<label>" with a label. A token serves
// one acquisition and is retired when a release of it is queued (rule 6): a late release of a token that is used again
// would delete a live grant.
class token {
public:
    token(std::string_view uuid, std::uint64_t n, std::string_view label);

    std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

private:
    // Inline for a token without a label: 36 characters, a colon and up to 19 digits.
    boost::container::small_vector<char, 56> text_;
};

// Makes a version 8 UUID (RFC 9562) from 128 random bits. Redisson's UUIDs are version 4, so a script of a fair lock
// can distinguish the holders of both libraries by one character.
std::string uuid_v8(std::array<std::uint8_t, 16> bits);

}  // namespace holdfast::core

#endif
