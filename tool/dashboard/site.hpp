//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_SITE_HPP
#define HOLDFAST_CLI_DASHBOARD_SITE_HPP

#include <functional>
#include <list>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "tool/dashboard/board.hpp"
#include "tool/dashboard/document_cache.hpp"
#include "tool/dashboard/metrics.hpp"
#include "tool/dashboard/request_guard.hpp"

namespace holdfast::cli::dashboard {

// A forced release that a user has confirmed.
struct release_order {
    std::string name;
    std::string holder;  // the id that the page showed, as display_text()
};

struct release_result {
    enum class kind { released, was_free, has_other_holder, failed };

    kind what;
    std::string words;  // failed: why
};

using release_function = std::function<boost::asio::awaitable<release_result>(release_order)>;

// The connections are in the order in which their present steps began: to read a request, to serve it. So the slowest
// client is in front.
struct open_connection {
    boost::beast::tcp_stream* stream;
    bool must_stay = false;  // it has a stream of events, or is being closed already
};

// What all connections share. It outlives them; all of it is used on one thread.
struct site {
    guard_rules guard;
    std::string greeting;  // JSON: what the page needs to know before anything else
    board const& state;
    release_function release = {};  // empty: forced releases are not allowed
    http_counts counts = {};
    document_cache locks = {};  // of /api/locks
    std::list<open_connection> open = {};
    bool is_stopping = false;
};

// Bounds: a client cannot make the dashboard use more, and a slow one loses its connection: in time, or at once if there are
// too many connections.
constexpr std::size_t most_connections = 100;
constexpr std::size_t most_streams = 20;
constexpr std::uint32_t most_header_bytes = 8 * 1024;
constexpr std::uint64_t most_body_bytes = 4 * 1024;
constexpr std::chrono::seconds longest_read{10};   // of a request, from the end of the previous one
constexpr std::chrono::seconds longest_write{10};  // of a response, or of some frames of a stream

}  // namespace holdfast::cli::dashboard

#endif
