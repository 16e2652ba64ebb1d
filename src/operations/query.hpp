//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_QUERY_HPP
#define HOLDFAST_QUERY_HPP

#include <memory>
#include <utility>

#include "core/deadline_queue.hpp"
#include "engine/context.hpp"
#include "engine/lock_protocol.hpp"
#include "engine/lock_spec.hpp"
#include "engine/script_call.hpp"
#include "engine/session.hpp"
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
    engine::context& engine() const noexcept { return *engine_; }

private:
    void begin(engine::context& c) override
    {
        engine_ = &c;
        if (auto const ec = c.admission_error())
            return finish(ec);
        c.arm(*this, c.now() + c.options().command_timeout);
        c.wait_ready(*this);
    }

    // Before it is sent: the client is ready, or was refused. After that: the client was stopped, and no reply will
    // come.
    void done(error_code ec) override
    {
        if (is_sent_ || ec) {
            engine_->disarm(*this);
            return finish(is_sent_ ? errc::client_stopped : ec);
        }
        is_sent_ = true;
        engine_->wait_stopped(*this);
        engine_->releaser().flush();
        script_call::send(engine_->session());
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
        engine_->disarm(*this);
        if (a.outcome == engine::outcome::applied)
            return finish({}, read(a.value));
        auto const failure = engine::classify_failure(a).error;
        engine_->telemetry().on_refused(failure, *lock_, a.words);
        refuse(failure ? failure : errc::unavailable);
    }

    // The reply to a query that was sent still comes, and retires it.
    void cancel(engine::context&) override
    {
        this->complete(asio::error::operation_aborted, Result());
        engine_->disarm(*this);
        if (is_sent_)
            return;
        unlink();
        this->retire();
    }

    std::shared_ptr<engine::lock_spec const> lock_;
    engine::context* engine_ = nullptr;
    bool is_sent_ = false;
};

}  // namespace holdfast::detail

#endif
