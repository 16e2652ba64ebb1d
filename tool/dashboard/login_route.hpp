//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_LOGIN_ROUTE_HPP
#define HOLDFAST_CLI_DASHBOARD_LOGIN_ROUTE_HPP

#include <boost/asio/awaitable.hpp>

#include "tool/dashboard/answer.hpp"
#include "tool/dashboard/site.hpp"

namespace holdfast::cli::dashboard {

// POST /api/login. A stream of events cannot send the field Authorization, so the page exchanges the token for a cookie
// that scripts cannot read and that other sites cannot make the browser send.
boost::asio::awaitable<answer> post_login(site&, request const&);

}  // namespace holdfast::cli::dashboard

#endif
