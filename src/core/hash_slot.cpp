//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/hash_slot.hpp"

#include <array>

namespace holdfast::core {
namespace {

// CRC16-CCITT (XMODEM): polynomial 0x1021, initial value 0.
constexpr std::uint16_t crc16_of_byte(unsigned byte) noexcept
{
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit)
        crc = (crc & 0x8000u) != 0 ? (crc << 1) ^ 0x1021u : crc << 1;
    return static_cast<std::uint16_t>(crc & 0xffffu);
}

// A table, because each handle of a lock computes the slot of its key, also for servers without slots.
constexpr auto crc16_table = [] {
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < table.size(); ++byte)
        table[byte] = crc16_of_byte(byte);
    return table;
}();

std::uint16_t crc16(std::string_view text) noexcept
{
    unsigned crc = 0;
    for (auto const c : text) {
        auto const byte = static_cast<unsigned char>(c);  // a signed char would be a negative index
        crc = ((crc << 8) ^ crc16_table[((crc >> 8) ^ byte) & 0xffu]) & 0xffffu;
    }
    return static_cast<std::uint16_t>(crc);
}

// The text between the first "{" and the first "}" after it; the whole key if there is none, or if it is empty.
std::string_view hash_tag(std::string_view key) noexcept
{
    auto const open = key.find('{');
    auto const close = open == key.npos ? key.npos : key.find('}', open + 1);
    return close == key.npos || close == open + 1 ? key : key.substr(open + 1, close - open - 1);
}

}  // namespace

std::uint16_t hash_slot(std::string_view key) noexcept
{
    return crc16(hash_tag(key)) % hash_slots;
}

}  // namespace holdfast::core
