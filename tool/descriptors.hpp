//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DESCRIPTORS_HPP
#define HOLDFAST_CLI_DESCRIPTORS_HPP

#include <vector>

namespace holdfast::cli {

// The file descriptors that are open now.
std::vector<int> open_descriptors();

// The command inherits what we inherited, and nothing that we opened: Asio's sockets are not closed by exec.
void close_on_exec_except(std::vector<int> const& inherited);

}  // namespace holdfast::cli

#endif
