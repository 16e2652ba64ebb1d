//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TOOL_USAGE_RULES_HPP
#define HOLDFAST_TOOL_USAGE_RULES_HPP

#include <chrono>
#include <string>
#include <vector>

#include "tool/arguments.hpp"

// What CLI11 cannot check: rules about several options, and values out of range. Each throws CLI::ValidationError with
// the name of the option.
namespace holdfast::cli {

// The servers that were given, or the default one.
std::vector<std::string> some_urls(std::vector<std::string> urls);
// The same, for a command that takes one server.
std::vector<std::string> only_url(std::vector<std::string> const& urls);

void check_priority(run_arguments const&);
// The option at_least of the library, which some kinds of lock have, over one server.
void check_at_least(std::vector<std::string> const& urls, run_arguments const&);
// Permits of a semaphore exclude the options of locks.
void check_permits(std::vector<std::string> const& urls, run_arguments const&);
void check_interval(std::chrono::milliseconds);
// Several servers are one red_lock, which has some kinds of members only.
void check_urls(std::vector<std::string> const& urls, run_arguments const&);

}  // namespace holdfast::cli

#endif
