//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCK_KIND_HPP
#define HOLDFAST_LOCK_KIND_HPP

#include <cstddef>
#include <string_view>

namespace holdfast {

/// The kinds of lock, as statistics tell them apart. Both sides of a @ref holdfast::read_write_lock are kinds of their
/// own.
enum class lock_kind : unsigned char {
    mutex,      ///< @ref holdfast::mutex
    reentrant,  ///< @ref reentrant_lock
    fair,       ///< @ref fair_lock
    read,       ///< the readers of a @ref read_write_lock
    write,      ///< its writers
    semaphore,  ///< @ref holdfast::semaphore
    election,   ///< @ref holdfast::election
    multi,      ///< @ref multi_lock
    red,        ///< @ref red_lock
};

/// The name of the enumerator, as metrics have it.
constexpr std::string_view to_string(lock_kind k) noexcept
{
    constexpr std::string_view names[]{
        "mutex", "reentrant", "fair", "read", "write", "semaphore", "election", "multi", "red"};
    return names[static_cast<std::size_t>(k)];
}

}  // namespace holdfast

#endif
