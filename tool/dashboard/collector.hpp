//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_COLLECTOR_HPP
#define HOLDFAST_CLI_DASHBOARD_COLLECTOR_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast/client.hpp>

#include "operations/lock_survey.hpp"
#include "operations/server_query.hpp"
#include "tool/cluster_view.hpp"
#include "tool/dashboard/board.hpp"
#include "tool/dashboard/pace.hpp"

namespace holdfast::cli::dashboard {

// Watches the locks of a server. Each step scans some keys for new locks, and looks at the known ones that were not
// observed for the longest time. In a cluster a primary that does not answer is passed over: it is asked again every
// second, and only for a short time, so that the locks of the others are still observed. Between two steps it waits:
// one interval after a complete pass over a small database, and longer whenever the server would spend more than
// the share of pace_for() of its time on the dashboard.
class collector {
public:
    collector(client& c, board& to, std::string pattern, std::chrono::milliseconds interval)
        : client_(c), board_(to), pattern_(std::move(pattern)), interval_(interval)
    {}

    // Runs until it is cancelled, or until the client has ended for good: then it returns that error.
    boost::asio::awaitable<error_code> run();

private:
    boost::asio::awaitable<error_code> step();
    void begin_pass_if_due(std::vector<detail::primary_part> const&);
    boost::asio::awaitable<error_code> look_at_all(std::vector<detail::primary_part> const&);
    boost::asio::awaitable<error_code> look_at(detail::primary_part const&, bool scans);
    boost::asio::awaitable<error_code> check(detail::primary_part const&, bool is_due);
    bool is_silent(detail::primary_part const&) const;
    boost::asio::awaitable<void> name_silent(std::vector<detail::primary_part> const&);
    boost::asio::awaitable<void> query_ranges(std::uint16_t slot);
    void pass_over();
    boost::asio::awaitable<void> follow_moved(detail::primary_part const&, detail::survey_page const&);
    void end_primary_if_due();
    void restart();
    boost::asio::awaitable<error_code> query(detail::survey_step, detail::survey_page&, pace::duration& took);
    void take(detail::survey_page&);
    bool is_between_passes() const { return next_ == "0" && primary_ == 0; }
    std::chrono::nanoseconds pause() const;

    client& client_;
    board& board_;
    std::string const pattern_;
    std::chrono::milliseconds const interval_;
    std::vector<std::uint16_t> silent_;  // one slot of each primary of a cluster that did not answer the last time
    std::vector<primary_range> ranges_;  // the addresses of the primaries
    instant next_trial_ = {};            // when the silent ones are asked again
    bool has_seen_all_ = true;           // no primary was passed over in this pass
    std::vector<std::uint16_t> slots_;   // one of each primary that the pass scans; of one server: one
    std::size_t primary_ = 0;            // that is being scanned
    std::string next_ = "0";             // its cursor
    instant pass_begun_ = {};
    pace::duration step_took_{0};
    pace::duration empty_took_{0};
    unsigned keys_ = 0;  // of the last step
};

}  // namespace holdfast::cli::dashboard

#endif
