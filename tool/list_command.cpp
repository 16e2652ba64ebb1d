//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/list_command.hpp"

#include <set>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "operations/server_query.hpp"
#include "tool/connection.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"

namespace holdfast::cli {
namespace {

// Prints nothing for a lock that was released since the scan found it.
asio::awaitable<void> show(client& c, std::string const& name)
{
    auto const found = co_await inspect(c, name);
    if (!found.ec && !found.holders.empty())
        print(name, found);
}

asio::awaitable<int> show_all(client& c, std::string const& pattern)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    std::set<std::string> shown;  // SCAN may return a key twice
    std::string next = "0";
    do {
        error_code ec;
        auto page = co_await detail::query_key_page(c, next, pattern, asio::redirect_error(asio::use_awaitable, ec));
        if (ec)
            co_return report_failure(ec, c);
        for (auto const& name : page.locks)
            if (shown.insert(name).second)
                co_await show(c, name);
        next = std::move(page.next);
    } while (next != "0");
    co_return ok;
}

}  // namespace

int list_command(std::string const& url, list_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(url), [&](client& c) { return show_all(c, args.pattern); });
}

}  // namespace holdfast::cli
