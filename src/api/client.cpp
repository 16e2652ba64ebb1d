//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/client.hpp>

#include "client/client_state.hpp"
#include "client/session_factory.hpp"
#include "core/bounds.hpp"
#include "engine/hold/owner_state.hpp"
#include "operations/operation.hpp"

namespace holdfast {
namespace detail {
namespace {

using plain_handler = handler_at<void(error_code)>;

class run_operation final : public operation<engine::request>, public engine::client_waiter {
public:
    using operation::operation;

    void done(error_code ec) override
    {
        complete(ec);
        retire();
    }

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
        unlink();
        done(asio::error::operation_aborted);
        c.stop();
    }
};

class ready_operation final : public operation<engine::request>, public engine::client_waiter {
public:
    using operation::operation;

    void done(error_code ec) override
    {
        complete(ec);
        retire();
    }

private:
    void begin(engine::client_engine& c) override { c.wait_ready(*this); }
    void cancel(engine::client_engine& c) override
    {
        unlink();
        auto const why = c.last_connect_error();
        done(why ? why : asio::error::operation_aborted);
    }
};

class shutdown_operation final : public operation<engine::request>,
                                 public engine::client_waiter,
                                 public core::deadline {
public:
    shutdown_operation(plain_handler h, std::shared_ptr<client_state> const& home, core::duration grace)
        : operation(std::move(h), home), grace_(grace)
    {}

    // The engine reports that it is idle in the middle of its work, so the stop is posted. If the client is stopped by
    // another call first, that is reported, too.
    void done(error_code) override
    {
        bool const was_idle = std::exchange(is_idle_, true);
        if (!engine_)
            return;
        if (was_idle)
            return finish({});
        engine_->runtime().arm(*this, engine_->runtime().now());
        engine_->wait_stopped(*this);
    }
    void on_due(core::instant) override { finish({}); }

private:
    void begin(engine::client_engine& c) override
    {
        c.close(*this);
        engine_ = &c;
        if (is_idle_)
            finish({});
        else
            c.runtime().arm(*this, c.runtime().now() + grace_);
    }
    void cancel(engine::client_engine&) override { finish(asio::error::operation_aborted); }

    void finish(error_code ec)
    {
        unlink();
        auto& c = *std::exchange(engine_, nullptr);
        c.runtime().disarm(*this);
        c.stop();
        complete(ec);
        retire();
    }

    core::duration grace_;
    engine::client_engine* engine_ = nullptr;
    bool is_idle_ = false;
};

template <class Operation, class... Arguments>
void launch(std::weak_ptr<client_state> const& of, plain_handler h, Arguments... arguments)
{
    auto const c = of.lock();
    if (!c || !c->is_alive())
        return complete_early<>(std::move(h), errc::client_stopped);
    Operation::launch(boost::intrusive_ptr<Operation>(new Operation(std::move(h), c, arguments...)), *c);
}

bool is_label(std::string_view label) noexcept
{
    return label.size() <= 64 && std::ranges::none_of(label, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

asio::any_io_executor client_launch::get_executor() const noexcept
{
    auto const c = of.lock();
    auto const e = c ? c->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

void run_launch::start(plain_handler h) &&
{
    launch<run_operation>(of, std::move(h));
}

void ready_launch::start(plain_handler h) &&
{
    launch<ready_operation>(of, std::move(h));
}

void shutdown_launch::start(plain_handler h) &&
{
    if (grace < grace.zero()) {
        if (auto const c = of.lock())
            c->remember(errc::invalid_option, "grace: must not be negative");
        return complete_early<>(std::move(h), errc::invalid_option);
    }
    launch<shutdown_operation, core::duration>(of, std::move(h), core::bounded(grace));
}

}  // namespace detail

client::client(executor_type executor, config cfg)
    : state_(detail::client_state::make(std::move(executor), cfg, detail::make_session))
{}

client::~client()
{
    if (state_)
        state_->stop();
}

client::executor_type client::get_executor() const noexcept
{
    return detail::client_launch{state_}.get_executor();
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

owner client::make_owner(std::string_view label) const
{
    if (!detail::is_label(label))
        throw std::invalid_argument("label: at most 64 bytes, no control characters");
    return owner(std::make_shared<engine::owner_state>(state_, std::string(label), false));
}

owner client::process_owner() const
{
    return owner(state_->process_owner());
}

}  // namespace holdfast
