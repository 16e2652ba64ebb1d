//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_HASH_SLOT_HPP
#define HOLDFAST_CORE_HASH_SLOT_HPP

#include <cstdint>
#include <string_view>

#include <boost/config.hpp>

namespace holdfast::core {

// The number of hash slots of a Redis Cluster.
inline constexpr std::uint16_t hash_slots = 16384;

// The slot of a key in a Redis Cluster: CRC16 of its hash tag, or of the whole key without one, modulo 16384.
// Source: "Redis cluster specification", redis.io ("Key distribution model", "Hash tags", appendix A).
BOOST_SYMBOL_VISIBLE std::uint16_t hash_slot(std::string_view key) noexcept;

}  // namespace holdfast::core

#endif
