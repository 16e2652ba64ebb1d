//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <utility>

#include "engine/hold/grant.hpp"
#include "operations/query.hpp"
#include "operations/single_lease.hpp"

namespace holdfast::detail {
namespace {

// The second exchange of a fenced red_lock: a script that writes the token of the lease to the counter of this server.
class raise_fence_query final : public query<bool> {
public:
    raise_fence_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        boost::intrusive_ptr<engine::tenure> holder,
        std::uint64_t fence)
        : query(std::move(h), home, holder->shared_lock()), holder_(std::move(holder)), fence_(std::to_string(fence))
    {}

private:
    // The grant may have ended since the launch: released, or lost. The token is empty then and matches no key, so the
    // reply is that the grant does not exist.
    void send(engine::session& to, engine::script_form form) override
    {
        if (auto const& g = holder_->held_grant; g && token_.empty())
            token_ = g->token();
        engine::raise_fence(to, *this, lock(), token_, fence_, form);
    }
    bool read(engine::reply const& r) override { return r.integer == 1; }

    boost::intrusive_ptr<engine::tenure> holder_;  // the lease may be destroyed before the strand reads its grant
    std::string token_;
    std::string const fence_;
};

}  // namespace

void single_lease::raise_fence(std::uint64_t fence, handler_at<void(error_code, bool)> h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c))
        return complete_early<bool>(std::move(h), ec, false);
    boost::intrusive_ptr<engine::tenure> self(this);
    launch<raise_fence_query>(c, std::move(h), std::move(self), fence);
}

}  // namespace holdfast::detail
