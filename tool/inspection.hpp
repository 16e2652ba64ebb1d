//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_INSPECTION_HPP
#define HOLDFAST_CLI_INSPECTION_HPP

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/client.hpp>

namespace holdfast::cli {

// What the server knows of a lock, whatever its kind.
struct inspection {
    error_code ec;
    std::vector<holder> holders;
    std::vector<holder> waiters;  // in order; only fair locks know them
    bool is_read_write = false;
};

asio::awaitable<inspection> inspect(client&, std::string const& name);

// A handle that can take it away.
any_lock handle_of(client&, std::string const& name, inspection const&);

// One line for each holder, "free" if there is none, then one for each waiter.
void print(std::string const& name, inspection const&);

}  // namespace holdfast::cli

#endif
