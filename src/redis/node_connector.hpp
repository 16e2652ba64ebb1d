//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_NODE_CONNECTOR_HPP
#define HOLDFAST_REDIS_NODE_CONNECTOR_HPP

#include <memory>
#include <string>
#include <string_view>

#include "redis/connector.hpp"
#include "redis/seed_connector.hpp"
#include "redis/url.hpp"
#include "session/connector.hpp"

namespace holdfast::redis {

// Makes connections to one node of a cluster. Where the node can be reached may differ from connection to connection
// (config::node_address); what it announces does not.
class node_connector final : public session::connector {
public:
    // `announced` has one host.
    node_connector(endpoint announced, connector_maker);

    std::shared_ptr<session::connection> connect(
        std::weak_ptr<session::connection_events>, session::client_login const&) override;
    std::string server_name() const override { return redacted(announced_); }
    std::string_view host() const override { return announced_.hosts.front().host; }

private:
    endpoint const announced_;
    connector_maker const make_connector_;
    std::unique_ptr<redis::connector> connector_;
};

}  // namespace holdfast::redis

#endif
