//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/spare_connection.hpp"

#include <utility>

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tool/connection.hpp"

namespace holdfast::cli {

spare_connection::spare_connection(asio::any_io_executor const& on, config const& options, std::uint16_t slot)
    : slot_(slot), client_(on, options)
{
    client_.run(asio::detached);
}

// Without stop() it would keep the execution context running.
spare_connection::~spare_connection()
{
    client_.stop();
}

asio::awaitable<bool> spare_connection::opens()
{
    error_code ec;
    co_await client_.ready(asio::cancel_after(longest_connect, asio::redirect_error(asio::use_awaitable, ec)));
    if (ec)
        co_return false;
    // In a cluster the connection to the primary opens with the first command, whatever its reply is.
    std::vector<std::string> ping(1, "PING");
    auto const reply = co_await reply_to(std::move(ping));
    co_return reply.type != detail::command_reply::kind::none;
}

asio::awaitable<detail::command_reply> spare_connection::reply_to(std::vector<std::string> words)
{
    error_code ec;
    co_return co_await detail::query_command(
        client_, slot_, std::move(words), asio::redirect_error(asio::use_awaitable, ec));
}

// Both are sent before a reply is awaited. The first reply completes the first command, whichever it answers.
asio::awaitable<detail::command_reply> spare_connection::reply_behind(std::vector<std::string> words)
{
    std::vector<std::string> ping(1, "PING");
    auto ended = co_await asio::experimental::make_parallel_group(
                     detail::query_command(client_, slot_, std::move(words), asio::deferred),
                     detail::query_command(client_, slot_, std::move(ping), asio::deferred))
                     .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    co_return std::move(std::get<2>(ended));
}

}  // namespace holdfast::cli
