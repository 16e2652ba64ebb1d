//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <holdfast/mutex.hpp>

#include "lock_state.hpp"

namespace holdfast {

mutex::mutex(client const& c, std::string_view name, options o)
    : lock_base(detail::lock_state::make(c, name, nullptr, [&](std::string_view key) -> detail::lock_state::traits {
          return {
              .form = engine::mutex_form(o.fencing),
              .channel = core::unlock_channel(key),
              .counter = o.fencing ? core::fence_key(key) : std::string()};
      }))
{}

}  // namespace holdfast
