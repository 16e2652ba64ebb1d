//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_EVENT_FRAMES_HPP
#define HOLDFAST_CLI_DASHBOARD_EVENT_FRAMES_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "tool/dashboard/board.hpp"

namespace holdfast::cli::dashboard {

// What a stream of events has sent already. A stream has no queue: when its client is slow, it sends less often, and
// then the newest state.
struct event_cursor {
    bool has_begun = false;
    std::uint64_t table = 0;
    std::uint64_t history = 0;
    std::uint64_t curve = 0;
    std::uint64_t survey = 0;
};

// The next frames of a stream of server-sent events, and moves the cursor behind them; empty: there is nothing new. A
// call returns a limited number of locks, so the first state of 10,000 locks takes several.
//
//   hello    `greeting`, then everything: the page forgets what it knows
//   survey   the state of the survey
//   locks    [lock...]: new or changed
//   renewals [[id, remaining_ms...]...]: only times have changed
//   removed  [id...]
//   history  [event...], the oldest first
//   samples  [[wall_ms, held, waiting, acquired, ended]...], the oldest first
std::string next_frames(board const&, event_cursor&, std::string_view greeting, instant now);

}  // namespace holdfast::cli::dashboard

#endif
