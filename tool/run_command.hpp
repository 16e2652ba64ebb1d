//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_RUN_COMMAND_HPP
#define HOLDFAST_CLI_RUN_COMMAND_HPP

#include <string>
#include <vector>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast run`: acquires the lock, with several URLs as a red_lock, and runs the command while it is held. Returns
// the exit status. `inherited`: the file descriptors with which the tool was started. Throws std::invalid_argument for
// an invalid option.
int run_command(std::vector<server_address> const& servers, run_arguments const&, std::vector<int> const& inherited);

}  // namespace holdfast::cli

#endif
