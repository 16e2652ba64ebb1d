//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TENURE_FACTS_HPP
#define HOLDFAST_ENGINE_TENURE_FACTS_HPP

#include "core/clock.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/runtime/telemetry.hpp"

namespace holdfast::engine {

// What is reported of a tenure at that time.
inline tenure_facts facts_of(tenure const& t, core::instant now) noexcept
{
    return {
        .lock = t.lock(),
        .label = label_of(t.owner()),
        .acquire = t.acquire(),
        .context = t.context().get(),
        .held = now - t.started(),
        .is_part = t.conditions().is_part};
}

}  // namespace holdfast::engine

#endif
