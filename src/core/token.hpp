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

// What Redis records for a grant: "<uuid>:<n>", with a label "<uuid>:<n>:<label>". Used for one acquisition, and
// retired the moment any release of it is queued.
class token {
public:
    token(std::string_view uuid, std::uint64_t n, std::string_view label);

    std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

private:
    boost::container::small_vector<char, 56> text_;
};

// A version 8 UUID (RFC 9562) of 128 given random bits, so that a script tells our holders from Redisson's, which are
// version 4, by one character.
std::string uuid_v8(std::array<std::uint8_t, 16> bits);

}  // namespace holdfast::core

#endif
