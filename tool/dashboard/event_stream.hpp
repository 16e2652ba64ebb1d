//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_EVENT_STREAM_HPP
#define HOLDFAST_CLI_DASHBOARD_EVENT_STREAM_HPP

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "tool/dashboard/site.hpp"

namespace holdfast::cli::dashboard {

// Sends server-sent events until the client disconnects, takes too long to read, or the dashboard stops.
boost::asio::awaitable<void> stream_events(site&, boost::beast::tcp_stream&);

}  // namespace holdfast::cli::dashboard

#endif
