//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_LEADER_COMMAND_HPP
#define HOLDFAST_CLI_LEADER_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast leader`: prints who leads an election, once or at each change. Returns the exit status.
int leader_command(server_address const& server, leader_arguments const&);

}  // namespace holdfast::cli

#endif
