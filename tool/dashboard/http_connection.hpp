//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_HTTP_CONNECTION_HPP
#define HOLDFAST_CLI_DASHBOARD_HTTP_CONNECTION_HPP

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "tool/dashboard/site.hpp"

namespace holdfast::cli::dashboard {

// Serves the requests of one connection until it ends.
boost::asio::awaitable<void> serve(site&, boost::asio::ip::tcp::socket);

}  // namespace holdfast::cli::dashboard

#endif
