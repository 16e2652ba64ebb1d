//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BALLOT_HPP
#define HOLDFAST_BALLOT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "ballot_box.hpp"
#include "red_state.hpp"
#include "round_result.hpp"
#include "vote.hpp"

namespace holdfast::detail {

// One round of an election: every server is asked at once, and what they say is counted as soon as it decides. With fencing
// a second round follows, which writes the greatest of the granted tokens wherever our grant still stands, until a majority
// has confirmed it: any later majority shares a server with that one, and grants a greater one.
class ballot {
public:
    // `kept`: leases that are held already, by node; or none.
    ballot(std::shared_ptr<red_state const>, std::shared_ptr<client_state> clock, std::vector<lease> kept);
    ~ballot();

    // No later than that, and `node_timeout` for each of the rounds.
    asio::awaitable<void> cast(acquire_request const&, core::instant deadline);

    bool is_won() const noexcept { return !failed_ && granted_ >= lock_->quorum(); }
    // What waiting would not cure.
    error_code failed() const noexcept { return failed_; }
    std::size_t busy() const noexcept { return busy_; }
    round_result result() const noexcept;
    // The first on which somebody else holds the lock. Precondition: busy() > 0.
    std::size_t busy_node() const noexcept;
    core::instant began() const noexcept { return began_; }
    // What each server said.
    std::string describe() const;
    // What keeps each server from counting; empty: nothing does.
    std::string obstacles() const;

    // Precondition: is_won().
    lease win();
    void give_back() noexcept;

private:
    asio::awaitable<void> ask_for_grants(acquire_request const&, core::instant limit);
    asio::awaitable<void> spread_fence(core::instant limit);

    void count();
    bool has_twins() const;
    std::vector<error_code> permanent_errors() const;
    core::instant limit(core::instant deadline) noexcept;

    std::shared_ptr<red_state const> const lock_;
    std::shared_ptr<client_state> const clock_;
    core::instant const began_;
    core::duration node_timeout_{};
    std::shared_ptr<ballot_box> box_;  // until it was won
    std::vector<vote> votes_;          // by node
    std::size_t granted_ = 0;          // nodes that count
    std::size_t busy_ = 0;
    std::optional<std::uint64_t> fence_;
    error_code failed_;
    bool is_cut_short_ = false;  // it had less than node_timeout
};

}  // namespace holdfast::detail

#endif
