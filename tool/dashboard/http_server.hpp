//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_HTTP_SERVER_HPP
#define HOLDFAST_CLI_DASHBOARD_HTTP_SERVER_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "tool/dashboard/site.hpp"

namespace holdfast::cli::dashboard {

// Accepts connections and serves them. For one beyond `most_connections` it closes that of the slowest client: many that
// send or read slowly cannot shut out the others.
class http_server {
public:
    // Throws boost::system::system_error if it cannot listen there.
    http_server(boost::asio::any_io_executor const&, boost::asio::ip::tcp::endpoint const&);

    boost::asio::ip::tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

    // Begins to serve. The site must live until all connections have ended.
    void start(site&);

    // Closes all connections; their coroutines end soon after.
    void stop(site&);

private:
    boost::asio::awaitable<void> accept(site&);

    boost::asio::ip::tcp::acceptor acceptor_;
};

}  // namespace holdfast::cli::dashboard

#endif
