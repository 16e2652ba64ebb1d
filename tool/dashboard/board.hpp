//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_BOARD_HPP
#define HOLDFAST_CLI_DASHBOARD_BOARD_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tool/dashboard/lock_table.hpp"
#include "tool/dashboard/moment.hpp"
#include "tool/dashboard/recent.hpp"

namespace holdfast::cli::dashboard {

// A line of the history.
struct event {
    enum class kind { acquired, ended, queued, left_queue, force_released, disconnected, connected };

    std::int64_t wall_ms = 0;
    kind what = kind::acquired;
    std::string name = {};  // of the lock; empty for an event of the connection
    holder who = {};
    std::string words = {};  // disconnected: why
};
constexpr std::size_t event_kinds = 7;

// Sums over all locks.
struct totals {
    std::array<std::uint64_t, 9> locks{};  // by recorded_kind
    std::uint64_t holders = 0;
    std::uint64_t queued = 0;       // waiters in the queues of fair locks
    std::uint64_t subscribers = 0;  // of the channels of unlock messages
};

// A point of the curves. The numbers of changes are those since the previous point.
struct sample {
    std::int64_t wall_ms = 0;
    std::uint64_t held = 0;  // locks
    std::uint64_t waiting = 0;
    std::uint64_t acquired = 0;
    std::uint64_t ended = 0;
};

// The state of the survey.
struct survey_state {
    bool is_connected = true;
    std::string words = {};                // why not
    std::int64_t since_ms = 0;             // of the connection or its loss
    bool is_complete = false;              // the first pass over all keys has ended
    std::chrono::milliseconds pass{0};     // the time that the last complete pass took
    std::vector<std::string> silent = {};  // the addresses of the primaries of a cluster that do not answer
    std::uint64_t steps = 0;
    std::uint64_t failures = 0;
    std::uint64_t revision = 1;  // of all that the page shows of it
};

// All that the dashboard knows, for its page, its JSON and its metrics. The collector writes it.
class board {
public:
    explicit board(moment opened) : opened_ms_(opened.wall_ms) { survey_.since_ms = opened.wall_ms; }

    void observe(detail::lock_record, moment);
    void end_pass(std::chrono::milliseconds took);
    void succeed(moment);
    void fail(std::string words, moment);
    // Of a cluster, while other primaries answer. Empty: all do.
    void set_silent(std::vector<std::string> addresses, moment);
    void note_force_release(std::string name, holder const& who, moment);

    // Adds a sample to the curves and removes the locks that are free for long.
    void tick(moment);

    lock_table const& table() const { return table_; }
    recent<event> const& history() const { return history_; }
    recent<sample> const& curve() const { return curve_; }
    survey_state const& survey() const { return survey_; }
    std::uint64_t count_of(event::kind what) const { return counts_[static_cast<std::size_t>(what)]; }
    std::int64_t opened_ms() const { return opened_ms_; }
    totals sum() const;

private:
    void add(event);

    std::int64_t const opened_ms_;
    lock_table table_;
    recent<event> history_{1'000};
    recent<sample> curve_{900};
    survey_state survey_;
    std::array<std::uint64_t, event_kinds> counts_{};
    std::uint64_t acquired_before_ = 0;  // at the last sample
    std::uint64_t ended_before_ = 0;
};

}  // namespace holdfast::cli::dashboard

#endif
