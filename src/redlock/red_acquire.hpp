//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_ACQUIRE_HPP
#define HOLDFAST_RED_ACQUIRE_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "composite/composite_account.hpp"
#include "composite/coordinate.hpp"
#include "operations/pause.hpp"
#include "redlock/red_lock_impl.hpp"
#include "redlock/red_round.hpp"

namespace holdfast::detail {

// One acquire of a red_lock, in a coroutine on a strand of its own. Contenders of one process queue, and only the first
// one runs rounds, until one of them has a majority. After a round without one it releases what it was granted. If
// another contender may hold a majority, it waits for one of the servers where the lock is held; if none can, the
// contenders have split the servers between them, and each waits for a random time.
class red_acquire {
public:
    // The client may be stopped already.
    red_acquire(std::shared_ptr<red_lock_impl const>, composite_lock::start);

    // Completes with a lease, with an empty lease (busy), or with an error.
    task<outcome_of<lease>> run();

private:
    task<outcome_of<lease>> run_in_turn();
    task<void> wait_for_turn(std::optional<fifo_mutex::turn>&);
    task<bool> queue_up(std::optional<fifo_mutex::turn>&);
    task<outcome_of<lease>> run_rounds();
    task<void> wait_before_next_round(red_round const&);
    task<void> wait_for_holder_at(std::size_t node);

    void change_clock();
    bool is_over() const noexcept { return detail::is_over(deadline_, *clock_); }
    // Whether the acquire has failed for a reason that waiting does not cure.
    bool is_final() const noexcept { return failed_ && failed_.code != errc::server_refused; }
    bool is_re_entry() const;
    void record(red_round const&);
    void log_no_majority(std::string const& why) const;
    outcome_of<lease> failure() const;

    std::shared_ptr<red_lock_impl const> const lock_;
    std::shared_ptr<client_state> clock_;  // never null, perhaps stopped
    acquire_request const request_;        // for the members
    bool const is_part_;                   // of a multi_lock
    composite_account account_;
    core::instant const deadline_;
    core::instant const last_answer_;  // replies that come later do not count
    core::duration pause_;             // the longest pause before the next round; it grows with each round
    std::shared_ptr<attempts_under_way> const open_;
    std::vector<lease> kept_;  // leases for the next round, by node; empty: none
    described_error failed_;
    bool is_cut_off_ = false;           // the last round was
    std::shared_ptr<red_queue> queue_;  // from which it gets its turn; null: it needs none
    round_result last_ = round_result::inconclusive;
    std::string answers_;    // the replies of the last round, as text for the log
    std::string shortfall_;  // why the last conclusive round had no majority; empty: it was won, or busy
};

}  // namespace holdfast::detail

#endif
