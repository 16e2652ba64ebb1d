//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_CLUSTER_CONNECTOR_HPP
#define HOLDFAST_REDIS_CLUSTER_CONNECTOR_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster_map.hpp"
#include "redis/connector.hpp"
#include "redis/url.hpp"
#include "session/connector.hpp"

namespace holdfast::redis {

// From where an address comes.
enum class origin { url, announced };

// Makes the connector to an endpoint with one host.
using connector_maker = std::function<std::unique_ptr<redis::connector>(endpoint const&, origin)>;

// Makes connections to nodes of a cluster in turn: each connection leads to the next node. It begins with those that it
// was given, one or more; the primaries of the last map follow them, so that the client finds the cluster again when
// all hosts of the URL were replaced, and then their replicas, of which some are left when all primaries were lost. Where
// a node can be reached may differ from connection to connection (config::node_address), so each one gets a connector of
// its own.
class cluster_connector final : public session::connector {
public:
    cluster_connector(endpoint given, origin, connector_maker);

    std::shared_ptr<session::connection> connect(std::weak_ptr<session::connection_events>) override;
    std::string server_name() const override { return redacted(current_); }
    void on_slots(core::cluster_map&) override;
    std::string_view host() const override { return current_.hosts.front().host; }

private:
    void place(core::cluster_primary&) const;

    endpoint const given_;
    origin const origin_;  // of the given nodes
    connector_maker const make_connector_;
    std::vector<host_and_port> nodes_;          // the given ones, then those of the last map
    std::vector<core::cluster_primary> known_;  // of the last map, with its replicas
    std::size_t next_ = 0;
    endpoint current_;  // of the current connection, or of the last one
    std::unique_ptr<redis::connector> connector_;
};

}  // namespace holdfast::redis

#endif
