//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_CONTESTANTS_RAW_CONNECTION_HPP
#define HOLDFAST_BENCH_CONTESTANTS_RAW_CONNECTION_HPP

#include <deque>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/detached.hpp>
#include <boost/redis/connection.hpp>

#include "support/contestant.hpp"
#include "support/redis_server.hpp"

namespace holdfast::bench {

// Boost.Redis as its documentation shows it: one `connection` to each server on the io_context, one async_exec per
// command.
class raw_connection : public contestant {
public:
    raw_connection(std::string name, servers const& to) : contestant(std::move(name))
    {
        for (redis_server const& s : to) {
            auto& c = connections_.emplace_back(context());
            c.set_receive_response(boost::redis::ignore);
            c.async_run(config_of(s), boost::asio::detached);
        }
    }

    boost::asio::awaitable<void> connect() override
    {
        boost::redis::request ping;
        ping.push("PING");
        for (auto& c : connections_)
            co_await c.async_exec(ping, boost::redis::ignore);
    }

protected:
    boost::redis::connection& connection() { return connections_.front(); }
    std::deque<boost::redis::connection>& connections() { return connections_; }

private:
    static boost::redis::config config_of(redis_server const& s)
    {
        boost::redis::config how;
        if (s.is_tcp())
            how.addr = {"127.0.0.1", std::to_string(s.port())};
        else
            how.unix_socket = s.socket_path();
        return how;
    }

    std::deque<boost::redis::connection> connections_;
};

}  // namespace holdfast::bench

#endif
