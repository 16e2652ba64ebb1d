//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/latch_wait.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/bounds.hpp"
#include "core/deadline_queue.hpp"
#include "core/latch_verdict.hpp"
#include "engine/client_engine.hpp"
#include "engine/protocol/latch_scripts.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {
namespace {

class latch_wait;

// Follows the state of a latch for one wait. It outlives the wait while the session has its command.
class latch_follower final : public engine::watch {
public:
    latch_follower(std::shared_ptr<engine::lock_spec const> l, latch_wait& to) : watch(l, l->channel), to_(to) {}

private:
    void submit(engine::session& to, engine::command& c, engine::script_form form) override
    {
        engine::read_latch(to, c, lock(), form);
    }
    core::duration on_state(engine::reply const& r) override;
    void on_failed(described_error const& ec) override;
    void on_unconnected() override;
    void on_stopped() override { on_failed(errc::client_stopped); }

    latch_wait& to_;
};

// latch::wait(). A deadline of its own ends a wait with a limit.
class latch_wait final : public operation<engine::request, bool>, private core::deadline {
public:
    latch_wait(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        std::shared_ptr<engine::lock_spec const> lock,
        latch_wait_options const& options)
        : operation(std::move(h), home),
          follower_(new latch_follower(std::move(lock), *this)),
          wait_(core::bounded(options.wait)),
          requires_connection_(options.require_connection),
          command_timeout_(home->options().command_timeout)
    {}

    // What the follower reads.
    void on_state(core::latch_state const& s)
    {
        switch (core::judge_latch(first_, s)) {
            case core::latch_verdict::open: return end({}, true);
            case core::latch_verdict::removed: return end(errc::latch_removed, false);
            case core::latch_verdict::closed: break;
        }
        if (!first_)
            begin_to_wait(s);
    }
    void on_failed(described_error const& ec) { end(ec, false); }
    void on_unconnected()
    {
        if (requires_connection_)
            end(unavailable(), false);
    }

private:
    void begin(engine::client_engine& c) override
    {
        engine_ = &c;
        if (auto const ec = c.runtime().admission_error(follower_->lock()))
            return finish(ec, false);
        if (requires_connection_ && c.runtime().shard_of(follower_->lock()).is_away())
            return finish(unavailable(), false);
        begun_ = c.runtime().now();
        if (wait_)
            c.runtime().arm(*this, begun_ + std::max(*wait_, command_timeout_));
        c.join(*follower_);
    }

    void begin_to_wait(core::latch_state const& s)
    {
        first_ = s;
        if (!wait_)
            return;
        // From here on the limit is that of the caller.
        auto const now = engine_->runtime().now();
        if (begun_ + *wait_ <= now)
            return end({}, false);
        engine_->runtime().arm(*this, begun_ + *wait_);
    }
    void on_due(core::instant) override { first_ ? end({}, false) : end(unavailable(), false); }
    described_error unavailable() const
    {
        return {errc::unavailable, engine_->runtime().why_silent(follower_->lock())};
    }
    void cancel(engine::client_engine&) override { end(asio::error::operation_aborted, false); }

    std::string_view subject() const noexcept override { return follower_->lock().name; }

    void end(described_error ec, bool is_open)
    {
        engine_->runtime().disarm(*this);
        engine_->leave(*follower_);
        finish(std::move(ec), is_open);
    }

    boost::intrusive_ptr<latch_follower> const follower_;
    std::optional<core::duration> const wait_;
    bool const requires_connection_;
    core::duration const command_timeout_;
    engine::client_engine* engine_ = nullptr;
    core::instant begun_{};
    std::optional<core::latch_state> first_;  // none: no state was read yet
};

core::duration latch_follower::on_state(engine::reply const& r)
{
    if (r.items.size() == 3)
        to_.on_state({r.items[0].integer, r.items[1].integer, r.items[2].integer});
    return core::duration::max();
}
void latch_follower::on_failed(described_error const& ec)
{
    to_.on_failed(ec);
}
void latch_follower::on_unconnected()
{
    to_.on_unconnected();
}

}  // namespace

void wait_for_latch(
    std::shared_ptr<client_state> const& c,
    handler_at<void(error_code, bool)> h,
    std::shared_ptr<engine::lock_spec const> lock,
    latch_wait_options const& options)
{
    launch<latch_wait>(c, std::move(h), std::move(lock), options);
}

}  // namespace holdfast::detail
