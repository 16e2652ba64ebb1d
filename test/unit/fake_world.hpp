//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_UNIT_FAKE_WORLD_HPP
#define HOLDFAST_TEST_UNIT_FAKE_WORLD_HPP

#include <array>
#include <cstdint>

#include "engine/port/world.hpp"

namespace holdfast::engine {

// Its clock stands still until the test moves it, and its alarm rings when the test calls the event.
class fake_world final : public world {
public:
    void start(world_events& e) override { events = &e; }
    void stop() noexcept override { is_stopped = true; }
    core::instant now() const noexcept override { return time; }
    void wake_at(core::instant when) override { alarm = when; }
    std::uint64_t random() noexcept override { return 0; }
    std::array<std::uint8_t, 16> identity() override { return {}; }
    bool is_inherited() const noexcept override { return false; }

    world_events* events = nullptr;
    bool is_stopped = false;
    core::instant time{};
    core::instant alarm = core::never;
};

}  // namespace holdfast::engine

#endif
