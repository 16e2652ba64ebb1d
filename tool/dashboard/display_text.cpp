//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/display_text.hpp"

#include "core/printable.hpp"

namespace holdfast::cli::dashboard {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

unsigned char byte_at(std::string_view text, std::size_t i)
{
    return static_cast<unsigned char>(text[i]);
}

int value_of(char digit)
{
    auto const at = digits.find(digit);
    return at == digits.npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::string display_text(std::string_view bytes)
{
    return core::printable(bytes);
}

std::string to_hex(std::string_view bytes)
{
    std::string text;
    text.reserve(2 * bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text += digits[byte_at(bytes, i) / 16];
        text += digits[byte_at(bytes, i) % 16];
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view text)
{
    if (text.size() % 2 != 0)
        return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        int const high = value_of(text[i]), low = value_of(text[i + 1]);
        if (high < 0 || low < 0)
            return std::nullopt;
        bytes += static_cast<char>(16 * high + low);
    }
    return bytes;
}

}  // namespace holdfast::cli::dashboard
