//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_SENTINEL_CONNECTOR_HPP
#define HOLDFAST_REDIS_SENTINEL_CONNECTOR_HPP

#include <memory>
#include <string>
#include <string_view>

#include "redis/cluster_connector.hpp"
#include "redis/connector.hpp"
#include "redis/url.hpp"
#include "session/connector.hpp"

namespace holdfast::redis {

// The endpoint of one server of a URL with sentinels: of a sentinel, or of the master that they name.
endpoint server_of(endpoint const& sentinels, host_and_port const&);

// Makes connections to the master that the sentinels have named last.
class sentinel_connector final : public session::connector {
public:
    sentinel_connector(endpoint sentinels, connector_maker);

    // Precondition: on_master() was called.
    std::shared_ptr<session::connection> connect(std::weak_ptr<session::connection_events>) override;
    std::string server_name() const override;
    void on_master(session::master_address const&) override;
    std::string_view host() const override { return master_.host; }

private:
    endpoint const sentinels_;
    connector_maker const make_connector_;
    host_and_port master_;
    std::unique_ptr<redis::connector> connector_;  // to the master
};

}  // namespace holdfast::redis

#endif
