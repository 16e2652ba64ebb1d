//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/token.hpp"

#include <charconv>
#include <limits>

namespace holdfast::core {

token::token(std::string_view uuid, std::uint64_t n, std::string_view label)
{
    std::array<char, std::numeric_limits<std::uint64_t>::digits10 + 1> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr;

    text_.insert(text_.end(), uuid.begin(), uuid.end());
    text_.push_back(':');
    text_.insert(text_.end(), digits.data(), end);
    if (!label.empty()) {
        text_.push_back(':');
        text_.insert(text_.end(), label.begin(), label.end());
    }
}

std::string uuid_v8(std::array<std::uint8_t, 16> bits)
{
    // The version is the upper half of byte 6, the variant the two upper bits of byte 8. They replace six random bits.
    bits[6] = static_cast<std::uint8_t>((bits[6] & 0x0f) | 0x80);
    bits[8] = static_cast<std::uint8_t>((bits[8] & 0x3f) | 0x80);

    constexpr std::string_view hex = "0123456789abcdef";
    std::string out;
    out.reserve(36);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out.push_back('-');
        out.push_back(hex[bits[i] >> 4]);
        out.push_back(hex[bits[i] & 15]);
    }
    return out;
}

}  // namespace holdfast::core
