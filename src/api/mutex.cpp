//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <holdfast/mutex.hpp>

#include "operations/single_lock.hpp"

namespace holdfast {

// No owner: each acquire is a contender of its own, so a task that acquires the mutex twice waits for itself, as with
// std::mutex. Without a counter the mutex is not fenced, and a plain SET acquires it: cheaper than a script (rule 21).
mutex::mutex(client const& c, std::string_view name, options o)
    : lock_base(detail::single_lock::make(c, name, nullptr, [&](std::string_view key) -> detail::single_lock::traits {
          return {
              .protocol = engine::mutex_protocol(o.fencing),
              .channel = core::unlock_channel(key),
              .counter = o.fencing ? core::fence_key(key) : std::string()};
      }))
{}

}  // namespace holdfast
