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
// With config::acknowledged_by it counts when replicas have it: otherwise a failover could forget the token, and a
// later round would reach a smaller one.
class raise_fence_query final : public query<bool>, private engine::acknowledgement_waiter {
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

    // Waits in the engine's list for the stop, as before the reply.
    void conclude(engine::answer const& a, bool is_raised) override
    {
        auto& runtime = engine().runtime();
        if (!is_raised || !runtime.needs_acknowledgement())
            return finish({}, is_raised);
        engine().wait_stopped(*this);
        if (!runtime.await_acknowledgement(*this, server(), lock(), runtime.options().lease, a.sent))
            on_acknowledged({.what = engine::acknowledgement::kind::missing, .words = "the server is not known"});
    }
    void on_acknowledged(engine::acknowledgement const& a) override
    {
        client_waiter::unlink();
        if (a.what == engine::acknowledgement::kind::given)
            return finish({}, true);
        if (a.what == engine::acknowledgement::kind::unknown)
            return finish(errc::unavailable, false);
        finish(engine().runtime().telemetry().on_unacknowledged(lock(), a), false);
    }

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
