//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/printable.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace holdfast::core {
namespace {

struct range {
    char32_t first;
    char32_t last;
};

bool is_control_character(char32_t c) noexcept
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

// Unicode's categories Cf (format characters, among them those of direction), Zl and Zp (separators of lines and
// paragraphs), and what is reserved for more of them, in ascending order.
constexpr range deceptive[]{
    {0xad, 0xad},
    {0x600, 0x605},
    {0x61c, 0x61c},
    {0x6dd, 0x6dd},
    {0x70f, 0x70f},
    {0x890, 0x891},
    {0x8e2, 0x8e2},
    {0x180e, 0x180e},
    {0x200b, 0x200f},
    {0x2028, 0x202e},
    {0x2060, 0x206f},
    {0xfeff, 0xfeff},
    {0xfff0, 0xfffb},
    {0x110bd, 0x110bd},
    {0x110cd, 0x110cd},
    {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff}};

// With the last two of each plane, which are no characters.
bool is_deceptive(char32_t c) noexcept
{
    auto const* const at = std::ranges::lower_bound(deceptive, c, {}, &range::last);
    return (at != std::end(deceptive) && at->first <= c) || (c & 0xfffe) == 0xfffe;
}

constexpr auto no_character = ~char32_t(0);

struct character {
    char32_t value;  // no_character: the byte is not UTF-8
    std::size_t size;
};

// The smallest character that needs so many bytes: in fewer bytes it would be another form of the same character.
constexpr char32_t smallest_of[]{0, 0, 0x80, 0x800, 0x10000};

std::size_t size_by_first_byte(unsigned char c) noexcept
{
    return c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 0;
}

// Precondition: there is a byte.
character first_character(std::string_view text) noexcept
{
    constexpr character wrong{no_character, 1};
    auto const first = static_cast<unsigned char>(text.front());
    auto const size = size_by_first_byte(first);
    if (size == 1)
        return {first, 1};
    if (size == 0 || size > text.size())
        return wrong;
    char32_t value = first & (0x7fU >> size);
    for (auto const next : text.substr(1, size - 1)) {
        auto const byte = static_cast<unsigned char>(next);
        if ((byte & 0xc0U) != 0x80U)
            return wrong;
        value = value << 6 | (byte & 0x3fU);
    }
    bool const is_surrogate = value >= 0xd800 && value <= 0xdfff;
    return value < smallest_of[size] || is_surrogate || value > 0x10ffff ? wrong : character{value, size};
}

void append_bytes(std::string& to, std::string_view bytes)
{
    constexpr char digits[] = "0123456789abcdef";
    for (char const c : bytes) {
        auto const byte = static_cast<unsigned char>(c);
        to += "\\x";
        to += digits[byte / 16];
        to += digits[byte % 16];
    }
}

void append_code(std::string& to, char32_t c)
{
    char text[8];
    auto const* const end = std::to_chars(text, std::end(text), static_cast<std::uint32_t>(c), 16).ptr;
    to.append("\\u{").append(std::string_view(text, end)).append("}");
}

}  // namespace

std::string printable(std::string_view text)
{
    std::string line;
    line.reserve(text.size());
    while (!text.empty()) {
        auto const [value, size] = first_character(text);
        auto const bytes = text.substr(0, size);
        if (value == no_character || is_control_character(value))
            append_bytes(line, bytes);
        else if (is_deceptive(value))
            append_code(line, value);
        else
            line += bytes;
        text.remove_prefix(size);
    }
    return line;
}

}  // namespace holdfast::core
