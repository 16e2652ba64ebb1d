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

// What the lock guards: a number in Redis, over a connection of the shop's own. Nothing here is atomic by itself: a
// process that reads 7 and writes 6 undoes what was written in between.
class shop {
public:
    shop(asio::any_io_executor const&, std::string const& socket, std::string const& sale);

    void stop() { connection_->cancel(); }

    asio::awaitable<int> read_stock();
    asio::awaitable<void> write_stock(int left);

    // The same with the check that only the resource itself can make: a caller with a fencing token smaller than
    // one that was here before is refused. Reading counts as coming: otherwise a stale write could slip in between the
    // read and the write of its successor.
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
