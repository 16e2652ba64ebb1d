//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_ROUND_HPP
#define HOLDFAST_RED_ROUND_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "composite/composite_account.hpp"
#include "composite/task.hpp"
#include "redlock/node_reply.hpp"
#include "redlock/red_lock_impl.hpp"
#include "redlock/round_replies.hpp"
#include "redlock/round_result.hpp"

namespace holdfast::detail {

// One round of a red_lock's acquire: it tries the locks of all servers at once, and ends as soon as the replies decide.
//
// With fencing, a second exchange follows. It writes the greatest of the granted tokens to every server where the grant
// still exists, and ends when a majority has confirmed. Any later majority shares a server with that one, and is
// therefore granted a greater token.
class red_round {
public:
    // `kept`: leases that the caller holds already, by node; or empty. No attempt is made on these servers.
    // `open`: the attempts of earlier rounds.
    red_round(
        std::shared_ptr<red_lock_impl const>,
        std::shared_ptr<client_state> clock,
        std::vector<lease> kept,
        std::shared_ptr<attempts_under_way> open);
    ~red_round();

    // Called once. Ends at `deadline`, or after `node_timeout` for each exchange, or when the caller is cancelled.
    task<void> run(acquire_request const&, core::instant deadline);

    // The following functions are valid after run().
    bool is_won() const noexcept { return !failed_ && granted_ >= lock_->quorum(); }
    // An error that another round would not cure.
    described_error const& failed() const noexcept { return failed_; }
    std::size_t busy() const noexcept { return busy_; }
    round_result result() const noexcept;
    // So many clients have no connection, which the acquire requires, that the others are no quorum.
    bool is_cut_off() const noexcept;
    // The first server on which another contender holds the lock. Precondition: busy() > 0.
    std::size_t busy_node() const noexcept;
    core::instant began() const noexcept { return began_; }
    // The replies as text for the log.
    std::string describe() const { return describe(false); }
    // Why servers do not count towards a majority, as text; empty: all of them do.
    std::string shortfall() const { return describe(true); }

    // Precondition: is_won().
    lease take_lease(std::unique_ptr<composite_hold>);
    // Releases all grants, including those that arrive later.
    void give_back() noexcept;

private:
    task<void> request_grants(acquire_request const&, core::instant limit);
    task<void> confirm_fence(core::instant limit);

    std::string describe(bool only_obstacles) const;
    void count();
    bool has_one_server_twice() const;
    std::string shared_node() const;
    described_error refuse(std::string const& what) const;
    std::vector<described_error> refusals() const;
    core::instant limit(core::instant deadline) noexcept;

    std::shared_ptr<red_lock_impl const> const lock_;
    std::shared_ptr<client_state> const clock_;
    core::instant const began_;
    acquire_request request_{};
    core::duration node_timeout_{};
    std::shared_ptr<round_replies> collected_;  // null: the lease was taken, and owns it
    std::vector<node_reply> replies_;           // by node
    std::size_t granted_ = 0;                   // grants that count
    std::size_t busy_ = 0;
    std::optional<std::uint64_t> fence_;
    described_error failed_;
    bool is_cut_short_ = false;  // the caller's deadline left less than node_timeout for an exchange
};

}  // namespace holdfast::detail

#endif
