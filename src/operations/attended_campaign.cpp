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

class candidate_listener {
public:
    virtual void on_end(error_code, lease) = 0;

protected:
    ~candidate_listener() = default;
};

// The contender of a campaign that stands. It outlives the campaign if it is withdrawn while its attempt is under way: a
// lease that is granted then is destroyed here, which releases it.
class standing_candidate final : public lease_contender {
public:
    standing_candidate(wish w, candidate_listener& to) : lease_contender(std::move(w)), to_(&to) {}

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
    void failed(error_code ec) override { end(ec, lease()); }

private:
    // It is joined by join(), which needs no message.
    void deliver(engine::client_engine&) override {}
    void discard() noexcept override {}

    void end(error_code ec, lease l)
    {
        auto const keep = std::move(self_);
        if (to_)
            to_->on_end(ec, std::move(l));
    }

    candidate_listener* to_;                         // null: it was withdrawn
    boost::intrusive_ptr<standing_candidate> self_;  // from join() to its end
};

class attended_campaign final : public operation<engine::request, lease>,
                                public engine::client_waiter,
                                private core::deadline,
                                private candidate_listener {
public:
    attended_campaign(handler_type h, std::shared_ptr<client_state> const& home, engine::contender::wish w)
        : operation(std::move(h), home), wish_(std::move(w))
    {}

    // The client was stopped.
    void done(error_code) override { end(errc::client_stopped, lease()); }

private:
    void begin(engine::client_engine& c) override
    {
        engine_ = &c;
        deadline_ = wish_.wait ? runtime().now() + *wish_.wait : core::never;
        c.wait_stopped(*this);
        attend();
    }
    void cancel(engine::client_engine&) override { end(asio::error::operation_aborted, lease()); }
    void on_due(core::instant) override { attend(); }
    void on_end(error_code ec, lease l) override
    {
        candidate_ = nullptr;
        end(ec, std::move(l));
    }

    engine::runtime& runtime() const noexcept { return engine_->runtime(); }
    bool is_standing() const noexcept { return candidate_ != nullptr; }

    // The next question is put before anything else, because to stand may end the operation.
    void attend()
    {
        boost::intrusive_ptr<engine::request> const keep(this);
        auto const now = runtime().now();
        auto const next = now + health_interval(wish_.terms);
        bool const is_healthy = wish_.lock->candidacy->is_healthy();
        runtime().arm(*this, is_healthy || is_standing() ? next : std::min(next, deadline_));
        if (is_healthy)
            return is_standing() ? void() : stand(now);
        withdraw();
        stay_away(now);
    }
    void stand(core::instant now)
    {
        auto wish = wish_;
        if (wish.wait && *wish.wait > core::duration::zero())
            wish.wait = std::max<core::duration>(deadline_ - now, std::chrono::milliseconds(1));
        candidate_ = new standing_candidate(std::move(wish), *this);
        candidate_->join(*engine_);
    }
    void withdraw()
    {
        if (is_standing())
            std::exchange(candidate_, nullptr)->withdraw(runtime());
    }
    // A client that shuts down accepts no acquires.
    void stay_away(core::instant now)
    {
        if (now >= deadline_)
            end({}, lease());
        else if (auto const ec = runtime().admission_error(*wish_.lock))
            end(ec, lease());
    }

    void end(error_code ec, lease l)
    {
        unlink();
        runtime().disarm(*this);
        withdraw();
        finish(ec, std::move(l));
    }

    engine::contender::wish const wish_;
    engine::client_engine* engine_ = nullptr;
    core::instant deadline_ = core::never;
    boost::intrusive_ptr<standing_candidate> candidate_;  // null: it is away
};

}  // namespace

void launch_attended_campaign(
    std::shared_ptr<client_state> const& c, handler_at<void(error_code, lease)> h, engine::contender::wish w)
{
    launch<attended_campaign>(c, std::move(h), std::move(w));
}

}  // namespace holdfast::detail
