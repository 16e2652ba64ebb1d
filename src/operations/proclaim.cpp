//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <utility>

#include "core/memory_end.hpp"
#include "engine/hold/grant.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "handle/mapped_handler.hpp"
#include "operations/query.hpp"
#include "operations/single_lease.hpp"

namespace holdfast::detail {
namespace {

// leadership::proclaim(): a script that changes the value while the leader holds the lock.
class proclaim_query final : public query<bool> {
public:
    proclaim_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        boost::intrusive_ptr<engine::tenure> leader,
        std::string value)
        : query(std::move(h), home, leader->shared_lock()), leader_(std::move(leader)), value_(std::move(value))
    {}

private:
    // As in raise_fence_query: the token of a grant that has ended is empty, and holds no lock.
    void send(engine::session& to, engine::script_form form) override
    {
        if (auto const& g = leader_->held_grant; g && token_.empty()) {
            token_ = g->token();
            term_ = std::to_string(g->fence);
        }
        engine::proclaim(to, *this, lock(), token_, {.term = term_, .value = value_}, form);
    }
    bool read(engine::reply const& r) override
    {
        bool const leads = r.integer == 1;
        if (auto& who = *lock().candidacy; leads) {
            who.record_in(term_);
            who.proclaimed = value_;
        }
        return leads;
    }

    boost::intrusive_ptr<engine::tenure> leader_;  // the leadership may be destroyed before the strand reads its grant
    std::string token_;
    std::string term_;
    std::string const value_;
};

}  // namespace

void single_lease::proclaim(std::string value, handler_at<void(error_code)> h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c))
        return complete_early<>(std::move(h), named(ec, lock().name));
    auto to = map_handler<bool>(
        std::move(h), [name = std::string(lock().name)](auto handler, described_error ec, bool leads) {
            core::run_or_end([&] { ec = ec || leads ? ec : named(errc::lease_lost, name); });
            std::move(handler)(std::move(ec));
        });
    launch<proclaim_query>(c, std::move(to), boost::intrusive_ptr<engine::tenure>(this), std::move(value));
}

}  // namespace holdfast::detail
