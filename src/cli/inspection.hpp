//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_INSPECTION_HPP
#define HOLDFAST_CLI_INSPECTION_HPP

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>

namespace holdfast::cli {

// What the server knows of a lock, whatever its kind.
struct inspection {
    error_code ec;
    std::vector<holder> holders;
};

asio::awaitable<inspection> inspect(client&, std::string const& name);

// One line for each holder; "free" if there is none.
void print(std::string const& name, inspection const&);

}  // namespace holdfast::cli

#endif
