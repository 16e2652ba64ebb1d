//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_LOCK_NAME_HPP
#define HOLDFAST_CORE_LOCK_NAME_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

inline constexpr std::size_t max_name_size = 512;

// 1 to 512 bytes, whose braces leave the key and everything derived from it in one hash slot.
bool is_valid_lock_name(std::string_view name) noexcept;

// Redisson's rule: "prefix:{name}", or "prefix:name" when the name has a hash tag of its own.
std::string prefixed(std::string_view prefix, std::string_view name);

// The same with what follows the name: "{name}:suffix", or "name:suffix".
std::string suffixed(std::string_view name, std::string_view suffix);

// Where the unlock messages of mutex and reentrant_lock go.
std::string unlock_channel(std::string_view name);

// Those of a read_write_lock, and its further keys: the mark of a waiting writer, the mark of waiting readers, and what
// the slots of readers begin with.
std::string rw_channel(std::string_view name);
std::vector<std::string> rw_companions(std::string_view name);

// The fencing counter of every lock but the reentrant one, and the one that RedissonFencedLock shares.
std::string fence_key(std::string_view name);
std::string redisson_fence_key(std::string_view name);

}  // namespace holdfast::core

#endif
