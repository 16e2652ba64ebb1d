//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/sentinel_connector.hpp"

#include <utility>

namespace holdfast::redis {

endpoint server_of(endpoint const& sentinels, host_and_port const& server)
{
    auto e = sentinels;
    e.transport = has_tls(sentinels) ? transport::tls : transport::tcp;
    e.hosts = {server};
    return e;
}

sentinel_connector::sentinel_connector(endpoint sentinels, connector_maker make)
    : sentinels_(std::move(sentinels)), make_connector_(std::move(make))
{}

std::shared_ptr<session::connection> sentinel_connector::connect(std::weak_ptr<session::connection_events> to)
{
    return connector_->connect(std::move(to));
}

std::string sentinel_connector::server_name() const
{
    auto const name = redacted(sentinels_);
    return connector_ ? name + " (" + to_text(master_) + ")" : name;
}

void sentinel_connector::on_master(session::master_address const& m)
{
    master_ = {m.host, m.port};
    connector_ = make_connector_(server_of(sentinels_, master_), origin::url);
}

}  // namespace holdfast::redis
