//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_INSPECTION_HPP
#define HOLDFAST_CLI_INSPECTION_HPP

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/client.hpp>
#include <holdfast/election.hpp>
#include <holdfast/semaphore.hpp>

namespace holdfast::cli {

// The holders and waiters of a lock of any kind, as the server records them. A latch has neither.
struct inspection {
    error_code ec;  // of the first operation that failed
    std::vector<holder> holders;
    std::vector<waiter> waiters;  // in order; only a fair lock has them on the server
    bool is_read_write = false;
    std::optional<waiter> waiting_writer = {};  // of a read_write_lock
    std::optional<permit_count> permits = {};   // of a semaphore
    std::optional<leader> leads = {};           // of an election
    std::string left = {};                      // of a latch: what is left to count
};

// The user gives a name, not a kind: the kind follows from the keys on the server. A semaphore is recognised while
// permits are held, an election while somebody leads, and a latch while it is closed.
asio::awaitable<inspection> inspect(client&, std::string const& name);

// The same for the name of a semaphore.
asio::awaitable<inspection> inspect_permits(client&, std::string const& name);

// Whether nobody holds it. A latch is free when it is open.
bool is_free(inspection const&);

// Deletes what was found under that name, as force_release() of its kind. Returns whether it was held.
asio::awaitable<bool> force_release(client&, std::string const& name, inspection const&, error_code&);

// Prints one line for each holder, or "free", then one for each waiter that the server knows. Of a semaphore, the permits
// first.
void print(std::string const& name, inspection const&);

}  // namespace holdfast::cli

#endif
