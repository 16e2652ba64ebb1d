//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DESCENDANTS_HPP
#define HOLDFAST_CLI_DESCENDANTS_HPP

#include <sys/types.h>

namespace holdfast::cli {

// The functions are async-signal-safe, so that they may be called after a fork of a program with threads.

// Makes this process the parent of each descendant whose own parent ends: no descendant gets away by a double fork or by
// a session of its own.
void adopt_descendants() noexcept;

// Sends SIGKILL to each child of this process. Called again and again it reaches all descendants, which become children
// when their parents have ended. Returns false if no child may be killed, because they run as another user, or if the
// kernel does not list them.
bool kill_children() noexcept;

}  // namespace holdfast::cli

#endif
