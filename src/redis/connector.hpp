//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_CONNECTOR_HPP
#define HOLDFAST_REDIS_CONNECTOR_HPP

#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/ssl/context.hpp>
#include <boost/redis/config.hpp>

#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "redis/connection.hpp"
#include "redis/url.hpp"
#include "session/connector.hpp"

namespace holdfast::redis {

// Makes connections over Boost.Redis to one endpoint.
class connector final : public session::connector {
public:
    connector(
        engine::strand, endpoint const&, boost::asio::ssl::context, engine::log, std::shared_ptr<addresses_of_host>);

    std::shared_ptr<session::connection> connect(std::weak_ptr<session::connection_events>) override;
    std::string server_name() const override { return server_name_; }
    void on_read_only() override { addresses_->choice.on_read_only(); }
    std::string_view host() const override { return host_; }

private:
    engine::strand strand_;
    std::string const server_name_;
    std::string const host_;         // empty: a UNIX socket
    boost::asio::ssl::context tls_;  // shared with each connection
    boost::redis::config const connection_config_;
    engine::log log_;
    std::shared_ptr<addresses_of_host> const addresses_;  // shared with each connection
};

}  // namespace holdfast::redis

#endif
