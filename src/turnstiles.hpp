//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TURNSTILES_HPP
#define HOLDFAST_TURNSTILES_HPP

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "turnstile.hpp"

namespace holdfast::detail {

// The turnstiles of one client. Any thread.
class turnstiles {
public:
    // The same for the same key, as long as somebody has it.
    std::shared_ptr<turnstile> of(std::string const& key);

    // Opens those that there are.
    void open_all() noexcept;

    // Of entries, with those that nobody has any longer and that were not swept away yet. For audits.
    std::size_t size() const;

private:
    using by_key = std::unordered_map<std::string, std::weak_ptr<turnstile>>;

    void sweep();

    mutable std::mutex mutex_;
    by_key known_;
    std::size_t sweep_at_ = 0;
};

}  // namespace holdfast::detail

#endif
