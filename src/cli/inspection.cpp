//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "cli/inspection.hpp"

#include <cstdio>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/mutex.hpp>

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

}  // namespace

// The script behind holders() reads every kind of lock.
asio::awaitable<inspection> inspect(client& c, std::string const& name)
{
    inspection found;
    mutex const lock(c, name);
    found.holders = co_await lock.holders(asio::redirect_error(asio::use_awaitable, found.ec));
    co_return found;
}

void print(std::string const& name, inspection const& of)
{
    if (of.holders.empty())
        std::printf("%s: free\n", name.c_str());
    for (auto const& h : of.holders)
        std::printf("%s: %s\n", name.c_str(), describe(h).c_str());
}

}  // namespace holdfast::cli
