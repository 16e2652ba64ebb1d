//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/node_connector.hpp"

#include <utility>

#include "redis/connection.hpp"

namespace holdfast::redis {

node_connector::node_connector(endpoint announced, connector_maker make)
    : announced_(std::move(announced)), make_connector_(std::move(make))
{}

std::shared_ptr<session::connection> node_connector::connect(
    std::weak_ptr<session::connection_events> to, session::client_login const& login)
{
    connector_ = make_connector_(announced_, origin::announced);
    return connector_->connect(std::move(to), login);
}

}  // namespace holdfast::redis
