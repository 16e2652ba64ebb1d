//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_ACCESS_TOKEN_HPP
#define HOLDFAST_CLI_DASHBOARD_ACCESS_TOKEN_HPP

#include <string>

namespace holdfast::cli::dashboard {

// The token that clients of the dashboard must have: the first line of the file; if no file is given, the environment
// variable HOLDFAST_DASHBOARD_TOKEN. Empty: neither is given. Throws std::invalid_argument if the file cannot be read,
// or if the token is shorter than 16 characters or has others than letters, digits and -._~
std::string read_access_token(std::string const& file);

// A new token of 128 random bits.
std::string make_access_token();

}  // namespace holdfast::cli::dashboard

#endif
