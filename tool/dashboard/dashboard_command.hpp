//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_COMMAND_HPP
#define HOLDFAST_CLI_DASHBOARD_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

// tool/dashboard: the subcommand `holdfast dashboard`. The collector reads the server and writes the board; connections
// of HTTP read the board. Everything runs on the main thread.
namespace holdfast::cli {

// `holdfast dashboard`: serves the page until SIGINT or SIGTERM. Returns the exit status. Throws std::invalid_argument
// for an invalid URL, address or token, and std::runtime_error if it cannot listen.
int dashboard_command(server_address const& server, dashboard_arguments const&);

}  // namespace holdfast::cli

#endif
