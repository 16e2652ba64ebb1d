//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/attended_campaign.hpp"

#include <algorithm>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "core/deadline_queue.hpp"
#include "engine/acquire/contender_result.hpp"
#include "engine/client_engine.hpp"
#include "operations/operation.hpp"
#include "operations/single_lease.hpp"

namespace holdfast::detail {
namespace {

class attended_campaign;

// The contender of a campaign that stands. It outlives the campaign if it is withdrawn while its attempt is under way:
// a lease that is granted then is destroyed here, which releases it.
class standing_candidate final : public lease_contender {
public:
    standing_candidate(wish w, attended_campaign& to) : lease_contender(std::move(w)), to_(&to) {}

    void join(engine::client_engine& c)
    {
        self_ = this;
        c.join(*this);
    }
    void withdraw(engine::runtime& r)
    {
        to_ = nullptr;
        if (is_queued())
            leave(asio::error::operation_aborted);
        else
            call_off(r, *this);
    }

    void acquired(lease l) override { end({}, std::move(l)); }
    void busy() override { end({}, lease()); }
    void failed(described_error ec) override { end(std::move(ec), lease()); }

private:
    // It is joined by join(), which needs no message.
    void deliver(engine::client_engine&) override {}
    void discard() noexcept override {}

    void end(described_error, lease);

    attended_campaign* to_;                          // null: it was withdrawn
    boost::intrusive_ptr<standing_candidate> self_;  // from join() to its end
};

class attended_campaign final : public operation<engine::request, lease>,
                                public engine::client_waiter,
                                public engine::loss_waiter,
                                private core::deadline {
public:
    attended_campaign(handler_type h, std::shared_ptr<client_state> const& home, engine::contender::wish w)
        : operation(std::move(h), home), wish_(std::move(w))
    {}

    // The client shuts down or was stopped.
    void done(described_error) override { end(errc::client_stopped, lease()); }

    // While it settles. The engine is in the middle of the loss: the rest follows in an iteration of its own.
    void lost(loss) override { runtime().arm(*this, runtime().now()); }
    void failed(error_code) override { runtime().arm(*this, runtime().now()); }

    // The candidate has ended.
    void on_end(described_error ec, lease l)
    {
        candidate_ = nullptr;
        auto const* t = static_cast<single_lease const*>(lease_access::impl_of(l).get());
        auto const rest = t ? core::duration(t->held_grant->settle) : core::duration::zero();
        if (rest > core::duration::zero())
            return settle(std::move(l), rest);
        end(std::move(ec), std::move(l));
    }

private:
    enum class state { away, standing, settling };

    void begin(engine::client_engine& c) override
    {
        engine_ = &c;
        deadline_ = wish_.wait ? runtime().now() + *wish_.wait : core::never;
        c.wait_closed(*this);
        attend();
    }
    void cancel(engine::client_engine&) override { end(asio::error::operation_aborted, lease()); }
    void on_due(core::instant) override { attend(); }

    engine::runtime& runtime() const noexcept { return engine_->runtime(); }
    engine::candidacy const& candidacy() const noexcept { return *wish_.lock->candidacy; }

    // The next question is put before anything else, because what follows may end the operation.
    void attend()
    {
        boost::intrusive_ptr<engine::request> const keep(this);
        auto const now = runtime().now();
        bool const is_healthy = candidacy().is_healthy();
        if (!is_healthy || has_lost())
            leave();
        runtime().arm(*this, next_question(now, is_healthy));
        switch (state_) {
            case state::away: return is_healthy ? stand(now) : stay_away(now);
            case state::standing: return;
            case state::settling: return go_on_settling(now);
        }
    }
    // A contender ends by itself when its wait is over.
    core::instant next_question(core::instant now, bool is_healthy) const
    {
        auto const next = now + health_interval(wish_.terms);
        switch (state_) {
            case state::away: return is_healthy ? next : std::min(next, deadline_);
            case state::standing: return next;
            case state::settling: break;
        }
        return std::min({next, deadline_, settled_});
    }

    // ---- away
    void stand(core::instant now)
    {
        auto wish = wish_;
        if (wish.wait && *wish.wait > core::duration::zero())
            wish.wait = std::max<core::duration>(deadline_ - now, std::chrono::milliseconds(1));
        state_ = state::standing;
        candidate_ = new standing_candidate(std::move(wish), *this);
        candidate_->join(*engine_);
    }
    void stay_away(core::instant now)
    {
        if (now >= deadline_)
            end({}, lease());
        else if (auto const ec = runtime().admission_error(*wish_.lock))
            end(ec, lease());
    }

    // ---- settling
    // The lock has been granted, and the engine is in the middle of that: the rest follows in an iteration of its own.
    void settle(lease l, core::duration rest)
    {
        state_ = state::settling;
        won_ = std::move(lease_access::impl_of(l));
        settled_ = runtime().now() + rest;
        runtime().arm(*this, runtime().now());
    }
    void go_on_settling(core::instant now)
    {
        if (now >= settled_)
            return lead();
        if (now >= deadline_)
            return end({}, lease());
        if (!loss_waiter::is_linked())
            watch();
    }
    // Taken up, so that the watchdog renews it.
    void watch()
    {
        won_->take_up(true);
        engine_->watch_loss(*won(), *this);
    }
    void lead()
    {
        won_->take_up(false);
        end({}, lease_access::make(std::exchange(won_, nullptr)));
    }
    bool has_lost() const { return state_ == state::settling && won()->is_lost(); }
    single_lease* won() const { return static_cast<single_lease*>(won_.get()); }

    // Away from the queue, and from the lock. The release is queued here, not by the destructor of a lease: it must be
    // sent before the next attempt, for which a leader that is still in the record has not resigned.
    void leave()
    {
        state_ = state::away;
        loss_waiter::unlink();
        if (candidate_)
            std::exchange(candidate_, nullptr)->withdraw(runtime());
        if (won_)
            engine_->leave(*won(), nullptr);
        won_.reset();
    }
    std::string_view subject() const noexcept override { return wish_.lock->name; }

    void end(described_error ec, lease l)
    {
        client_waiter::unlink();
        runtime().disarm(*this);
        leave();
        finish(std::move(ec), std::move(l));
    }

    engine::contender::wish const wish_;
    engine::client_engine* engine_ = nullptr;
    core::instant deadline_ = core::never;
    state state_ = state::away;
    boost::intrusive_ptr<standing_candidate> candidate_;  // while it stands
    lease_ptr won_;                                       // while it settles
    core::instant settled_ = core::never;
};

void standing_candidate::end(described_error ec, lease l)
{
    auto const keep = std::move(self_);
    if (to_)
        to_->on_end(std::move(ec), std::move(l));
}

}  // namespace

void launch_attended_campaign(
    std::shared_ptr<client_state> const& c, handler_at<void(error_code, lease)> h, engine::contender::wish w)
{
    launch<attended_campaign>(c, std::move(h), std::move(w));
}

}  // namespace holdfast::detail
