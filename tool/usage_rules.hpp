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

// The options with which a subcommand is told the servers.
struct server_options {
    std::vector<std::string> urls;
    std::string url_file;
    std::string ca_file;
};

// The servers of --url, of --url-file or of HOLDFAST_URL, or the default one.
std::vector<server_address> some_servers(server_options const&);
// The same, for a command that takes one server.
std::vector<server_address> only_server(server_options const&);

void check_priority(run_arguments const&);
// The option at_least of the library, which some kinds of lock have, over one server.
void check_at_least(std::vector<server_address> const&, run_arguments const&);
// Permits of a semaphore exclude the options of locks.
void check_permits(std::vector<server_address> const&, run_arguments const&);
void check_busy_exit(run_arguments const&);
void check_interval(std::chrono::milliseconds);
// Several servers are one red_lock, which has some kinds of members only.
void check_servers(std::vector<server_address> const&, run_arguments const&);

}  // namespace holdfast::cli

#endif
