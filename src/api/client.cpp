//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/client.hpp>

#include "client/client_access.hpp"
#include "client/client_state.hpp"
#include "client/session_factory.hpp"
#include "core/bounds.hpp"
#include "engine/hold/owner_state.hpp"
#include "operations/operation.hpp"

namespace holdfast {
namespace detail {
namespace {

using plain_handler = handler_at<void(error_code)>;
using shutdown_handler = handler_at<void(error_code, std::size_t)>;

// client::run(). Completes when the client has stopped: the engine keeps its address in a list until then.
class run_operation final : public operation<engine::request>, public engine::client_waiter {
public:
    using operation::operation;

    void done(described_error ec) override { finish(std::move(ec)); }

private:
    void begin(engine::client_engine& c) override
    {
        if (auto const ec = c.start())
            done(ec);
        else
            c.wait_stopped(*this);
    }
    void cancel(engine::client_engine& c) override
    {
        // The operation leaves the list and completes before stop(), which calls done() of every waiter in that list.
        // Else a cancelled run() would complete with success.
        unlink();
        done(asio::error::operation_aborted);
        c.stop();
    }
};

// client::ready(). Completes when an epoch is open, or when the server refuses this client permanently.
class ready_operation final : public operation<engine::request>, public engine::client_waiter {
public:
    using operation::operation;

    void done(described_error ec) override { finish(std::move(ec)); }

private:
    void begin(engine::client_engine& c) override { c.wait_ready(*this); }
    void cancel(engine::client_engine& c) override
    {
        unlink();
        // A program limits ready() by a time-out, and must report why there is no connection: the error of the last
        // attempt to connect is the reason, operation_aborted is not.
        auto const why = c.last_connect_error();
        if (why)
            return done(why);
        auto const not_admitted = c.runtime().lifecycle().admission_error();
        done(not_admitted == errc::not_running ? not_admitted : asio::error::operation_aborted);
    }
};

// client::shutdown(). It asks the bodies of with_lock to end after `cancel_after`. The first of these events ends it:
// nothing is held, acquired or released any more; `grace` has passed; another call has stopped the client.
class shutdown_operation final : public operation<engine::request, std::size_t>,
                                 public engine::client_waiter,
                                 public core::deadline {
public:
    shutdown_operation(shutdown_handler h, std::shared_ptr<client_state> const& home, shutdown_options const& o)
        : operation(std::move(h), home), cancel_after_(core::bounded(o.cancel_after)), grace_(core::bounded(o.grace))
    {}

    // The engine calls it when it is idle, and a second time if another call stops the client before this operation
    // does. The engine is idle in the middle of its own work, for example while it removes an arbiter, so the client
    // must not be stopped on this stack: a deadline that is due now stops it in a later turn of the loop.
    void done(described_error) override
    {
        bool const was_idle = std::exchange(is_idle_, true);
        if (!engine_)
            return;  // close() has called it from begin(), which completes the operation
        if (was_idle)
            return stop({});
        engine_->runtime().arm(*this, engine_->runtime().now());
        engine_->wait_stopped(*this);
    }
    void on_due(core::instant now) override
    {
        if (is_idle_ || now >= last_moment_)
            return stop({});
        engine_->end_bodies();
        engine_->runtime().arm(*this, last_moment_);
    }

private:
    void begin(engine::client_engine& c) override
    {
        // An idle client calls done() before close() returns. engine_ is set afterwards, so that
        // done() only records it.
        c.close(*this);
        engine_ = &c;
        auto const now = c.runtime().now();
        last_moment_ = now + grace_;
        if (is_idle_)
            stop({});
        else if (cancel_after_ > core::duration::zero())
            c.runtime().arm(*this, now + std::min(cancel_after_, grace_));
        else
            on_due(now);
    }
    void cancel(engine::client_engine&) override { stop(asio::error::operation_aborted); }

    // The operation leaves the lists of the engine before stop(), which would otherwise call done() again. It completes
    // after stop(), so that the leases are lost by the time the handler runs.
    void stop(error_code ec)
    {
        unlink();
        auto& c = *std::exchange(engine_, nullptr);
        c.runtime().disarm(*this);
        c.stop();
        finish(ec, c.runtime().telemetry().abandoned());
    }

    core::duration const cancel_after_;
    core::duration const grace_;
    core::instant last_moment_ = core::never;
    engine::client_engine* engine_ = nullptr;
    bool is_idle_ = false;
};

// A label becomes a part of the owner's tokens in Redis, and appears in log lines.
bool is_label(std::string_view label) noexcept
{
    return label.size() <= 64 && std::ranges::none_of(label, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

// Completion tokens such as cancel_after() call it when they initiate, even if the client has been destroyed, and
// need an executor that works: the system executor always exists.
asio::any_io_executor executor_of(client_ptr const& of) noexcept
{
    auto const c = of.lock();
    auto const e = c ? c->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

client_ptr pointer_to(client& c) noexcept
{
    return client_access::state_of(c).weak_from_this();
}

void start_run(plain_handler h, client_ptr of)
{
    launch_if_exists<run_operation>(of, std::move(h));
}

void start_ready(plain_handler h, client_ptr of)
{
    launch_if_exists<ready_operation>(of, std::move(h));
}

void start_shutdown(shutdown_handler h, client_ptr of, shutdown_options options)
{
    auto const zero = std::chrono::milliseconds::zero();
    if (options.grace < zero || options.cancel_after < zero) {
        auto const* const what = options.grace < zero ? "grace: must not be negative"
                                                      : "cancel_after: must not be negative";
        if (auto const c = of.lock())
            c->remember(errc::invalid_option, what);
        return complete_early<std::size_t>(std::move(h), {errc::invalid_option, make_error_text(what)}, 0);
    }
    launch_if_exists<shutdown_operation>(of, std::move(h), options);
}

}  // namespace detail

// make_io() chooses the transport by the URL. A simulator passes another function, through client_access.
client::client(executor_type executor, config cfg)
    : state_(detail::client_state::make(std::move(executor), cfg, detail::make_io))
{}

// stop() only sends a message, so the destructor never blocks. The message keeps the state alive until it is delivered.
// Handles, leases and owners hold the state weakly: they do nothing from then on.
client::~client()
{
    if (state_)  // a client that was moved from has none
        state_->stop();
}

client::executor_type client::get_executor() const noexcept
{
    return detail::executor_of(detail::client_ptr(state_));
}

std::string_view client::id() const noexcept
{
    return state_->id();
}

void client::stop() noexcept
{
    state_->stop();
}

stats client::stats() const
{
    return state_->read_stats();
}

failure client::last_failure() const
{
    return state_->last_failure();
}

// An owner refers to this client: its tenures live on this client's strand, so a lock of another client refuses it.
owner client::make_owner(std::string_view label) const
{
    if (!detail::is_label(label))
        throw std::invalid_argument("label: must have at most 64 bytes and no control characters");
    return owner(std::make_shared<engine::owner_state>(state_, std::string(label), false));
}

// Always the same owner. Owners are compared by identity, and this one has none of the checks for two tasks that
// share an owner by mistake.
owner client::process_owner() const
{
    return owner(state_->process_owner());
}

}  // namespace holdfast
