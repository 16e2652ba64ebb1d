//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_STATUS_COMMAND_HPP
#define HOLDFAST_CLI_STATUS_COMMAND_HPP

#include <string>
#include <vector>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast status`: prints the holders of the lock, how long they hold it, and its waiters; with several URLs for each
// server, then a summary. Returns the exit status. Throws std::invalid_argument for an invalid URL.
int status_command(std::vector<server_address> const& servers, status_arguments const&);

}  // namespace holdfast::cli

#endif
