//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_PERMITS_COMMAND_HPP
#define HOLDFAST_CLI_PERMITS_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast permits`: prints how many permits a semaphore has and who holds them. Before that it may set their number, or
// take those of one holder away.
// Returns the exit status.
int permits_command(server_address const& server, permits_arguments const&);

}  // namespace holdfast::cli

#endif
