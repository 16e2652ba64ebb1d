//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_LIST_COMMAND_HPP
#define HOLDFAST_CLI_LIST_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast list`: the locks on the server and who holds them. Walks over all keys. Returns the exit status.
int list_command(std::string const& url, list_arguments const&);

}  // namespace holdfast::cli

#endif
