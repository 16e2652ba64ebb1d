//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_SPARE_CONNECTION_HPP
#define HOLDFAST_CLI_SPARE_CONNECTION_HPP

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast/client.hpp>
#include <holdfast/config.hpp>

#include "operations/command_query.hpp"

namespace holdfast::cli {

// A second connection to a server, for commands that spoil a connection. It ends with the object.
class spare_connection {
public:
    // `slot`: in a cluster, a hash slot of the primary to which the commands go.
    spare_connection(asio::any_io_executor const&, config const&, std::uint16_t slot);
    ~spare_connection();
    spare_connection(spare_connection const&) = delete;
    spare_connection& operator=(spare_connection const&) = delete;

    // Waits until it is connected; false: the server does not accept it in time.
    asio::awaitable<bool> opens();

    asio::awaitable<detail::command_reply> reply_to(std::vector<std::string> words);

    // The reply to a command of subscriptions, which has none if it succeeds: then the result is the reply to a PING
    // behind it. Afterwards replies and commands do not match any more: the connection is of no further use.
    asio::awaitable<detail::command_reply> reply_behind(std::vector<std::string> words);

private:
    std::uint16_t const slot_;
    client client_;
};

}  // namespace holdfast::cli

#endif
