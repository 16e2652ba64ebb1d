//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "shop.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/redis/logger.hpp>
#include <boost/redis/request.hpp>
#include <boost/redis/response.hpp>

#include "fenced_value.hpp"

namespace demo {
namespace {

namespace redis = boost::redis;

redis::config at(std::string const& socket)
{
    redis::config c;
    c.unix_socket = socket;
    return c;
}

}  // namespace

shop::shop(asio::any_io_executor const& executor, std::string const& socket, std::string const& sale)
    : connection_(std::make_shared<redis::connection>(executor, redis::logger(redis::logger::level::disabled))),
      stock_("{stock:" + sale + "}"),
      greatest_token_(stock_ + ":token")
{
    // The handler keeps the connection until async_run() has ended.
    connection_->async_run(at(socket), [keep = connection_](boost::system::error_code) {});
}

asio::awaitable<int> shop::read_stock()
{
    redis::request request;
    request.push("GET", stock_);
    co_return (co_await execute(request)).value();
}

asio::awaitable<void> shop::write_stock(int left)
{
    redis::request request;
    request.push("SET", stock_, left);
    redis::response<redis::ignore_t> reply;
    co_await connection_->async_exec(request, reply, asio::use_awaitable);
}

asio::awaitable<std::optional<int>> shop::read_stock(std::uint64_t token)
{
    redis::request request;
    request.push("EVAL", fenced_value, 2, stock_, greatest_token_, token);
    co_return co_await execute(request);
}

asio::awaitable<bool> shop::write_stock(int left, std::uint64_t token)
{
    redis::request request;
    request.push("EVAL", fenced_value, 2, stock_, greatest_token_, token, left);
    co_return (co_await execute(request)).has_value();
}

// Cannot be cancelled: the caller needs the result even if the lease is lost meanwhile.
asio::awaitable<std::optional<int>> shop::execute(redis::request const& request)
{
    redis::response<int> reply;
    co_await connection_->async_exec(
        request, reply, asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
    auto const& stock = std::get<0>(reply);
    if (stock.has_error() && stock.error().diagnostic.starts_with("STALE"))
        co_return std::nullopt;
    co_return stock.value();
}

}  // namespace demo
