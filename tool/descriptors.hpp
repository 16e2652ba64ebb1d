//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DESCRIPTORS_HPP
#define HOLDFAST_CLI_DESCRIPTORS_HPP

#include <vector>

namespace holdfast::cli {

// The file descriptors that are open now. Called first in main(): these are inherited.
std::vector<int> open_descriptors();

// Lets exec close all other descriptors, so that the command inherits what the tool inherited, and no connection of the
// tool: exec does not close the sockets of Asio by itself.
void close_on_exec_except(std::vector<int> const& inherited);

// Opens standard input, output and error if they are closed, so that no connection of the tool takes their place: the tool
// would write its results into it. Writing to a closed output still fails.
void occupy_standard_descriptors();

}  // namespace holdfast::cli

#endif
