//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_RELEASE_COMMAND_HPP
#define HOLDFAST_CLI_RELEASE_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast release --force`: deletes the lock, although others hold it. Returns the exit status. Throws
// std::invalid_argument for an invalid URL.
int release_command(server_address const& server, release_arguments const&);

}  // namespace holdfast::cli

#endif
