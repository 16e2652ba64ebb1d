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

// A valid name has 1 to 512 bytes, and its braces put the key and all keys derived from it into one hash slot: a Redis
// Cluster refuses a script whose keys are in different slots.
bool is_valid_lock_name(std::string_view name) noexcept;

// Whether a lock of another name can have this key besides its own, so that a lock of this name would overwrite it: the
// key has a prefix or a suffix of such keys, and the braces that they all have.
bool is_derived_key(std::string_view key) noexcept;

// The rules by which Redisson derives keys and channels. Both libraries must use the same keys to exclude each other.
// "prefix:{name}", or "prefix:name" if the name has a hash tag of its own:
std::string prefixed(std::string_view prefix, std::string_view name);

// "{name}:suffix", or "name:suffix" if the name has a hash tag of its own:
std::string suffixed(std::string_view name, std::string_view suffix);

// The channel of the unlock messages of mutex and reentrant_lock; channels of a fair lock begin with it.
std::string unlock_channel(std::string_view name);

// The further keys of a fair lock, in the order in which its scripts expect them. The first two are RedissonFairLock's
// queue and its scores, so that both libraries use one queue. Only our scripts use the last two: the last refresh of
// each of our waiters, and their priorities.
std::vector<std::string> fair_companions(std::string_view name);

// The channel of the unlock messages of a read_write_lock.
std::string rw_channel(std::string_view name);
// Its further keys: the mark of a waiting writer, the mark of waiting readers, and the prefix of the readers' slots.
std::vector<std::string> rw_companions(std::string_view name);

// The channel of the messages of a semaphore.
std::string permit_channel(std::string_view name);

// The channel of the messages of a latch. Redisson adds braces also to a name that has some.
std::string latch_channel(std::string_view name);

// The fencing counter of all locks except the reentrant lock. It is not Redisson's, because it has a time to live.
std::string fence_key(std::string_view name);
// The fencing counter of the reentrant lock, which RedissonFencedLock uses, too.
std::string redisson_fence_key(std::string_view name);

}  // namespace holdfast::core

#endif
