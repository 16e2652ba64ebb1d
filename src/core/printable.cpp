//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/printable.hpp"

namespace holdfast::core {
namespace {

void append_escaped(std::string& to, unsigned char c)
{
    constexpr char digits[] = "0123456789abcdef";
    to += "\\x";
    to += digits[c / 16];
    to += digits[c % 16];
}

}  // namespace

std::string printable(std::string_view text)
{
    std::string line;
    line.reserve(text.size());
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            append_escaped(line, byte);
        else
            line += c;
    }
    return line;
}

}  // namespace holdfast::core
