//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/usage_rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include <CLI/CLI.hpp>

namespace holdfast::cli {
namespace {

std::string trimmed(std::string const& line)
{
    constexpr auto blanks = " \t\r";
    auto const begin = line.find_first_not_of(blanks);
    return begin == line.npos ? std::string() : line.substr(begin, line.find_last_not_of(blanks) - begin + 1);
}

// One URL for each line; lines that begin with # are comments.
std::vector<std::string> urls_in(std::string const& path)
{
    std::ifstream file(path);
    std::vector<std::string> urls;
    for (std::string line; std::getline(file, line);)
        if (auto url = trimmed(line); !url.empty() && !url.starts_with('#'))
            urls.push_back(std::move(url));
    if (file.bad() || !file.eof())
        throw CLI::ValidationError("--url-file", "cannot read '" + path + "'");
    if (urls.empty())
        throw CLI::ValidationError("--url-file", "'" + path + "' has no URL");
    return urls;
}

std::vector<std::string> urls_of(server_options const& o)
{
    if (!o.urls.empty())
        return o.urls;
    if (!o.url_file.empty())
        return urls_in(o.url_file);
    auto const* const variable = std::getenv("HOLDFAST_URL");
    return {variable != nullptr && *variable != '\0' ? variable : "redis://localhost:6379"};
}

}  // namespace

std::vector<server_address> some_servers(server_options const& o)
{
    std::vector<server_address> all;
    for (auto& url : urls_of(o))
        all.push_back({std::move(url), o.ca_file});
    return all;
}

std::vector<server_address> only_server(server_options const& o)
{
    auto all = some_servers(o);
    if (all.size() > 1)
        throw CLI::ValidationError("--url", "several servers can only be given to holdfast run and status");
    return all;
}

void check_busy_exit(run_arguments const& run)
{
    if (run.busy_exit < 0 || run.busy_exit > 255)
        throw CLI::ValidationError("--busy-exit", "must be from 0 to 255");
}

void check_priority(run_arguments const& run)
{
    if (!run.priority)
        return;
    if (run.kind != lock_kind::fair)
        throw CLI::ValidationError("--priority", "only a fair lock has priorities: --kind fair");
    if (*run.priority < 1 || *run.priority > 10)
        throw CLI::ValidationError("--priority", "must be from 1 to 10");
}

void check_at_least(std::vector<server_address> const& servers, run_arguments const& run)
{
    using namespace std::chrono_literals;
    if (!run.at_least)
        return;
    if (*run.at_least <= 0ms || *run.at_least > 12h)
        throw CLI::ValidationError("--at-least", "must be more than 0 and at most 12h");
    if (run.kind == lock_kind::read || run.kind == lock_kind::write)
        throw CLI::ValidationError("--at-least", "only with --kind mutex, reentrant or fair");
    if (servers.size() > 1)
        throw CLI::ValidationError("--at-least", "a lock over several servers does not have it");
}

void check_permits(std::vector<server_address> const& servers, run_arguments const& run)
{
    auto const& s = run.semaphore;
    if (!s.permits)
        return;
    if (run.kind != lock_kind::mutex)
        throw CLI::ValidationError("--permits", "a semaphore has no --kind");
    if (servers.size() > 1)
        throw CLI::ValidationError("--permits", "a semaphore is on one server");
    if (s.weight < 1 || s.weight > 4095 || (*s.permits > 0 && s.weight > *s.permits))
        throw CLI::ValidationError("--weight", "must be at least 1, and at most 4095 and --permits");
    if (s.numbered && (s.fair || s.weight > 1))
        throw CLI::ValidationError("--numbered", "not with --fair, and with --weight 1 only");
    if (s.numbered && *s.permits > 128)
        throw CLI::ValidationError("--permits", "must be at most 128 with --numbered");
}

void check_interval(std::chrono::milliseconds interval)
{
    if (interval < std::chrono::milliseconds(100))
        throw CLI::ValidationError("--interval", "must be at least 100ms");
}

// Several servers are one red_lock, for which make_red_lock() in run_command.cpp has members of these two kinds only.
void check_servers(std::vector<server_address> const& servers, run_arguments const& run)
{
    bool const fits = run.kind == lock_kind::mutex || run.kind == lock_kind::reentrant;
    if (servers.size() > 1 && !fits)
        throw CLI::ValidationError("--kind", "must be mutex or reentrant over several servers");
}

}  // namespace holdfast::cli
