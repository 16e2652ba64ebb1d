//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/release_command.hpp"

#include "tool/connection.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

// A key that does not look like a lock may be an application's data: the library does not delete it, and the tool has
// no option to do so.
int refuse(error_code ec, client const& c)
{
    int const status = report_failure(ec, c);
    if (ec == errc::wrong_type)
        report_error("to delete the key nevertheless, do it by hand: redis-cli DEL");
    return status;
}

asio::awaitable<int> take_away(client& c, std::string const& name)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    auto const found = co_await inspect(c, name);
    if (found.ec)
        co_return refuse(found.ec, c);
    error_code ec;
    bool const was_held = co_await force_release(c, name, found, ec);
    if (ec)
        co_return refuse(ec, c);
    say(name + (was_held ? ": released" : ": was free"));
    co_return ok;
}

}  // namespace

int release_command(server_address const& server, release_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(server), [&](client& c) { return take_away(c, args.name); });
}

}  // namespace holdfast::cli
