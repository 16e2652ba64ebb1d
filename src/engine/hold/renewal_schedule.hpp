//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RENEWAL_SCHEDULE_HPP
#define HOLDFAST_ENGINE_RENEWAL_SCHEDULE_HPP

#include <cstdint>

#include "core/clock.hpp"

// When a grant is renewed next, and whether its leases are at risk (rule 16): states, events, the transition function,
// and the times that belong to them. All of it is pure, so that a unit test can try each pair of state and event. The
// watchdog sends the renewals, drops the connection, reports the risk and arms the deadlines.
namespace holdfast::engine {

enum class renewal_state : std::uint8_t {
    confirmed,  // not at risk, and no renewal is unanswered
    sent,       // not at risk: a renewal is unanswered, and the next one is not due yet
    overdue,    // at risk: a renewal is unanswered, or could not be sent
    failed,     // at risk: the last renewal failed, and none is unanswered
};

enum class renewal_event : std::uint8_t {
    watched,               // the first tenure holds the grant: after an acquisition or a hand-off
    due,                   // a renewal is due, and the connection is open: it is sent
    due_closed,            // a renewal is due, but no connection is open
    due_untaken,           // a renewal is due, but no handler has taken up its lease: none is sent
    confirmed,             // a renewal or an extension was applied
    refused,               // the server replied to a renewal with an error
    unanswered,            // the outcome of a renewal or an extension is unknown
    extension_unanswered,  // the same, but no hold requires renewals: the watchdog does not repeat it
    opened,                // an epoch begins, and a renewal is sent at once
    not_required,          // no hold requires renewals
};

// | state     | watched   | due     | due_closed | due_untaken | confirmed | refused |
// |-----------|-----------|---------|------------|-------------|-----------|---------|
// | confirmed |           | sent    | overdue    |             |           | failed  |
// | sent      | confirmed | overdue | overdue    |             | confirmed | failed  |
// | overdue   | confirmed |         |            |             | confirmed | failed  |
// | failed    | confirmed | overdue | overdue    |             | confirmed |         |
//
// | state     | unanswered | extension_unanswered | opened  | not_required |
// |-----------|------------|----------------------|---------|--------------|
// | confirmed | overdue    | failed               | sent    |              |
// | sent      | overdue    | overdue              |         | confirmed    |
// | overdue   |            |                      |         | failed       |
// | failed    | overdue    |                      | overdue |              |
//
// Where a table is empty, the state stays. The end of a connection is no event of its own: each renewal that was under
// way is then `unanswered`.
renewal_state next(renewal_state, renewal_event) noexcept;

constexpr bool is_at_risk(renewal_state s) noexcept
{
    return s == renewal_state::overdue || s == renewal_state::failed;
}

// Whether a renewal has no reply. One that could not be sent counts, too.
constexpr bool is_unanswered(renewal_state s) noexcept
{
    return s == renewal_state::sent || s == renewal_state::overdue;
}

// Whether the watchdog sends a renewal at that event.
constexpr bool is_sent_at(renewal_event e) noexcept
{
    return e == renewal_event::due || e == renewal_event::opened;
}

// The schedule of one grant: its state, and the times of its renewals. `period` is how long one reply of the server
// counts. The caller passes it each time, because it changes with the holds of the grant.
class renewal_schedule {
public:
    void on(renewal_event, core::instant now) noexcept;

    renewal_state state() const noexcept { return state_; }
    bool is_at_risk() const noexcept { return engine::is_at_risk(state_); }

    // When the next renewal is due: a third of the period after `confirmed`, the send of the last command that was
    // applied, and at least a sixth after the last renewal. While a renewal is unanswered, a sixth after the last one:
    // the client does not wait for a time-out. A grant at risk gets a last one just before its end.
    core::instant due(core::instant confirmed, core::duration period) const noexcept;
    // Whether renewals have been unanswered for so long that the client closes the connection.
    bool is_silent_too_long(core::instant now, core::duration period) const noexcept;

private:
    // When the last renewal was due, or an extension became unanswered. A hand-off does not change it.
    core::instant last_{};
    core::instant unanswered_since_{};  // in this epoch; has a meaning only while a renewal is unanswered
    renewal_state state_ = renewal_state::confirmed;
};

}  // namespace holdfast::engine

#endif
