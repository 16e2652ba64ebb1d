//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REAL_WORLD_HPP
#define HOLDFAST_TESTING_REAL_WORLD_HPP

#include <map>
#include <memory>
#include <random>

#include <boost/asio/steady_timer.hpp>

#include "engine/strand.hpp"
#include "testing/world.hpp"

namespace holdfast::simulated {

class memory_server;

// CLOCK_BOOTTIME where there is one: it goes on while the host sleeps.
core::instant boot_time() noexcept;

// Real time on the user's executor, and a server in this process.
class real_world final : public world {
public:
    real_world(engine::strand, std::shared_ptr<memory_server>);
    ~real_world();

    core::instant now() const noexcept override { return boot_time(); }
    void at(core::instant, std::function<void()>) override;
    void stop() noexcept override;
    std::shared_ptr<link> dial(std::weak_ptr<link_events>) override;
    std::uint64_t random() noexcept override { return random_(); }
    std::array<std::uint8_t, 16> identity() override;
    std::uint64_t incarnation() const noexcept override;

private:
    // Outlives the world while its timer's handler is under way.
    struct agenda;

    engine::strand strand_;
    std::shared_ptr<memory_server> server_;
    std::mt19937_64 random_;
    std::shared_ptr<agenda> agenda_;
};

}  // namespace holdfast::simulated

#endif
