//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/node_address.hpp"

#include <exception>
#include <string>
#include <utility>

#include "core/printable.hpp"

namespace holdfast::redis {
namespace {

void warn(host_and_port const& announced, std::string const& what, engine::log const& log)
{
    log.warning(
        "node_address: " + what + " for " + announced.host + ':' + std::to_string(announced.port)
        + "; the client connects to that address");
}

}  // namespace

host_and_port reachable_address(host_and_port announced, config const& options, engine::log const& log)
{
    if (!options.node_address)
        return announced;
    try {
        auto mapped = options.node_address(announced.host, announced.port);
        if (!mapped.host.empty() && mapped.port != 0)
            return {std::move(mapped.host), mapped.port, announced.name.empty() ? announced.host : announced.name};
        warn(announced, "no host or no port", log);
    } catch (std::exception const& e) {
        warn(announced, "exception \"" + core::printable(e.what()) + '"', log);
    } catch (...) {
        warn(announced, "exception", log);
    }
    return announced;
}

}  // namespace holdfast::redis
