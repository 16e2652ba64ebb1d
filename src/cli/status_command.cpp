//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "cli/status_command.hpp"

#include <cstdio>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/mutex.hpp>

#include "cli/connection.hpp"
#include "cli/exit_status.hpp"

namespace holdfast::cli {
namespace {

std::string describe(holder const& h)
{
    auto const owner = h.label.empty() ? h.id : h.id + " (" + h.label + ")";
    if (h.remaining.count() < 0)
        return "held by " + owner + ", for ever: the key has no time to live";
    char rest[64];
    std::snprintf(
        rest, sizeof rest, ", for %.1f s more unless renewed", static_cast<double>(h.remaining.count()) / 1000);
    return "held by " + owner + rest;
}

// The script behind holders() reads every kind of lock.
asio::awaitable<int> show(client& c, std::string const& name)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    mutex const lock(c, name);
    error_code ec;
    auto const holders = co_await lock.holders(asio::redirect_error(asio::use_awaitable, ec));
    if (ec)
        co_return complain_about(ec, c);
    if (holders.empty())
        std::printf("%s: free\n", name.c_str());
    for (auto const& h : holders)
        std::printf("%s: %s\n", name.c_str(), describe(h).c_str());
    co_return ok;
}

}  // namespace

int status_command(std::string const& url, status_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(url), [&](client& c) { return show(c, args.name); });
}

}  // namespace holdfast::cli
