//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_CONNECTION_HPP
#define HOLDFAST_CLI_CONNECTION_HPP

#include <chrono>
#include <functional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <holdfast/client.hpp>
#include <holdfast/config.hpp>

namespace holdfast::cli {

using body = std::function<asio::awaitable<int>(client&)>;

// For a command that asks one question: what goes wrong is told by its answer, not by log lines.
config quiet_config(std::string const& url);

// Runs the body with a client that has been started, then shuts that down, so that queued releases are sent. Returns
// what the body returns. Throws std::invalid_argument for a bad option.
int run_with_client(asio::io_context&, config const&, body const&);

// Waits for a connection, but not for long: somebody sits at the terminal, or cron wants an answer.
asio::awaitable<error_code> connect(client&);

// Says why a request could not be answered, in the server's words if it had any. Returns the exit status for it.
int complain_about(error_code, client const&);

}  // namespace holdfast::cli

#endif
