//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <variant>

#include "tool/arguments.hpp"
#include "tool/dashboard/dashboard_command.hpp"
#include "tool/descriptors.hpp"
#include "tool/doctor_command.hpp"
#include "tool/exit_status.hpp"
#include "tool/leader_command.hpp"
#include "tool/list_command.hpp"
#include "tool/permits_command.hpp"
#include "tool/process_list.hpp"
#include "tool/release_command.hpp"
#include "tool/report_error.hpp"
#include "tool/run_command.hpp"
#include "tool/status_command.hpp"

namespace holdfast::cli {
namespace {

// Calls the function of the subcommand. Only `run` and `status` have several servers: parse_arguments() has checked that.
struct dispatcher {
    std::vector<server_address> const& servers;
    std::vector<int> const& inherited;

    int operator()(run_arguments const& a) const { return run_command(servers, a, inherited); }
    int operator()(status_arguments const& a) const { return status_command(servers, a); }
    int operator()(release_arguments const& a) const { return release_command(servers.front(), a); }
    int operator()(permits_arguments const& a) const { return permits_command(servers.front(), a); }
    int operator()(leader_arguments const& a) const { return leader_command(servers.front(), a); }
    int operator()(list_arguments const& a) const { return list_command(servers.front(), a); }
    int operator()(doctor_arguments const& a) const { return doctor_command(servers.front(), a); }
    int operator()(dashboard_arguments const& a) const { return dashboard_command(servers.front(), a); }
};

// The library throws std::invalid_argument for options that it refuses, such as a URL.
int run(arguments const& a, std::vector<int> const& inherited)
{
    try {
        return std::visit(dispatcher{a.servers, inherited}, a.command);
    } catch (std::invalid_argument const& e) {
        report_error(e.what());
        return bad_usage;
    } catch (std::exception const& e) {
        report_error(e.what());
        return unavailable;
    }
}

// Standard output has results and help. A disk that is full must not look like an empty list.
int finish(int status)
{
    std::cout.flush();
    if (flush_output())
        return status;
    report_error("cannot write to standard output");
    return status == ok ? write_failed : status;
}

}  // namespace
}  // namespace holdfast::cli

int main(int argc, char** argv)
{
    using namespace holdfast::cli;
    auto const inherited = open_descriptors();  // first: nothing that the tool opens may be among them
    occupy_standard_descriptors();
    auto const parsed = parse_arguments(argc, argv);
    if (auto const* const status = std::get_if<int>(&parsed))
        return finish(*status);
    hide_passwords(argc, argv);
    return finish(run(std::get<arguments>(parsed), inherited));
}
