//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/list_command.hpp"

#include <cstdint>
#include <cstdio>
#include <set>
#include <unistd.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "operations/server_query.hpp"
#include "tool/connection.hpp"
#include "tool/exit_status.hpp"
#include "tool/inspection.hpp"
#include "tool/record.hpp"

namespace holdfast::cli {
namespace {

using namespace asio::experimental::awaitable_operators;

// Prints nothing for a lock that was released since the scan found it.
asio::awaitable<void> show(client& c, std::string const& name)
{
    auto const found = co_await inspect(c, name);
    if (!found.ec && !is_free(found))
        print(name, found);
}

using names = std::set<std::string>;

// The keys of the server, or of the primary of a cluster that has the hash slot, without those that were shown before.
asio::awaitable<error_code> show_keys(client& c, std::uint16_t slot, std::string const& pattern, names& shown)
{
    std::string next = "0";
    do {
        error_code ec;
        auto page = co_await detail::query_key_page(
            c, slot, next, pattern, asio::redirect_error(asio::use_awaitable, ec));
        if (ec)
            co_return ec;
        for (auto const& name : page.locks)
            if (shown.insert(name).second)
                co_await show(c, name);
        next = std::move(page.next);
    } while (next != "0");
    co_return error_code();
}

// One primary of a cluster after the other: a primary that does not answer ends it.
asio::awaitable<error_code> show_all(client& c, std::string const& pattern)
{
    error_code ec;
    names shown;  // SCAN may return a key twice, and a key may move to a primary that is scanned later
    auto const parts = co_await detail::query_primaries(c, {}, asio::redirect_error(asio::use_awaitable, ec));
    for (auto const& part : parts)
        if (!ec)
            ec = co_await show_keys(c, part.slot, pattern, shown);
    co_return ec;
}

asio::awaitable<error_code> show_json(client& c, std::string const& pattern)
{
    auto const all = co_await query_records(c, pattern);
    if (!all.ec)
        print_json(to_json(all));
    co_return all.ec;
}

asio::awaitable<error_code> show(client& c, list_arguments const& args)
{
    return args.json ? show_json(c, args.pattern) : show_all(c, args.pattern);
}

// On a terminal each list takes the place of the one before it. In a file or a pipe an empty line ends each list; a
// line of JSON needs no separator.
void separate(list_arguments const& args, bool is_first)
{
    if (args.json)
        return;
    if (::isatty(STDOUT_FILENO) != 0)
        std::fputs("\x1b[H\x1b[2J", stdout);
    else if (!is_first)
        std::fputs("\n", stdout);
}

// A failure is reported and does not end it: the client connects again.
asio::awaitable<int> show_again_and_again(client& c, list_arguments const& args)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (bool is_first = true;; is_first = false) {
        separate(args, is_first);
        if (auto const ec = co_await show(c, args); ec == errc::not_running || ec == errc::client_stopped)
            co_return report_failure(ec, c);
        else if (ec)
            report_failure(ec, c);
        std::fflush(stdout);
        timer.expires_after(args.interval);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<int> watch(client& c, list_arguments const& args)
{
    asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
    auto const ended = co_await (show_again_and_again(c, args) || signals.async_wait(asio::use_awaitable));
    c.stop();  // it holds no lock, so there is nothing to wait for
    co_return ended.index() == 0 ? std::get<0>(ended) : ok;
}

asio::awaitable<int> run(client& c, list_arguments const& args)
{
    if (int const status = co_await connect(c, longest_connect); status != ok)
        co_return status;
    if (args.watch)
        co_return co_await watch(c, args);
    auto const ec = co_await show(c, args);
    co_return ec ? report_failure(ec, c) : ok;
}

}  // namespace

int list_command(std::string const& url, list_arguments const& args)
{
    asio::io_context context(1);
    return run_with_client(context, make_config(url), [&](client& c) { return run(c, args); });
}

}  // namespace holdfast::cli
