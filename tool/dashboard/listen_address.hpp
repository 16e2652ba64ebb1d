//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_LISTEN_ADDRESS_HPP
#define HOLDFAST_CLI_DASHBOARD_LISTEN_ADDRESS_HPP

#include <optional>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

namespace holdfast::cli::dashboard {

// Parses "127.0.0.1:8077", "[::1]:8077" or "localhost:8077". Other names are refused: they may have several addresses.
std::optional<boost::asio::ip::tcp::endpoint> parse_listen_address(std::string_view text);

}  // namespace holdfast::cli::dashboard

#endif
