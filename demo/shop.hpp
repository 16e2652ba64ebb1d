//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_SHOP_HPP
#define HOLDFAST_DEMO_SHOP_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/redis/connection.hpp>

namespace demo {

namespace asio = boost::asio;

// The resource that the lock protects: a number in Redis, over a connection of its own. A read and a write together are
// not atomic: a process that reads 7 and writes 6 overwrites what another one has written in between.
class shop {
public:
    shop(asio::any_io_executor const&, std::string const& socket, std::string const& sale);

    void stop() { connection_->cancel(); }

    asio::awaitable<int> read_stock();
    asio::awaitable<void> write_stock(int left);

    // The same with the check of the fencing token, which only the resource itself can make: it refuses a token that
    // is smaller than an earlier one. A read passes its token, too: otherwise a stale write could happen between the
    // read and the write of the next holder.
    asio::awaitable<std::optional<int>> read_stock(std::uint64_t token);
    asio::awaitable<bool> write_stock(int left, std::uint64_t token);

private:
    // The stock; none: refused.
    asio::awaitable<std::optional<int>> execute(boost::redis::request const&);

    std::shared_ptr<boost::redis::connection> connection_;
    std::string const stock_;           // the key of the number
    std::string const greatest_token_;  // the key of the greatest fencing token so far
};

}  // namespace demo

#endif
