//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_STATUS_COMMAND_HPP
#define HOLDFAST_CLI_STATUS_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast status`: who holds the lock, and for how long yet. Returns the exit status.
int status_command(std::string const& url, status_arguments const&);

}  // namespace holdfast::cli

#endif
