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

namespace demo {
namespace {

namespace redis = boost::redis;

// The resource's check, to be copied.
// KEYS  stock, greatest token seen     ARGV  token, [new stock]
constexpr auto checked = R"lua(
if tonumber(redis.call('get', KEYS[2]) or 0) > tonumber(ARGV[1]) then return -1 end
redis.call('set', KEYS[2], ARGV[1])
if ARGV[2] then redis.call('set', KEYS[1], ARGV[2]) end
return tonumber(redis.call('get', KEYS[1]))
)lua";

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
      last_seen_(stock_ + ":token")
{
    // It must live until it has stopped running.
    connection_->async_run(at(socket), [keep = connection_](boost::system::error_code) {});
}

asio::awaitable<int> shop::read_stock()
{
    redis::request request;
    request.push("GET", stock_);
    co_return static_cast<int>(co_await ask(request));
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
    request.push("EVAL", checked, 2, stock_, last_seen_, token);
    auto const left = co_await ask(request);
    co_return left < 0 ? std::nullopt : std::optional(static_cast<int>(left));
}

asio::awaitable<bool> shop::write_stock(int left, std::uint64_t token)
{
    redis::request request;
    request.push("EVAL", checked, 2, stock_, last_seen_, token, left);
    co_return co_await ask(request) >= 0;
}

// Not to be cancelled: whoever asked wants to know how it went, even if the lease is lost meanwhile.
asio::awaitable<long long> shop::ask(redis::request const& request)
{
    redis::response<long long> reply;
    co_await connection_->async_exec(
        request, reply, asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
    co_return std::get<0>(reply).value();
}

}  // namespace demo
