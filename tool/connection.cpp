//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/connection.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tool/exit_status.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds shortest_connect = 1s;  // a short --wait, or 0, must leave time to connect
constexpr auto shutdown_grace = 3s;                         // for queued releases, if the server does not reply

asio::awaitable<int> run_and_shut_down(std::deque<client>& all, body_of_several const& run)
{
    int const status = co_await run(all);
    error_code ignored;
    for (auto& c : all)
        co_await c.shutdown({.grace = shutdown_grace}, asio::redirect_error(asio::use_awaitable, ignored));
    co_return status;
}

// Ends a group of operations when that many have succeeded.
struct enough {
    std::size_t needed;

    asio::cancellation_type_t operator()(error_code ec) noexcept
    {
        return !ec && --needed == 0 ? asio::cancellation_type::all : asio::cancellation_type::none;
    }
};

}  // namespace

config make_config(server_address const& server)
{
    config c;
    c.url = server.url;
    c.tls.ca_file = server.ca_file;
    c.log = [](log_level, std::string_view) {};  // without a function, warnings would go to standard error
    return c;
}

int run_with_client(asio::io_context& context, config const& options, body const& run)
{
    return run_with_clients(context, {options}, [&](std::deque<client>& all) { return run(all.front()); });
}

int run_with_clients(asio::io_context& context, std::vector<config> const& options, body_of_several const& run)
{
    // A deque, because a client cannot be assigned, and the body keeps references to the clients.
    std::deque<client> all;
    for (auto const& o : options)
        all.emplace_back(context, o).run(asio::detached);

    int status = ok;
    std::exception_ptr failure;
    asio::co_spawn(context, run_and_shut_down(all, run), [&](std::exception_ptr e, int s) {
        failure = e;
        status = s;
        // After an exception the clients were not shut down: without this, context.run() would never return.
        for (auto& c : all)
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
        report_error("cannot connect to Redis: " + words_for(ec, c));
    co_return unavailable;
}

// The first group ends with a majority of connections. The second one limits it by a timer: when the timer is first,
// the cancelled ready() operations complete with the reasons why there is no connection.
asio::awaitable<int> connect(std::deque<client>& all, std::chrono::milliseconds limit)
{
    limit = std::clamp(limit, shortest_connect, longest_connect);
    auto const quorum = all.size() / 2 + 1;
    std::vector<decltype(all.front().ready(asio::deferred))> attempts;
    for (auto& c : all)
        attempts.push_back(c.ready(asio::deferred));
    auto group = asio::experimental::make_parallel_group(std::move(attempts))
                     .async_wait(enough{quorum}, asio::deferred);
    asio::steady_timer timer(co_await asio::this_coro::executor, limit);
    auto const ended = co_await asio::experimental::make_parallel_group(
                           std::move(group), timer.async_wait(asio::deferred))
                           .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    auto const& errors = std::get<2>(ended);
    if (static_cast<std::size_t>(std::ranges::count(errors, error_code())) >= quorum)
        co_return ok;
    if (co_await is_cancelled())
        co_return unavailable;
    report_error("cannot connect to a majority of the servers");
    for (std::size_t i = 0; i < errors.size(); ++i)
        if (errors[i])
            report_error("server " + std::to_string(i + 1) + ": " + words_for(errors[i], all[i]));
    co_return unavailable;
}

// The last failure may be that of another operation: it belongs to this error if the codes are equal.
std::string words_for(error_code ec, client const& c)
{
    auto const failure = c.last_failure();
    return failure.code == ec && !failure.message.empty() ? failure.message : ec.message();
}

int report_failure(error_code ec, client const& c)
{
    report_error(words_for(ec, c));
    return ec == cond::misuse ? bad_usage : unavailable;
}

}  // namespace holdfast::cli
