//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/pooled.hpp"

namespace holdfast::core {

// The build defines HOLDFAST_MOST_IDLE for this file only.
std::size_t const most_idle = HOLDFAST_MOST_IDLE;

}  // namespace holdfast::core
