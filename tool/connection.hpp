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

namespace holdfast::cli {

using body = std::function<asio::awaitable<int>(client&)>;
using body_of_several = std::function<asio::awaitable<int>(std::deque<client>&)>;

// Without log lines: what goes wrong is told where it matters.
config make_config(std::string const& url);

// Runs the body with a client that has been started, then shuts that down, so that queued releases are sent. Returns
// what the body returns. Throws std::invalid_argument for a bad option.
int run_with_client(asio::io_context&, config const&, body const&);

// The same with a client for each.
int run_with_clients(asio::io_context&, std::vector<config> const&, body_of_several const&);

// Somebody sits at the terminal, or cron wants an answer.
constexpr std::chrono::milliseconds longest_connect{5'000};

// Waits for a connection, for one to five seconds. Returns ok, or complains and returns the exit status.
asio::awaitable<int> connect(client&, std::chrono::milliseconds limit);

// The same for a majority of them.
asio::awaitable<int> connect(std::deque<client>&, std::chrono::milliseconds limit);

// Whether the calling coroutine is being cancelled: its errors are nobody's concern then. It must not throw for that.
asio::awaitable<bool> is_cancelled();

// Why something failed, in the server's words if it had any.
std::string words_for(error_code, client const&);

// Says why a request could not be answered, in the server's words if it had any. Returns the exit status for it.
int complain_about(error_code, client const&);

}  // namespace holdfast::cli

#endif
