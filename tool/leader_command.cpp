//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/leader_command.hpp"

#include <chrono>
#include <optional>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>

#include <holdfast/election.hpp>

#include "core/printable.hpp"
#include "tool/connection.hpp"
#include "tool/dashboard/display_text.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/leadership_text.hpp"
#include "tool/record.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

using namespace asio::experimental::awaitable_operators;
using std::chrono::milliseconds;

milliseconds since_1970(leader const& l)
{
    return std::chrono::duration_cast<milliseconds>(l.since.time_since_epoch());
}

boost::json::object to_json(std::string const& name, std::optional<leader> const& now)
{
    boost::json::object one{{"name", dashboard::display_text(name)}, {"leader", nullptr}};
    if (now)
        one["leader"] = boost::json::object{
            {"id", dashboard::display_text(now->id)},
            {"value", dashboard::display_text(now->value)},
            {"term", now->term},
            {"since_ms", since_1970(*now).count()}};
    return one;
}

void print(leader_arguments const& args, std::optional<leader> const& now)
{
    if (args.json)
        print_json(to_json(args.name, now));
    else
        say(core::printable(args.name) + ": " + (now ? to_text(*now) : "nobody leads"));
}

asio::awaitable<error_code> follow(leader_watch& watch, leader_arguments const& args)
{
    error_code ec;
    for (;;) {
        auto const now = co_await watch.next(asio::redirect_error(asio::use_awaitable, ec));
        if (ec)
            co_return ec;
        print(args, now);
        if (!flush_output())
            co_return ec;  // main() reports it
    }
}

asio::awaitable<error_code> show_changes(election const& e, leader_arguments const& args)
{
    asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
    auto watch = e.observe();
    auto const first = co_await (follow(watch, args) || signals.async_wait(asio::use_awaitable));
    co_return first.index() == 0 ? std::get<0>(first) : error_code();
}

asio::awaitable<error_code> show_once(election const& e, leader_arguments const& args)
{
    error_code ec;
    auto const now = co_await e.current(asio::redirect_error(asio::use_awaitable, ec));
    if (!ec)
        print(args, now);
    co_return ec;
}

asio::awaitable<int> show(client& c, leader_arguments const& args)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    election const e(c, args.name);
    error_code ec;
    if (args.watch)
        ec = co_await show_changes(e, args);
    else
        ec = co_await show_once(e, args);
    co_return ec ? report_failure(ec, c) : ok;
}

}  // namespace

int leader_command(server_address const& server, leader_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(server), [&](client& c) { return show(c, args); });
}

}  // namespace holdfast::cli
