//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/cluster_connector.hpp"

#include <utility>

#include "redis/connection.hpp"

namespace holdfast::redis {

cluster_connector::cluster_connector(endpoint given, origin from, connector_maker make)
    : given_(std::move(given)), origin_(from), make_connector_(std::move(make)), nodes_(given_.hosts), current_(given_)
{}

std::shared_ptr<session::connection> cluster_connector::connect(
    std::weak_ptr<session::connection_events> to, session::client_login const& login)
{
    auto const place = next_++ % nodes_.size();
    current_.hosts = {nodes_[place]};
    connector_ = make_connector_(current_, place < given_.hosts.size() ? origin_ : origin::announced);
    return connector_->connect(std::move(to), login);
}

// A primary without a host, or with an unknown one ("?"), is at the address by which this connection was made.
void cluster_connector::on_slots(core::cluster_map& slots)
{
    nodes_ = given_.hosts;
    for (auto& p : slots.primaries) {
        if (p.host.empty() || p.host == "?")
            p.host = host();
        nodes_.push_back({p.host, p.port, p.name});
    }
}

}  // namespace holdfast::redis
