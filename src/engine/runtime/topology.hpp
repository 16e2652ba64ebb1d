//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TOPOLOGY_HPP
#define HOLDFAST_ENGINE_TOPOLOGY_HPP

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "engine/runtime/topology_schedule.hpp"

namespace holdfast::engine {

class runtime;

// Asks a seed for the slots of a cluster when topology_schedule says so. A client of one server calls none of its
// functions. On the strand.
class topology final : private core::deadline {
public:
    explicit topology(runtime& r) noexcept : runtime_(r) {}
    topology(topology const&) = delete;
    topology& operator=(topology const&) = delete;

    // A seed has told the slots. `changed`: they differ from the last ones.
    void on_slots(bool changed);
    // The slots may be out of date.
    void on_doubt() { carry_out(schedule_.on(topology_event::doubt)); }
    // The connection to the seed is lost.
    void on_closed();

    // Whether there was a doubt that the last answer does not settle, because the seed was asked before it.
    bool is_in_doubt() const noexcept { return schedule_.state() == topology_state::delayed; }
    // Whether its deadline is armed, which it is also when nothing is under way.
    bool is_waiting() const noexcept { return is_armed(); }

private:
    void on_due(core::instant) override { carry_out(schedule_.on(topology_event::due)); }
    void carry_out(topology_step);
    void arm();

    runtime& runtime_;
    topology_schedule schedule_;
};

}  // namespace holdfast::engine

#endif
