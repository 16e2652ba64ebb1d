//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/status_command.hpp"

#include "tool/connection.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"

namespace holdfast::cli {
namespace {

asio::awaitable<int> show(client& c, std::string const& name)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    auto const found = co_await inspect(c, name);
    if (found.ec)
        co_return report_failure(found.ec, c);
    print(name, found);
    co_return ok;
}

}  // namespace

int status_command(std::string const& url, status_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(url), [&](client& c) { return show(c, args.name); });
}

}  // namespace holdfast::cli
