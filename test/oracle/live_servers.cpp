//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/live_servers.hpp"

namespace holdfast::test::oracle {

redis_server& live_servers::at(unsigned i)
{
    if (!servers_[i]) {
        servers_[i] = std::make_unique<redis_server>(
            std::initializer_list<std::string>{"port 0", "user admin on nopass ~* &* +@all"});
        log_in(i);
    }
    return *servers_[i];
}

void live_servers::log_in(unsigned i)
{
    servers_[i]->command({"AUTH", "admin", "any"});
}

simulated::value live_servers::command(unsigned i, std::vector<std::string> const& words)
{
    return is_started(i) ? servers_[i]->command(words) : simulated::nil();
}

void live_servers::restart(unsigned i)
{
    if (!is_started(i))
        return;
    servers_[i]->restart();
    log_in(i);
}

void live_servers::kill_connections(unsigned i)
{
    for (auto const* const type : {"normal", "pubsub"})
        command(i, {"CLIENT", "KILL", "TYPE", type, "SKIPME", "yes"});
}

void live_servers::heal(unsigned i)
{
    command(i, {"CONFIG", "SET", "maxmemory", "0"});
    command(i, {"ACL", "SETUSER", "default", "+@all"});
}

// A command that the server has read from a connection but not executed must not be executed later.
void live_servers::clean()
{
    for (unsigned i = 0; i < server_count; ++i) {
        kill_connections(i);
        heal(i);
        command(i, {"FLUSHALL", "SYNC"});
        command(i, {"SCRIPT", "FLUSH", "SYNC"});
    }
}

}  // namespace holdfast::test::oracle
