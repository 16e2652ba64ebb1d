//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/memory_transport.hpp"

namespace holdfast::session {

// Initialised at compile time: holdfast::testing sets it during the dynamic initialisation of the program.
constinit std::atomic<memory_io_maker> memory_transport{nullptr};

}  // namespace holdfast::session
