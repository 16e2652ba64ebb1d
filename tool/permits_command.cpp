//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/permits_command.hpp"

#include <algorithm>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>

#include <holdfast/semaphore.hpp>

#include "core/printable.hpp"
#include "tool/connection.hpp"
#include "tool/dashboard/display_text.hpp"
#include "tool/dashboard/json.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/record.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

boost::json::object to_json(permits_arguments const& args, inspection const& found, bool revoked)
{
    boost::json::array holders;
    for (auto const& h : found.holders) {
        auto one = dashboard::to_json(h);
        one["permits"] = h.weight;
        holders.push_back(std::move(one));
    }
    boost::json::object all{
        {"name", dashboard::display_text(args.name)},
        {"total", found.permits->total},
        {"held", found.permits->held},
        {"free", found.permits->free},
        {"holders", std::move(holders)}};
    if (args.revoke)
        all["revoked"] = revoked;
    return all;
}

void print(permits_arguments const& args, inspection const& found, bool revoked)
{
    if (args.revoke)
        say(args.name + ": " + *args.revoke + (revoked ? ": revoked" : ": had no permits"));
    print(args.name, found);
}

// An id of another library may have bytes that the tool shows as escapes, so the ids are compared as they are shown.
asio::awaitable<bool> revoke(client& c, permits_arguments const& args, error_code& ec)
{
    semaphore const permits(c, args.name, {});
    auto const holders = co_await permits.holders(asio::redirect_error(asio::use_awaitable, ec));
    auto const found = std::ranges::find(holders, *args.revoke, [](holder const& h) { return core::printable(h.id); });
    if (found == holders.end())
        co_return false;
    co_return co_await permits.revoke(found->id, asio::redirect_error(asio::use_awaitable, ec));
}

asio::awaitable<int> show(client& c, permits_arguments const& args)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    error_code ec;
    bool revoked = false;
    if (args.set)
        co_await semaphore(c, args.name, {}).set_permits(*args.set, asio::redirect_error(asio::use_awaitable, ec));
    if (args.revoke)
        revoked = co_await revoke(c, args, ec);
    if (ec)
        co_return report_failure(ec, c);
    auto const found = co_await inspect_permits(c, args.name);
    if (found.ec)
        co_return report_failure(found.ec, c);
    if (args.json)
        print_json(to_json(args, found, revoked));
    else
        print(args, found, revoked);
    co_return ok;
}

}  // namespace

int permits_command(server_address const& server, permits_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(server), [&](client& c) { return show(c, args); });
}

}  // namespace holdfast::cli
