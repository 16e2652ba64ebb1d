//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/sha1.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace holdfast::simulated {
namespace {

using state = std::array<std::uint32_t, 5>;

// Read byte by byte, so that the result does not depend on the processor.
std::uint32_t big_endian(char const* at)
{
    std::uint32_t n = 0;
    for (int i = 0; i != 4; ++i)
        n = n << 8 | static_cast<unsigned char>(at[i]);
    return n;
}

// FIPS 180-4, 4.1.1 and 4.2.1: the function and the constant of a step.
struct round {
    std::uint32_t mixed;
    std::uint32_t constant;
};

round round_of(int i, state const& s)
{
    auto const [a, b, c, d, e] = s;
    if (i < 20)
        return {(b & c) | (~b & d), 0x5a827999};
    if (i < 40)
        return {b ^ c ^ d, 0x6ed9eba1};
    if (i < 60)
        return {(b & c) | (b & d) | (c & d), 0x8f1bbcdc};
    return {b ^ c ^ d, 0xca62c1d6};
}

// FIPS 180-4, 6.1.2: the computation for one block of 64 bytes.
void absorb(state& sum, char const* block)
{
    std::array<std::uint32_t, 80> w;
    for (std::size_t i = 0; i != 16; ++i)
        w[i] = big_endian(block + 4 * i);
    for (std::size_t i = 16; i != 80; ++i)
        w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto s = sum;
    for (int i = 0; i != 80; ++i) {
        auto const r = round_of(i, s);
        auto const next = std::rotl(s[0], 5) + r.mixed + s[4] + r.constant + w[std::size_t(i)];
        s = {next, s[0], std::rotl(s[1], 30), s[2], s[3]};
    }
    for (std::size_t i = 0; i != 5; ++i)
        sum[i] += s[i];
}

// FIPS 180-4, 5.1.1: one bit, zeros until 8 bytes are missing to a whole block, then the number of bits as 8 bytes.
std::string padded(std::string_view text)
{
    std::string all(text);
    all += '\x80';
    all.append((120 - all.size() % 64) % 64, '\0');  // 120 = 56 + 64, so that the difference is not negative
    for (int shift = 56; shift >= 0; shift -= 8)
        all += static_cast<char>(std::uint64_t(text.size()) * 8 >> shift);
    return all;
}

}  // namespace

std::string sha1(std::string_view text)
{
    state sum{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};  // FIPS 180-4, 5.3.1
    auto const all = padded(text);
    for (std::size_t at = 0; at != all.size(); at += 64)
        absorb(sum, all.data() + at);
    std::string hex;
    for (auto const word : sum)
        for (int shift = 28; shift >= 0; shift -= 4)
            hex += "0123456789abcdef"[word >> shift & 15];
    return hex;
}

}  // namespace holdfast::simulated
