//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/renewal_schedule.hpp"

#include <algorithm>

#include "core/validity.hpp"

namespace holdfast::engine {
namespace {

using state = renewal_state;
using event = renewal_event;

constexpr bool is_due_at(event e) noexcept
{
    return e == event::due || e == event::due_closed || e == event::due_untaken;
}

// While renewals fail, a last one is sent just before the loss is reported: a server that accepts commands again shortly
// before the end then saves the lease. It leaves as much time for the reply as the holder gets to stop.
constexpr core::instant last_renewal(core::instant confirmed, core::duration lease) noexcept
{
    return core::valid_until(confirmed, lease) - 2 * core::stop_margin(lease);
}

}  // namespace

renewal_state next(renewal_state s, renewal_event e) noexcept
{
    switch (e) {
        case event::watched:
        case event::confirmed: return state::confirmed;
        case event::due: return s == state::confirmed ? state::sent : state::overdue;
        case event::due_closed:
        case event::unanswered: return state::overdue;
        // A refusal is a reply: it ends the silence of the server.
        case event::refused: return state::failed;
        case event::extension_unanswered: return is_unanswered(s) ? state::overdue : state::failed;
        case event::opened: return is_at_risk(s) ? state::overdue : state::sent;
        // An unanswered extension does not count against a later connection.
        case event::not_required: return is_at_risk(s) ? state::failed : state::confirmed;
        // A lease that its handler has not taken up expires: its handler may never run.
        case event::due_untaken: break;
    }
    return s;
}

void renewal_schedule::on(renewal_event e, core::instant now) noexcept
{
    bool const was_unanswered = is_unanswered(state_);
    state_ = next(state_, e);
    // A repetition does not end the silence of the server, a new connection does.
    bool const is_first = is_unanswered(state_) && (!was_unanswered || e == event::opened);
    if (is_first)
        unanswered_since_ = now;
    if (is_first || is_due_at(e))
        last_ = now;
}

core::instant renewal_schedule::due(core::instant confirmed, core::duration period) const noexcept
{
    auto const again = last_ + core::renewal_retry(period);
    auto const usual = is_unanswered(state_) ? again : std::max(again, core::renewal_due(confirmed, period));
    auto const last_one = last_renewal(confirmed, period);
    return is_at_risk() && last_ < last_one ? std::min(usual, last_one) : usual;
}

bool renewal_schedule::is_silent_too_long(core::instant now, core::duration period) const noexcept
{
    return is_unanswered(state_) && now - unanswered_since_ >= core::longest_silence(period);
}

}  // namespace holdfast::engine
