//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_LIVE_SERVERS_HPP
#define HOLDFAST_TEST_ORACLE_LIVE_SERVERS_HPP

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "oracle/locks.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test::oracle {

// The redis-servers of programs that run one after the other; started at first use. For one thread.
class live_servers {
public:
    // The URL of a server.
    std::string url(unsigned i) { return at(i).url(); }
    bool is_started(unsigned i) const noexcept { return servers_[i] != nullptr; }

    // Sends a command as a user that faults do not affect; the reply is nil when the server was not started.
    simulated::value command(unsigned i, std::vector<std::string> const& words);

    void restart(unsigned i);
    void kill_connections(unsigned i);
    // Ends all faults except a pause, which ends by itself.
    void heal(unsigned i);
    // Restores a new server's state: no data, no scripts, no connections.
    void clean();

private:
    redis_server& at(unsigned i);
    void log_in(unsigned i);

    std::array<std::unique_ptr<redis_server>, server_count> servers_;
};

}  // namespace holdfast::test::oracle

#endif
