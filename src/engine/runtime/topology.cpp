//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/topology.hpp"

#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

void topology::on_slots(bool changed)
{
    schedule_.note_slots(changed);
    carry_out(schedule_.on(topology_event::slots));
}

void topology::on_closed()
{
    runtime_.disarm(*this);
    carry_out(schedule_.on(topology_event::closed));
}

// drop() leads to on_closed() in a turn of its own.
void topology::carry_out(topology_step s)
{
    auto& seeds = runtime_.first_shard().session();
    switch (s) {
        case topology_step::none: return;
        case topology_step::wait: return arm();
        case topology_step::ask: seeds.request_slots(); return arm();
        case topology_step::leave: return seeds.drop("no answer to CLUSTER SLOTS");
    }
}

void topology::arm()
{
    runtime_.arm(*this, schedule_.deadline(runtime_.now(), runtime_.random()));
}

}  // namespace holdfast::engine
