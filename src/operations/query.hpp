//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_QUERY_HPP
#define HOLDFAST_QUERY_HPP

#include <memory>
#include <utility>

#include "core/deadline_queue.hpp"
#include "engine/client_engine.hpp"
#include "engine/port/script_call.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {

// A query about a lock, which does not pass through its arbiter. Waits for a connection and for the reply, together for
// at most command_timeout.
template <class Result>
class query : public operation<engine::request, Result>,
              public engine::script_call,
              public engine::client_waiter,
              public core::deadline {
public:
    using handler_type = typename operation<engine::request, Result>::handler_type;

    query(handler_type h, std::shared_ptr<client_state> const& home, std::shared_ptr<engine::lock_spec const> lock)
        : operation<engine::request, Result>(std::move(h), home), lock_(std::move(lock))
    {}

protected:
    virtual void send(engine::session&, engine::script_form) = 0;
    virtual Result read(engine::reply const&) = 0;
    virtual void refuse(error_code ec) { finish(ec); }

    void finish(error_code ec, Result r = {})
    {
        if (!this->is_complete())
            this->complete(ec, std::move(r));
        this->retire();
    }

    engine::lock_spec const& lock() const noexcept { return *lock_; }
    engine::client_engine& engine() const noexcept { return *engine_; }

private:
    void begin(engine::client_engine& c) override
    {
        engine_ = &c;
        if (auto const ec = c.runtime().lifecycle().admission_error())
            return finish(ec);
        c.runtime().arm(*this, c.runtime().now() + c.runtime().options().command_timeout);
        c.wait_ready(*this);
    }

    // Before it is sent: the client is ready, or was refused. After that: the client was stopped, and no reply will
    // come.
    void done(error_code ec) override
    {
        if (is_sent_ || ec) {
            engine_->runtime().disarm(*this);
            return finish(is_sent_ ? errc::client_stopped : ec);
        }
        is_sent_ = true;
        engine_->wait_stopped(*this);
        engine_->flush_releases();
        script_call::send(engine_->runtime().session());
    }

    // command_timeout is over. Once the query is sent, its reply retires it.
    void on_due(core::instant) override
    {
        if (is_sent_ && !this->is_complete())
            return this->complete(errc::unavailable, Result());
        if (is_sent_)
            return;
        unlink();
        finish(errc::unavailable);
    }

    void submit(engine::session& to, engine::command&, engine::script_form form) override { send(to, form); }
    bool is_wanted() const override { return !this->is_complete(); }

    void on_reply(engine::answer const& a) override
    {
        unlink();
        engine_->runtime().disarm(*this);
        if (a.outcome == engine::outcome::applied)
            return finish({}, read(a.value));
        auto const failure = engine::classify_failure(a).error;
        engine_->runtime().telemetry().on_refused(failure, *lock_, a.words);
        refuse(failure ? failure : errc::unavailable);
    }

    // The reply to a query that was sent still comes, and retires it.
    void cancel(engine::client_engine&) override
    {
        this->complete(asio::error::operation_aborted, Result());
        engine_->runtime().disarm(*this);
        if (is_sent_)
            return;
        unlink();
        this->retire();
    }

    std::shared_ptr<engine::lock_spec const> lock_;
    engine::client_engine* engine_ = nullptr;
    bool is_sent_ = false;
};

}  // namespace holdfast::detail

#endif
