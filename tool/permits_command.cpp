//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/permits_command.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>

#include <holdfast/semaphore.hpp>

#include "tool/connection.hpp"
#include "tool/dashboard/display_text.hpp"
#include "tool/dashboard/json.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/record.hpp"

namespace holdfast::cli {
namespace {

boost::json::object to_json(std::string const& name, inspection const& found)
{
    boost::json::array holders;
    for (auto const& h : found.holders) {
        auto one = dashboard::to_json(h);
        one["permits"] = h.weight;
        holders.push_back(std::move(one));
    }
    return {
        {"name", dashboard::display_text(name)},
        {"total", found.permits->total},
        {"held", found.permits->held},
        {"free", found.permits->free},
        {"holders", std::move(holders)}};
}

asio::awaitable<int> show(client& c, permits_arguments const& args)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    error_code ec;
    if (args.set)
        co_await semaphore(c, args.name, {}).set_permits(*args.set, asio::redirect_error(asio::use_awaitable, ec));
    if (ec)
        co_return report_failure(ec, c);
    auto const found = co_await inspect_permits(c, args.name);
    if (found.ec)
        co_return report_failure(found.ec, c);
    if (args.json)
        print_json(to_json(args.name, found));
    else
        print(args.name, found);
    co_return ok;
}

}  // namespace

int permits_command(std::string const& url, permits_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(url), [&](client& c) { return show(c, args); });
}

}  // namespace holdfast::cli
