//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_ROUTES_HPP
#define HOLDFAST_CLI_DASHBOARD_ROUTES_HPP

#include <optional>

#include <boost/asio/awaitable.hpp>

#include "tool/dashboard/answer.hpp"
#include "tool/dashboard/site.hpp"

namespace holdfast::cli::dashboard {

// The refusal of a request by the guard; nothing: it may be answered.
std::optional<answer> refusal_of(site const&, request const&);

// Whether the request is for the stream of events, which has no end and so no answer.
bool is_stream_request(request const&);

// The answer to any other request that the guard has passed.
//
//   GET  /              the page; its parts have the names of the files in tool/dashboard/page. Without a token: they
//                       contain no data
//   POST /api/login     {"token"}: sets the cookie
//   GET  /api/locks     all locks, JSON
//   GET  /api/events    server-sent events, see event_frames.hpp
//   POST /api/release   {"key", "confirm", "holder"}: a forced release
//   GET  /metrics       the text format of Prometheus
boost::asio::awaitable<answer> respond(site&, request const&);

}  // namespace holdfast::cli::dashboard

#endif
