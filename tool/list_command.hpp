//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_LIST_COMMAND_HPP
#define HOLDFAST_CLI_LIST_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast list`: prints the locks on the server and their holders. It scans all keys of the database, with
// --watch again and again until a signal. Returns the exit status. Throws std::invalid_argument for an invalid URL.
int list_command(server_address const& server, list_arguments const&);

}  // namespace holdfast::cli

#endif
