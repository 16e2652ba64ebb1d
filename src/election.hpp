//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ELECTION_HPP
#define HOLDFAST_ELECTION_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "ballot.hpp"
#include "coordinate.hpp"
#include "red_state.hpp"

namespace holdfast::detail {

// One acquire of a red_lock: rounds, until one of them brings a majority. After one that does not, everything is given back;
// then it waits for a server on which somebody else holds the lock, or a random time if nobody can have a majority.
class election {
public:
    // `clock`: of which client; it need not live any more.
    election(std::shared_ptr<red_state const>, std::shared_ptr<client_state> clock, acquire_request const&);

    asio::awaitable<outcome_of<lease>> run();

private:
    asio::awaitable<void> wait_for_turn(std::optional<turnstile::turn>&);
    asio::awaitable<bool> queue_up(std::optional<turnstile::turn>&);
    asio::awaitable<outcome_of<lease>> run_rounds();
    asio::awaitable<void> part(ballot const&);
    asio::awaitable<void> wait_at(std::size_t node);

    void change_clock();
    bool is_over() const noexcept;
    bool is_re_entry() const;
    void note(ballot const&);
    void tell(std::string const& why) const;
    outcome_of<lease> failure() const;

    std::shared_ptr<red_state const> const lock_;
    std::shared_ptr<client_state> clock_;
    acquire_request const request_;
    core::instant const deadline_;
    core::instant const last_answer_;  // what comes later has not come
    core::duration pause_;             // the longest before the next round
    std::size_t clocks_failed_ = 0;    // clients that were stopped while it waited by their clock
    std::vector<lease> kept_;          // for the next round, by node; none: nothing
    error_code failed_;
    std::shared_ptr<red_queue> queue_;  // that it stood in, if it did
    round_result last_ = round_result::inconclusive;
    std::string answers_;    // of the last round, in words
    std::string obstacles_;  // to a majority, as the log has them; empty: there was one
};

asio::awaitable<outcome_of<lease>> elect(
    std::shared_ptr<red_state const>, std::shared_ptr<client_state> clock, acquire_request);

}  // namespace holdfast::detail

#endif
