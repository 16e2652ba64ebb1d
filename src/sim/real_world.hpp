//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REAL_WORLD_HPP
#define HOLDFAST_TESTING_REAL_WORLD_HPP

#include <memory>
#include <random>
#include <string>
#include <string_view>

#include <boost/asio/steady_timer.hpp>

#include "engine/port/strand.hpp"
#include "session/environment.hpp"

namespace holdfast::simulated {

class memory_server;

// CLOCK_BOOTTIME, where there is one: it runs while the host sleeps (rule 2).
core::instant boot_time() noexcept;

// The environment of a session in production: real time on the user's executor, random numbers of the operating system,
// and a server in this process. On the strand, except now().
class real_world final : public session::environment {
public:
    real_world(
        engine::strand, std::string_view name, std::shared_ptr<memory_server>, std::weak_ptr<session::clock_events>);
    ~real_world();

    core::instant now() const noexcept override { return boot_time(); }
    void wake_at(core::instant) override;
    void stop() noexcept override;
    std::shared_ptr<session::connection> connect(
        std::weak_ptr<session::connection_events>, session::client_login const&) override;
    std::string server_name() const override { return name_; }
    std::uint64_t random() noexcept override { return random_(); }
    std::array<std::uint8_t, 16> identity() override;
    std::uint64_t incarnation() const noexcept override;

private:
    // Shared with the handlers of its timer, which may run after this object was destroyed.
    struct alarm;

    engine::strand strand_;
    std::string const name_;
    std::shared_ptr<memory_server> server_;
    std::mt19937_64 random_;
    std::shared_ptr<alarm> const alarm_;
};

}  // namespace holdfast::simulated

#endif
