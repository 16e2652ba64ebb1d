//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_QUERY_HPP
#define HOLDFAST_QUERY_HPP

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/deadline_queue.hpp"
#include "engine/client_engine.hpp"
#include "engine/port/script_call.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {

// A command that does not pass through an arbiter: it reads a lock, deletes it by force, or reads from the server. It
// waits for a connection and for the reply, together for at most command_timeout.
//
// Before it is sent, it is in the engine's list of waiters for an epoch; afterwards, in the list of waiters for the
// stop, while the session keeps the address of its command until the reply. So after the send it may complete early
// (time-out, cancellation), but retires only with the reply, or when the client stops.
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
    using operation<engine::request, Result>::finish;  // not that of script_call

    // Submits the command; a second time, by text, if the server does not know the script. A plain
    // command ignores the form.
    virtual void send(engine::session&, engine::script_form) = 0;
    // For a query that reads in parts: takes the part that is in a reply. Returns whether another one must be read: then
    // the command is sent again.
    virtual bool has_more(engine::reply const&) { return false; }
    // The result of a reply that is not an error. Of several parts, the last one.
    virtual Result read(engine::reply const&) = 0;
    // The result of an error, for a query whose purpose is to see the errors of the server. None: the query ends with
    // the error code.
    virtual std::optional<Result> read_refusal(std::string_view) { return std::nullopt; }
    // The reply has come, and led to that result: completes the query, or does so later.
    virtual void conclude(engine::answer const&, Result r) { finish({}, std::move(r)); }
    // Whether the command may be sent again after an unknown outcome, because the server knows it again.
    virtual bool is_repeatable() const { return false; }
    engine::lock_spec const& lock() const noexcept { return *lock_; }
    engine::client_engine& engine() const noexcept { return *engine_; }
    // The server to which it was sent. Another one may have the lock by now; after NOSCRIPT, the text follows the SHA1.
    engine::shard_id server() const noexcept { return server_; }

private:
    void begin(engine::client_engine& c) override
    {
        engine_ = &c;
        if (auto const ec = c.runtime().admission_error(*lock_))
            return finish(ec, Result());
        // Armed once, before the wait for a connection: a second time-out for the reply would break the limit of the
        // contract. wait_ready() may call done() before it returns.
        c.runtime().arm(*this, c.runtime().now() + c.runtime().options().command_timeout);
        c.wait_ready(*this);
    }

    // Before it is sent: an epoch is open, or the server refuses the client. After that: the client was stopped, and
    // the session has forgotten the command, so no reply will come.
    void done(described_error ec) override
    {
        if (is_sent_ || ec) {
            engine_->runtime().disarm(*this);
            return finish(is_sent_ ? described_error(errc::client_stopped) : ec, Result());
        }
        // In a cluster the client is ready before the session to the lock's server is open.
        if (!engine_->runtime().session_of(*lock_).is_open())
            return wait_for_server();
        // A query must not overtake a release of this client: is_locked() after a release would report the own lock.
        is_sent_ = true;
        engine_->wait_stopped(*this);
        engine_->flush_releases(*lock_);
        auto& at = engine_->runtime().shard_of(*lock_);
        server_ = at.id();
        script_call::send(at.session());
    }

    // A server that refuses the client for good will not open an epoch.
    void wait_for_server()
    {
        auto const ec = engine_->runtime().shard_of(*lock_).refusal();
        if (!ec)
            return engine_->wait_epoch(*this);
        engine_->runtime().disarm(*this);
        finish(ec, Result());
    }

    // command_timeout is over. If the query was sent, its reply retires it later.
    void on_due(core::instant) override
    {
        if (is_sent_ && !this->is_complete())
            return this->complete(unavailable(), Result());
        if (is_sent_)
            return;
        unlink();
        finish(unavailable(), Result());
    }

    described_error unavailable() const { return {errc::unavailable, engine_->runtime().why_silent(*lock_)}; }

    std::string_view subject() const noexcept override { return lock_->name; }

    void submit(engine::session& to, engine::command&, engine::script_form form) override { send(to, form); }
    // After NOSCRIPT: a query that was cancelled or timed out is not sent again, by text (rule 7).
    bool is_wanted() const override { return !this->is_complete(); }

    void on_reply(engine::answer const& a) override
    {
        unlink();
        // The time limit is that of the first send.
        bool const is_lost = a.outcome == engine::outcome::unknown && is_repeatable();
        bool const is_part = a.outcome == engine::outcome::applied && has_more(a.value);
        if ((is_lost || is_part) && is_wanted()) {
            is_sent_ = false;
            return engine_->wait_ready(*this);
        }
        engine_->runtime().disarm(*this);
        if (a.outcome == engine::outcome::applied)
            return conclude(a, read(a.value));
        if (a.outcome == engine::outcome::refused)
            if (auto refusal = read_refusal(a.words))
                return finish({}, std::move(*refusal));
        // classify_failure() returns no error if the outcome is unknown, or if the server cannot
        // execute the command now.
        auto const failure = engine::classify_failure(a).error;
        engine_->runtime().telemetry().on_refused(failure, *lock_, a.words);
        finish({failure ? failure : errc::unavailable, make_error_text(a.words)}, Result());
    }

    // If the query was sent, its reply retires it later.
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
    engine::shard_id server_{};
    bool is_sent_ = false;
};

}  // namespace holdfast::detail

#endif
