//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/topology_schedule.hpp"

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;
using enum topology_state;

constexpr core::duration answer_limit = 300ms;
// Besides those of the backoff, whose first pause is 50 ms at least: at most ten questions in a second, also while a
// seed that is out of date and MOVED name two nodes in turn.
constexpr core::duration further_pause = 50ms;
// Finds the changes that no command meets: a client that holds nothing for long starts with fresh slots.
constexpr core::duration usual_interval = 60s;

topology_transition to(topology_state s) noexcept
{
    return {s, s == asked ? topology_step::ask : topology_step::wait};
}

topology_transition stay(topology_state s) noexcept
{
    return {s, topology_step::none};
}

topology_transition on_slots(topology_state s) noexcept
{
    return to(s == doubted || s == delayed ? delayed : pausing);
}

topology_transition on_doubt(topology_state s) noexcept
{
    switch (s) {
        case settled: return to(asked);
        case asked: return stay(doubted);  // the limit of the answer stays armed
        case pausing: return stay(delayed);
        default: return stay(s);
    }
}

topology_transition on_due(topology_state s) noexcept
{
    switch (s) {
        case settled:
        case delayed: return to(asked);
        case asked:
        case doubted: return {asked, topology_step::leave};
        case pausing: return to(settled);
        case topology_state::closed: break;
    }
    return stay(s);
}

}  // namespace

topology_transition next(topology_state s, topology_event e) noexcept
{
    switch (e) {
        case topology_event::slots: return on_slots(s);
        case topology_event::doubt: return on_doubt(s);
        case topology_event::due: return on_due(s);
        case topology_event::closed: break;
    }
    return stay(topology_state::closed);
}

topology_step topology_schedule::on(topology_event e) noexcept
{
    auto const t = next(state_, e);
    state_ = t.next;
    return t.step;
}

void topology_schedule::note_slots(bool changed) noexcept
{
    if (changed)
        pauses_.reset();
}

core::instant topology_schedule::deadline(core::instant now, std::uint64_t random) noexcept
{
    switch (state_) {
        case asked:
        case doubted: return now + answer_limit;
        case pausing:
        case delayed: return now + further_pause + pauses_.next(random);
        default: return now + usual_interval * 4 / 5 + core::jitter(usual_interval * 2 / 5, random);
    }
}

}  // namespace holdfast::engine
