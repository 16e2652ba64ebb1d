//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_EXCLUSIVE_ARBITER_HPP
#define HOLDFAST_ENGINE_EXCLUSIVE_ARBITER_HPP

#include "core/handoff_budget.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/queued_arbiter.hpp"

namespace holdfast::engine {

// The arbiter of a lock, or of one side of it, that one owner at a time holds, perhaps with several tenures. When the
// last one is released, the grant passes to the next contender of this process if the conditions of a hand-off are met
// (docs/architecture.md); otherwise the client releases it, and the server decides.
class exclusive_arbiter final : public core::pooled<exclusive_arbiter>, public queued_arbiter {
public:
    exclusive_arbiter(
        engine_parts const&,
        std::shared_ptr<lock_spec const>,
        bool is_private = false,
        boost::intrusive_ptr<grant> cover = {});

    void end_tenure(tenure&, release_waiter* waiter) override;
    void lose(tenure&, loss) override;
    void on_granted(boost::intrusive_ptr<grant>) override;
    void proceed() override;

private:
    bool is_held_here() const noexcept override;
    void lose_all(loss) override;
    bool may_hand_off(tenure const& last, contender const& to) const;
    void end_one_of_several(tenure&, release_waiter*);
    void serve(contender&);

    boost::intrusive_ptr<grant> grant_;  // held; null while there is none, or it is sought by the acquisition
    core::handoff_budget budget_;
};

}  // namespace holdfast::engine

#endif
