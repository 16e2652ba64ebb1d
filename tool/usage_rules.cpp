//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/usage_rules.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace holdfast::cli {
// CLI11 only shows the default in the help.
std::vector<std::string> some_urls(std::vector<std::string> urls)
{
    if (urls.empty())
        urls.emplace_back("redis://localhost:6379");
    return urls;
}

std::vector<std::string> only_url(std::vector<std::string> const& urls)
{
    if (urls.size() > 1)
        throw CLI::ValidationError("--url", "several servers can only be given to holdfast run and status");
    return some_urls(urls);
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

void check_at_least(std::vector<std::string> const& urls, run_arguments const& run)
{
    using namespace std::chrono_literals;
    if (!run.at_least)
        return;
    if (*run.at_least <= 0ms || *run.at_least > 12h)
        throw CLI::ValidationError("--at-least", "must be more than 0 and at most 12h");
    if (run.kind == lock_kind::read || run.kind == lock_kind::write)
        throw CLI::ValidationError("--at-least", "only with --kind mutex, reentrant or fair");
    if (urls.size() > 1)
        throw CLI::ValidationError("--at-least", "a lock over several servers does not have it");
}

void check_permits(std::vector<std::string> const& urls, run_arguments const& run)
{
    auto const& s = run.semaphore;
    if (!s.permits)
        return;
    if (run.kind != lock_kind::mutex)
        throw CLI::ValidationError("--permits", "a semaphore has no --kind");
    if (urls.size() > 1)
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
void check_urls(std::vector<std::string> const& urls, run_arguments const& run)
{
    bool const fits = run.kind == lock_kind::mutex || run.kind == lock_kind::reentrant;
    if (urls.size() > 1 && !fits)
        throw CLI::ValidationError("--kind", "must be mutex or reentrant over several servers");
}

}  // namespace holdfast::cli
