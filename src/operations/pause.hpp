//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_PAUSE_HPP
#define HOLDFAST_PAUSE_HPP

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <holdfast/detail/initiate.hpp>

#include "client/client_state.hpp"
#include "core/clock.hpp"

namespace holdfast::detail {

// A timer on the clock of a client: void(error_code). It ends after `least` and a random part of `spread`,
// at `limit` at the latest. Completes with errc::client_stopped when the client is stopped, or if it is
// shutting down at the start.
struct pause {
    std::shared_ptr<client_state> of;
    core::duration least;
    core::duration spread;
    core::instant limit;  // never: none

    void begin(handler_at<void(error_code)>) const;
};

// When an acquire ends that begins now and waits for so long; never: it has no limit.
inline core::instant deadline_of(client_state const& clock, std::optional<core::duration> wait) noexcept
{
    return wait ? clock.after(*wait) : core::never;
}

// Whether the deadline has passed. The clock of a client whose execution context has ended does not decide it: the next
// pause or attempt shows that the client has stopped.
inline bool has_passed(core::instant deadline, client_state const& clock) noexcept
{
    auto const now = clock.now();
    return deadline != core::never && now != core::never && deadline <= now;
}

// Whether no further attempt begins before the deadline. In the last millisecond the remaining wait, in whole
// milliseconds, is zero, which would mean one attempt that ends only with the servers' replies. The first attempt of an
// acquire has this time, too: a wait of one millisecond is less than that as soon as the clock moves.
inline bool is_over(core::instant deadline, client_state const& clock) noexcept
{
    return deadline != core::never && has_passed(deadline - std::chrono::milliseconds(1) + core::duration(1), clock);
}

}  // namespace holdfast::detail

#endif
