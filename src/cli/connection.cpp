//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "cli/connection.hpp"

#include <algorithm>

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cli/complain.hpp"
#include "cli/exit_status.hpp"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds shortest_connect = 1s;
constexpr auto shutdown_grace = 3s;

asio::awaitable<int> run_and_shut_down(client& c, body const& run)
{
    int const status = co_await run(c);
    error_code ignored;
    co_await c.shutdown({.grace = shutdown_grace}, asio::redirect_error(asio::use_awaitable, ignored));
    co_return status;
}

}  // namespace

config make_config(std::string const& url)
{
    config c;
    c.url = url;
    c.log = [](log_level, std::string_view) {};
    return c;
}

int run_with_client(asio::io_context& context, config const& options, body const& run)
{
    client c(context, options);
    c.run(asio::detached);

    int status = ok;
    std::exception_ptr failure;
    asio::co_spawn(context, run_and_shut_down(c, run), [&](std::exception_ptr e, int s) {
        failure = e;
        status = s;
        c.stop();
    });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
    return status;
}

asio::awaitable<bool> is_cancelled()
{
    auto const state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

asio::awaitable<int> connect(client& c, std::chrono::milliseconds limit)
{
    limit = std::clamp(limit, shortest_connect, longest_connect);
    error_code ec;
    co_await c.ready(asio::cancel_after(limit, asio::redirect_error(asio::use_awaitable, ec)));
    if (!ec)
        co_return ok;
    if (!co_await is_cancelled())
        complain("cannot connect to Redis: " + words_for(ec, c));
    co_return unavailable;
}

std::string words_for(error_code ec, client const& c)
{
    auto const failure = c.last_failure();
    return failure.code == ec && !failure.message.empty() ? failure.message : ec.message();
}

int complain_about(error_code ec, client const& c)
{
    complain(words_for(ec, c));
    return ec == cond::misuse ? bad_usage : unavailable;
}

}  // namespace holdfast::cli
