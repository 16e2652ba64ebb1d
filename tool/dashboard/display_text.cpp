//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/display_text.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace holdfast::cli::dashboard {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

unsigned char byte_at(std::string_view text, std::size_t i)
{
    return static_cast<unsigned char>(text[i]);
}

void append_byte(std::string& to, unsigned char c)
{
    to += "\\x";
    to += digits[c / 16];
    to += digits[c % 16];
}

// The number of bytes that a sequence with this first byte has; 0: it cannot be the first one.
std::size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

struct code_point {
    std::uint32_t value = 0;
    std::size_t length = 0;  // 0: no valid sequence
};

// Overlong forms, surrogates and values beyond Unicode are not valid.
code_point decode(std::string_view text)
{
    auto const length = length_of(byte_at(text, 0));
    if (length == 0 || length > text.size())
        return {};
    constexpr std::array<std::uint32_t, 5> mask{0, 0x7f, 0x1f, 0x0f, 0x07};
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    auto value = byte_at(text, 0) & mask[length];
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, i) & 0xc0) != 0x80)
            return {};
        value = (value << 6) | (byte_at(text, i) & 0x3fU);
    }
    bool const is_surrogate = value >= 0xd800 && value < 0xe000;
    return value < least[length] || value > 0x10ffff || is_surrogate ? code_point() : code_point{value, length};
}

bool is_control(std::uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

// Zero width, line separators, marks of direction, and the marks of byte order and interlinear annotation.
bool is_deceptive(std::uint32_t c)
{
    return c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e)
           || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe
           || (c >= 0xe0000 && c <= 0xe0fff);
}

void append_code(std::string& to, std::uint32_t c)
{
    std::array<char, 8> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), c, 16).ptr;
    to.append("\\u{").append(text.data(), end).append("}");
}

int value_of(char digit)
{
    auto const at = digits.find(digit);
    return at == digits.npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::string display_text(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        auto const c = decode(bytes);
        auto const length = c.length == 0 ? 1 : c.length;
        if (c.length == 0 || is_control(c.value))
            for (std::size_t i = 0; i < length; ++i)
                append_byte(text, byte_at(bytes, i));
        else if (is_deceptive(c.value))
            append_code(text, c.value);
        else
            text.append(bytes.substr(0, length));
        bytes.remove_prefix(length);
    }
    return text;
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
