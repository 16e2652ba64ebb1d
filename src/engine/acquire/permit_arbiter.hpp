//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_PERMIT_ARBITER_HPP
#define HOLDFAST_ENGINE_PERMIT_ARBITER_HPP

#include <cstdint>

#include <boost/unordered/unordered_flat_set.hpp>

#include "core/handoff_budget.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/queued_arbiter.hpp"

namespace holdfast::engine {

// The arbiter of a semaphore. Each tenure has a grant of its own, so that losses, releases and cancellations concern
// one lease. While contenders wait, the acquisition seeks grants for the first of the queue, as many as one attempt may
// serve: the server grants them in that order, so a head that asks for many permits is not overtaken by those behind
// it.
//
// When a tenure ends:
//
// | condition, the first that applies                     | the grant             | then                              |
// |-------------------------------------------------------|-----------------------|-----------------------------------|
// | no contender waits                                    | is released           |                                   |
// | the hand-off budget is spent, no attempt is under way | is released, alone    | other processes have a turn       |
// | the hand-off budget is spent                          | is released           | the attempt under way goes on     |
// | the head may have this grant: see may_hand_off()      | passes to the head    | the acquisition seeks for the next|
// | else                                                  | is released           | its message leads to an attempt   |
class permit_arbiter final : public core::pooled<permit_arbiter>, public queued_arbiter {
public:
    permit_arbiter(engine_parts const&, std::shared_ptr<lock_spec const>);
    ~permit_arbiter() override;

    void end_tenure(tenure&, release_waiter* waiter) override;
    void lose(tenure&, loss) override;
    void on_granted(boost::intrusive_ptr<grant>) override;
    void proceed() override;

private:
    void lose_all(loss) override;
    bool may_hand_off(grant const&, tenure const& last, contender const& to) const;
    void release(boost::intrusive_ptr<grant>, release_waiter*, bool in_budget);

    boost::unordered_flat_set<grant*> grants_;  // held; the tenure of each keeps it
    core::handoff_budget budget_;
};

}  // namespace holdfast::engine

#endif
