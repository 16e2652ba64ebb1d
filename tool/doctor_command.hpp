//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DOCTOR_COMMAND_HPP
#define HOLDFAST_CLI_DOCTOR_COMMAND_HPP

#include <string>

#include "tool/arguments.hpp"

namespace holdfast::cli {

// `holdfast doctor`: whether the server is fit for locks, and this user permitted to take them, which is tried with a
// lock of a name of its own. Returns the exit status.
int doctor_command(std::string const& url, doctor_arguments const&);

}  // namespace holdfast::cli

#endif
