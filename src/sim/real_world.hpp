//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REAL_WORLD_HPP
#define HOLDFAST_TESTING_REAL_WORLD_HPP

#include <memory>
#include <random>

#include "engine/port/strand.hpp"
#include "session/environment.hpp"
#include "sim/adjustable_clock.hpp"

namespace holdfast::simulated {

// The environment of a client of a server in memory: real time on the user's executor, and random numbers of the
// operating system. On the strand, except now().
class real_world final : public session::environment {
public:
    real_world(engine::strand const&, std::weak_ptr<session::clock_events>, std::shared_ptr<adjustable_clock>);
    ~real_world();

    core::instant now() const noexcept override { return clock_->now(); }
    void wake_at(core::instant) override;
    void stop() noexcept override;
    std::uint64_t random() noexcept override { return random_(); }
    std::array<std::uint8_t, 16> identity() override;
    std::uint64_t incarnation() const noexcept override;

private:
    // Shared with the handlers of its timer, which may run after this object was destroyed.
    struct alarm;

    std::mt19937_64 random_;
    std::shared_ptr<adjustable_clock> const clock_;
    std::shared_ptr<alarm> const alarm_;
};

}  // namespace holdfast::simulated

#endif
