//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_CLUSTER_NODE_HPP
#define HOLDFAST_TEST_SUPPORT_CLUSTER_NODE_HPP

#include <cstdint>
#include <initializer_list>
#include <string>

#include "support/redis_server.hpp"

namespace holdfast::test {

// A server in cluster mode, without slots, that knows no other node. With more lines of redis.conf.
//
// It listens for other nodes on its port plus 10000: Redis 6.2 has no setting for another port. If that port is too
// large or taken, the server ends at once, and redis_server starts it on another one.
class cluster_node : public redis_server {
public:
    explicit cluster_node(std::vector<std::string> const& lines = {});
    cluster_node(std::initializer_list<std::string> lines) : cluster_node(std::vector(lines)) {}

    // Gives it the slots from 0 to `last`. Returns whether it then says that the cluster is in that state, "ok" or
    // "fail".
    bool add_slots(int last, std::string const& state);

    // How often clients asked it for CLUSTER SLOTS since add_slots().
    std::int64_t slots_requests();

private:
    // Redis 6.2 counts the subcommands of CLUSTER together.
    std::int64_t cluster_calls() { return calls("cluster|slots") + calls("cluster"); }

    std::int64_t own_calls_ = 0;
};

}  // namespace holdfast::test

#endif
