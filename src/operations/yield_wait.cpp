//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <cstdint>
#include <memory>
#include <utility>

#include <holdfast/election.hpp>

#include "core/deadline_queue.hpp"
#include "engine/client_engine.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "operations/attended_campaign.hpp"
#include "operations/operation.hpp"
#include "operations/single_lease.hpp"

namespace holdfast::detail {
namespace {

class yield_wait;

// Follows who comes next, for one leader. It outlives the wait while the session has its command.
class candidate_follower final : public engine::watch {
public:
    candidate_follower(std::shared_ptr<engine::lock_spec const> l, yield_wait& to)
        : watch(l, l->candidacy->leader_channel), to_(to)
    {}

private:
    void submit(engine::session& to, engine::command& c, engine::script_form form) override
    {
        engine::read_next_candidate(to, c, lock(), form);
    }
    core::duration on_state(engine::reply const& r) override;
    void on_failed(described_error const& ec) override;
    void on_closing() override;
    void on_stopped() override { on_failed(errc::client_stopped); }

    yield_wait& to_;
};

// leadership::asked_to_yield(). Ends with the leadership at the latest.
class yield_wait final : public operation<engine::request, yield_reason>,
                         public engine::loss_waiter,
                         private core::deadline {
public:
    yield_wait(handler_type h, std::shared_ptr<client_state> const& home, boost::intrusive_ptr<engine::tenure> leader)
        : operation(std::move(h), home),
          leader_(std::move(leader)),
          follower_(new candidate_follower(leader_->shared_lock(), *this))
    {}

    void lost(loss) override { end(errc::lease_lost, {}); }
    void failed(error_code ec) override { end(ec, {}); }

    // What the follower reads. The priority is that of the candidate that comes next; 0: there is none.
    void on_next_candidate(std::int64_t priority)
    {
        if (priority > candidacy().priority)
            end({}, yield_reason::better_candidate);
    }
    void on_closing() { end({}, yield_reason::client_stopping); }
    void on_failed(described_error const& ec) { end(ec, {}); }

private:
    // A leadership that has ended completes the operation within watch_loss(). The follower is not told again of a
    // shutdown that has begun.
    void begin(engine::client_engine& c) override
    {
        engine_ = &c;
        c.watch_loss(*leader_, *this);
        if (!is_complete() && c.runtime().lifecycle().is_closing())
            return on_closing();
        if (!is_complete())
            c.join(*follower_);
        if (!is_complete() && candidacy().healthy)
            ask_for_health();
    }
    void ask_for_health()
    {
        if (!candidacy().is_healthy())
            return end({}, yield_reason::unhealthy);
        auto& runtime = engine_->runtime();
        runtime.arm(*this, runtime.now() + health_interval(leader_->conditions()));
    }
    void on_due(core::instant) override { ask_for_health(); }
    void cancel(engine::client_engine&) override { end(asio::error::operation_aborted, {}); }

    engine::candidacy const& candidacy() const noexcept { return *follower_->lock().candidacy; }

    std::string_view subject() const noexcept override { return follower_->lock().name; }

    void end(described_error ec, yield_reason why)
    {
        unlink();
        engine_->runtime().disarm(*this);
        engine_->leave(*follower_);
        finish(std::move(ec), why);
    }

    boost::intrusive_ptr<engine::tenure> const leader_;  // the leadership may be destroyed meanwhile
    boost::intrusive_ptr<candidate_follower> const follower_;
    engine::client_engine* engine_ = nullptr;
};

core::duration candidate_follower::on_state(engine::reply const& r)
{
    to_.on_next_candidate(r.integer);
    return core::duration::max();
}
void candidate_follower::on_failed(described_error const& ec)
{
    to_.on_failed(ec);
}
void candidate_follower::on_closing()
{
    to_.on_closing();
}

}  // namespace

void single_lease::asked_to_yield(handler_at<void(error_code, yield_reason)> h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c))
        return complete_early<yield_reason>(std::move(h), named(ec, lock().name), {});
    launch<yield_wait>(c, std::move(h), boost::intrusive_ptr<engine::tenure>(this));
}

}  // namespace holdfast::detail
