//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/words.hpp"

namespace holdfast::redis {
namespace {

constexpr std::size_t longest = 240;

void append_escaped(std::string& to, unsigned char c)
{
    constexpr char digits[] = "0123456789abcdef";
    to += "\\x";
    to += digits[c / 16];
    to += digits[c % 16];
}

}  // namespace

std::string_view without_arguments(std::string_view words) noexcept
{
    return words.substr(0, words.find(", with args beginning with"));
}

std::string printable(std::string_view words)
{
    words = without_arguments(words);
    bool const too_long = words.size() > longest;

    std::string line;
    for (char const c : words.substr(0, longest)) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            append_escaped(line, byte);
        else
            line += c;
    }
    return too_long ? line + "..." : line;
}

}  // namespace holdfast::redis
