//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DOCTOR_COMMAND_HPP
#define HOLDFAST_CLI_DOCTOR_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast doctor`: prints what an examination of the server finds. Returns the exit status. Throws
// std::invalid_argument.
int doctor_command(server_address const& server, doctor_arguments const&);

}  // namespace holdfast::cli

#endif
