//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <exception>
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
#include "tool/release_command.hpp"
#include "tool/report_error.hpp"
#include "tool/run_command.hpp"
#include "tool/status_command.hpp"

namespace holdfast::cli {
namespace {

// Calls the function of the subcommand. Only `run` and `status` have several URLs: parse_arguments() has checked that.
struct dispatcher {
    std::vector<std::string> const& urls;
    std::vector<int> const& inherited;

    int operator()(run_arguments const& a) const { return run_command(urls, a, inherited); }
    int operator()(status_arguments const& a) const { return status_command(urls, a); }
    int operator()(release_arguments const& a) const { return release_command(urls.front(), a); }
    int operator()(permits_arguments const& a) const { return permits_command(urls.front(), a); }
    int operator()(leader_arguments const& a) const { return leader_command(urls.front(), a); }
    int operator()(list_arguments const& a) const { return list_command(urls.front(), a); }
    int operator()(doctor_arguments const& a) const { return doctor_command(urls.front(), a); }
    int operator()(dashboard_arguments const& a) const { return dashboard_command(urls.front(), a); }
};

// The library throws std::invalid_argument for options that it refuses, such as a URL.
int run(arguments const& a, std::vector<int> const& inherited)
{
    try {
        return std::visit(dispatcher{a.urls, inherited}, a.command);
    } catch (std::invalid_argument const& e) {
        report_error(e.what());
        return bad_usage;
    } catch (std::exception const& e) {
        report_error(e.what());
        return unavailable;
    }
}

}  // namespace
}  // namespace holdfast::cli

int main(int argc, char** argv)
{
    using namespace holdfast::cli;
    auto const inherited = open_descriptors();  // first: nothing that the tool opens may be among them
    auto const parsed = parse_arguments(argc, argv);
    if (auto const* const status = std::get_if<int>(&parsed))
        return *status;
    return run(std::get<arguments>(parsed), inherited);
}
