//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_ENVIRONMENT_HPP
#define HOLDFAST_REDIS_ENVIRONMENT_HPP

#include <array>
#include <cstdint>
#include <memory>

#include "engine/port/strand.hpp"
#include "redis/alarm.hpp"
#include "redis/machine.hpp"
#include "session/environment.hpp"

namespace holdfast::redis {

// The environment of a client in production: the clock and the random numbers of this machine.
class environment final : public session::environment {
public:
    environment(engine::strand const&, std::weak_ptr<session::clock_events>);

    core::instant now() const noexcept override { return boot_time(); }
    void wake_at(core::instant at) override { alarm_->wake_at(at); }
    void stop() noexcept override { alarm_->stop(); }
    std::uint64_t random() noexcept override { return jitter_.next(); }
    std::array<std::uint8_t, 16> identity() override { return random_bytes(); }
    std::uint64_t incarnation() const noexcept override { return count_of_forks(); }

private:
    jitter_source jitter_;
    std::shared_ptr<alarm> const alarm_;  // shared with the handler of its timer
};

}  // namespace holdfast::redis

#endif
