//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/hash_slot.hpp"

namespace holdfast::simulated {
namespace {

// The text between the first "{" and the first "}" after it; the whole key if there is none, or if it is empty.
std::string_view hash_tag(std::string_view key) noexcept
{
    auto const open = key.find('{');
    auto const close = open == key.npos ? key.npos : key.find('}', open + 1);
    return close == key.npos || close == open + 1 ? key : key.substr(open + 1, close - open - 1);
}

// CRC16-CCITT (XMODEM): polynomial 0x1021, initial value 0.
std::uint16_t crc16(std::string_view text) noexcept
{
    unsigned crc = 0;
    for (auto const c : text) {
        crc ^= unsigned(static_cast<unsigned char>(c)) << 8;  // a signed char would set all higher bits
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 0x8000u) != 0 ? (crc << 1) ^ 0x1021u : crc << 1;
    }
    return static_cast<std::uint16_t>(crc & 0xffffu);
}

}  // namespace

std::uint16_t hash_slot(std::string_view key) noexcept
{
    return crc16(hash_tag(key)) % 16384;  // the number of slots of a Redis Cluster
}

}  // namespace holdfast::simulated
