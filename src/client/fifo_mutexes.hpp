//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_FIFO_MUTEXES_HPP
#define HOLDFAST_FIFO_MUTEXES_HPP

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "client/fifo_mutex.hpp"

namespace holdfast::detail {

// The FIFO mutexes of one client, by key. It refers to them weakly, so that the key of a red_lock that is not used any
// more costs nothing. Thread-safe.
class fifo_mutexes {
public:
    // Returns the mutex of that key, the same one as long as a caller keeps it. If there is none, `make` makes it: it
    // may make an object of a derived class, which this folder does not know.
    std::shared_ptr<fifo_mutex> of(std::string const& key, std::shared_ptr<fifo_mutex> (*make)() = &fifo_mutex::make);

    // Opens all of them, and those that are made later: no other call would open these.
    void open_all() noexcept;

    // The number of entries, including those that have expired and are not swept yet. For tests.
    std::size_t size() const;

private:
    using by_key = std::unordered_map<std::string, std::weak_ptr<fifo_mutex>>;

    void sweep();

    mutable std::mutex mutex_;
    by_key known_;
    std::size_t sweep_at_ = 0;
    bool is_open_ = false;
};

}  // namespace holdfast::detail

#endif
