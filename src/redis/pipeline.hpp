//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_PIPELINE_HPP
#define HOLDFAST_REDIS_PIPELINE_HPP

#include <deque>
#include <memory>
#include <vector>

#include "core/clock.hpp"
#include "redis/batch.hpp"

namespace holdfast::redis {

// The batches of a session: the one that collects, those under way in the order of their sending, and spent ones that
// are kept for their memory. All commands have the same time to be answered, so the order of sending is that of the
// deadlines, and one timer, owned by the session, watches the first of them.
class pipeline {
public:
    explicit pipeline(core::duration command_timeout) : command_timeout_(command_timeout) {}

    batch& collecting();
    bool is_collecting() const noexcept { return collecting_ && !collecting_->empty(); }

    // Closes the collecting batch, which is under way from here on. Precondition: is_collecting().
    std::shared_ptr<batch> send(core::instant now);

    // All its replies were read.
    void finish(std::shared_ptr<batch> const&);

    // Gives up what had to be answered by now.
    void expire(core::instant now);

    // When to expire() next; core::never when nothing is under way.
    core::instant next_deadline() const noexcept;

    // The connection is not to be trusted any more: the next reply fails it.
    void distrust_all() noexcept;

    // The connection is lost: gives up everything, collected or under way.
    void give_up_all(core::instant now);

    void forget_all() noexcept;

    // Why the connection was made to fail; the session resets it for each connection.
    redis::fault fault;

private:
    std::shared_ptr<batch> fresh();

    core::duration command_timeout_;
    std::shared_ptr<batch> collecting_;
    std::deque<std::shared_ptr<batch>> under_way_;
    std::vector<std::shared_ptr<batch>> spent_;
};

}  // namespace holdfast::redis

#endif
