//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_CONNECTION_HPP
#define HOLDFAST_CLI_CONNECTION_HPP

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <holdfast/client.hpp>
#include <holdfast/config.hpp>

#include "tool/arguments.hpp"

namespace holdfast::cli {

using body = std::function<asio::awaitable<int>(client&)>;
using body_of_several = std::function<asio::awaitable<int>(std::deque<client>&)>;

// The options of a client without log lines: each subcommand prints the errors that concern its user.
config make_config(server_address const&);

// Runs the body with a client that is started, then shuts the client down, so that its queued releases are sent. Blocks
// until that is done. Returns the result of the body; throws its exception, or std::invalid_argument for an invalid
// option.
int run_with_client(asio::io_context&, config const&, body const&);

// The same with one client for each configuration.
int run_with_clients(asio::io_context&, std::vector<config> const&, body_of_several const&);

// How long the tool waits for a connection at most: a user at a terminal, or cron, needs an answer.
constexpr std::chrono::milliseconds longest_connect{5'000};

// Waits for a connection, for `limit`, but at least one and at most five seconds. Returns ok; otherwise prints the
// error and returns the exit status.
asio::awaitable<int> connect(client&, std::chrono::milliseconds limit);

// The same for the connections of a majority of the clients.
asio::awaitable<int> connect(std::deque<client>&, std::chrono::milliseconds limit);

// Whether the calling coroutine is cancelled: its errors are only a consequence then, and are not printed.
// Precondition: the caller has disabled throw_if_cancelled().
asio::awaitable<bool> is_cancelled();

// The server's error message if it is that of the last failure, otherwise the message of the error.
std::string words_for(error_code, client const&);

// Prints that message, and returns the exit status for the error.
int report_failure(error_code, client const&);

}  // namespace holdfast::cli

#endif
