//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_HOLDER_HPP
#define HOLDFAST_HOLDER_HPP

#include <chrono>
#include <string>

namespace holdfast {

/// A holder of a lock, as the server records it.
struct holder {
    std::string id;                         ///< "<client's uuid>:<n>", or the text that another library wrote
    std::string label;                      ///< of the owner, if it has one
    bool writer = false;                    ///< of a read_write_lock: holds it for writing
    std::chrono::milliseconds remaining{};  ///< until the grant ends; -1: the key has no time to live
    unsigned weight = 1;                    ///< of a semaphore: how many permits it has
    unsigned number = 0;                    ///< of a numbered semaphore: as `lease::number()`; else 0
};

}  // namespace holdfast

#endif
