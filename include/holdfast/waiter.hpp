//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_WAITER_HPP
#define HOLDFAST_WAITER_HPP

#include <chrono>
#include <optional>
#include <string>

namespace holdfast {

/// A waiter of a @ref fair_lock, or a candidate of an @ref election, as the server records it.
struct waiter {
    std::string id;     ///< "<client's uuid>:<n>", or the text that another library wrote
    std::string label;  ///< of the owner, if it has one
    bool mine = false;  ///< it waits in the client that asks
    int priority = 5;   ///< of the acquire; that of a waiter of another library is 5
    /// Since it entered the queue, by the server's clock. None: a waiter of another library, or a waiting writer.
    std::optional<std::chrono::milliseconds> waited;
    std::chrono::milliseconds remaining{};  ///< how long it still counts as alive without a refresh
};

}  // namespace holdfast

#endif
