//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SHARED_ARBITER_HPP
#define HOLDFAST_ENGINE_SHARED_ARBITER_HPP

#include <vector>

#include "core/deadline_queue.hpp"
#include "engine/acquire/queued_arbiter.hpp"
#include "engine/acquire/reader_joining.hpp"

namespace holdfast::engine {

// The arbiter of the readers of one lock in this process. Readers that request the same lease time share a grant.
// Joining sends nothing while the last reply of the server is recent; later it sends one script, which renews the grant
// and returns whether a writer waits. If readers may not join, they seek a grant of their own and the server decides,
// so there may be several grants for a while.
//
// A reader that joins prolongs the grant for all. If the last reader that is valid leaves, or is lost, before that time
// is over, the grant ends with the validity of those that were lost, although their leases may exist for longer: it would
// keep writers out for no reader.
class shared_arbiter final : public queued_arbiter {
public:
    shared_arbiter(engine_parts const&, std::shared_ptr<lock_spec const>);
    ~shared_arbiter() override;

    void end_tenure(tenure&, release_waiter* waiter) override;
    void lose(tenure&, loss) override;
    void on_granted(boost::intrusive_ptr<grant>) override;
    void proceed() override;

private:
    class inquiry;

    // Lets in the readers that are left when a turn has let in as many as it may.
    class next_turn final : public core::deadline {
    public:
        explicit next_turn(shared_arbiter& a) noexcept : home_(a) {}
        void on_due(core::instant) override { home_.proceed(); }

    private:
        shared_arbiter& home_;
    };

    struct shared_grant {
        boost::intrusive_ptr<grant> of;
        joinability known = joinability::closed;  // when readers were last asked
    };

    core::instant unanswered_since() const noexcept override;
    void lose_all(loss) override;
    grant* grant_for(contender const&);
    bool may_be_joined(grant const&) const;
    bool is_fresh(grant const&) const;
    joinability joinability_of(grant const&) const;
    bool is_any_fresh();
    bool must_wait_for_writers(contender const&) const;
    void admit_where_fresh();
    void admit_readers(grant&);
    void await_next_turn();
    void drop(grant const&);
    void inquire(grant&);
    void on_inquired(grant&, error_code);
    void forget_unheld(grant&);
    bool outlasts_its_reads(grant&) const;

    std::vector<shared_grant> grants_;  // held
    reader_joining joining_;
    next_turn next_turn_{*this};
    bool writers_waited_ = false;     // in this process, when readers were last asked
    bool is_inquiring_ = false;       // a script whose reply shows whether readers may join is under way
    core::instant inquired_{};        // when it was sent
    core::duration const freshness_;  // how long after a reply readers join without another one
};

}  // namespace holdfast::engine

#endif
