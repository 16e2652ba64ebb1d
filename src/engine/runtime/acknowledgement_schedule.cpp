//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/acknowledgement_schedule.hpp"

#include <algorithm>

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;
using enum acknowledgement_state;
using event = acknowledgement_event;
using step = acknowledgement_step;
using transition = acknowledgement_transition;

transition on_wanted(acknowledgement_state s) noexcept
{
    switch (s) {
        case closed: return {delayed, step::wait};
        case idle: return {gathering, step::gather};
        case asked: return {pressed, step::none};
        default: return {s, step::none};
    }
}

transition on_answered(acknowledgement_state s) noexcept
{
    switch (s) {
        case asked: return {idle, step::finish};
        case pressed: return {gathering, step::finish_gather};
        default: return {s, step::none};
    }
}

transition on_emptied(acknowledgement_state s) noexcept
{
    switch (s) {
        case delayed: return {closed, step::none};
        case gathering: return {idle, step::none};
        case pressed: return {asked, step::none};
        default: return {s, step::none};
    }
}

transition on_opened(acknowledgement_state s) noexcept
{
    switch (s) {
        case closed: return {idle, step::none};
        case delayed: return {gathering, step::gather};
        default: return {s, step::none};
    }
}

transition on_closed(acknowledgement_state s) noexcept
{
    switch (s) {
        case closed:
        case delayed: return {s, step::none};
        case idle: return {closed, step::none};
        default: return {closed, step::fail};
    }
}

}  // namespace

acknowledgement_transition next(acknowledgement_state s, acknowledgement_event e) noexcept
{
    switch (e) {
        case event::wanted: return on_wanted(s);
        case event::turn_end: return s == gathering ? transition{asked, step::ask} : transition{s, step::none};
        case event::answered: return on_answered(s);
        case event::emptied: return on_emptied(s);
        case event::opened: return on_opened(s);
        case event::closed: return on_closed(s);
        case event::due: break;
    }
    return s == delayed ? transition{closed, step::fail} : transition{s, step::none};
}

core::duration acknowledgement_timeout(core::duration lease) noexcept
{
    return std::clamp<core::duration>(lease / 20, 100ms, 500ms);
}

}  // namespace holdfast::engine
