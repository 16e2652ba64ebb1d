//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_RELEASE_ROUTE_HPP
#define HOLDFAST_CLI_DASHBOARD_RELEASE_ROUTE_HPP

#include <boost/asio/awaitable.hpp>

#include "tool/dashboard/answer.hpp"
#include "tool/dashboard/site.hpp"

namespace holdfast::cli::dashboard {

// POST /api/release. "key" is the lock's name in hexadecimal digits, "confirm" its name as the page shows it, which the
// user has typed, and "holder" the id of the holder whom the user saw: if the lock has passed to another one since, it
// is not released.
boost::asio::awaitable<answer> post_release(site&, request const&);

}  // namespace holdfast::cli::dashboard

#endif
