//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/cluster_connector.hpp"

#include <algorithm>
#include <utility>

#include "redis/connection.hpp"

namespace holdfast::redis {

cluster_connector::cluster_connector(endpoint given, origin from, connector_maker make)
    : given_(std::move(given)), origin_(from), make_connector_(std::move(make)), nodes_(given_.hosts), current_(given_)
{}

std::shared_ptr<session::connection> cluster_connector::connect(std::weak_ptr<session::connection_events> to)
{
    auto const place = next_++ % nodes_.size();
    current_.hosts = {nodes_[place]};
    connector_ = make_connector_(current_, place < given_.hosts.size() ? origin_ : origin::announced);
    return connector_->connect(std::move(to));
}

void cluster_connector::on_slots(core::cluster_map& slots)
{
    nodes_ = given_.hosts;
    std::vector<core::cluster_primary> known;
    for (auto* const some : {&slots.primaries, &slots.replicas})
        for (auto& n : *some) {
            place(n);
            nodes_.push_back({n.host, n.port, n.name});
            known.push_back(n);
        }
    known_ = std::move(known);
}

// A node without a host is at the address by which this connection was made. One with an unknown host ("?") is where it
// was, and if no node has told of it before, there, too. Port 0: the nodes have found another node at its address, so
// nobody knows where it is; sought where it was it is found if it returns.
void cluster_connector::place(core::cluster_primary& n) const
{
    auto const known = std::ranges::find(known_, n.id, &core::cluster_primary::id);
    bool const was_known = !n.id.empty() && known != known_.end();
    if (was_known && (n.host == "?" || n.port == 0))
        n.host = known->host;
    if (was_known && n.port == 0)
        n.port = known->port;
    if (n.host.empty() || n.host == "?")
        n.host = host();
}

}  // namespace holdfast::redis
