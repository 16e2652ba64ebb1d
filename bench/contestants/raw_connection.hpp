//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_CONTESTANTS_RAW_CONNECTION_HPP
#define HOLDFAST_BENCH_CONTESTANTS_RAW_CONNECTION_HPP

#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/detached.hpp>
#include <boost/redis/connection.hpp>

#include "support/contestant.hpp"
#include "support/redis_server.hpp"

namespace holdfast::bench {

// Boost.Redis as its documentation shows it: one `connection` on the io_context, one async_exec per command.
class raw_connection : public contestant {
public:
    raw_connection(std::string name, redis_server const& server) : contestant(std::move(name)), connection_(context())
    {
        boost::redis::config how;
        how.unix_socket = server.socket_path();
        connection_.set_receive_response(boost::redis::ignore);
        connection_.async_run(how, boost::asio::detached);
    }

    boost::asio::awaitable<void> connect() override
    {
        boost::redis::request ping;
        ping.push("PING");
        co_await connection_.async_exec(ping, boost::redis::ignore);
    }

protected:
    boost::redis::connection connection_;
};

}  // namespace holdfast::bench

#endif
