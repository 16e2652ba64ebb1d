//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_ENVIRONMENT_HPP
#define HOLDFAST_REDIS_ENVIRONMENT_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>
#include <boost/redis/config.hpp>

#include <holdfast/config.hpp>

#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "redis/alarm.hpp"
#include "redis/machine.hpp"
#include "redis/url.hpp"
#include "session/environment.hpp"

namespace holdfast::redis {

// The environment of a session in production: connections over Boost.Redis to one endpoint, and the clock and the
// random numbers of this machine.
class environment final : public session::environment {
public:
    environment(
        engine::strand,
        endpoint const&,
        boost::asio::ssl::context,
        config const&,
        engine::log,
        std::weak_ptr<session::clock_events>);

    std::shared_ptr<session::connection> connect(
        std::weak_ptr<session::connection_events>, session::client_login const&) override;
    std::string server_name() const override { return server_name_; }
    core::instant now() const noexcept override { return boot_time(); }
    void wake_at(core::instant at) override { alarm_->wake_at(at); }
    void stop() noexcept override { alarm_->stop(); }
    std::uint64_t random() noexcept override { return jitter_.next(); }
    std::array<std::uint8_t, 16> identity() override { return random_bytes(); }
    std::uint64_t incarnation() const noexcept override { return count_of_forks(); }

private:
    engine::strand strand_;
    std::string const server_name_;
    boost::asio::ssl::context tls_;  // shared with each connection
    boost::redis::config const connection_config_;
    engine::log log_;
    jitter_source jitter_;
    std::shared_ptr<alarm> const alarm_;  // shared with the handler of its timer
};

}  // namespace holdfast::redis

#endif
