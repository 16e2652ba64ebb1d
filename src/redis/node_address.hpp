//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_NODE_ADDRESS_HPP
#define HOLDFAST_REDIS_NODE_ADDRESS_HPP

#include <holdfast/config.hpp>

#include "engine/port/log.hpp"
#include "redis/url.hpp"

namespace holdfast::redis {

// Where this client reaches a node that announces that address (config::node_address). What the function does not
// map stays as it is, with a warning. The name of the certificate stays in any case.
host_and_port reachable_address(host_and_port announced, config const&, engine::log const&);

}  // namespace holdfast::redis

#endif
