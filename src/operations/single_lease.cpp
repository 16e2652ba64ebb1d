//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/single_lease.hpp"

#include <utility>

#include <boost/asio/bind_executor.hpp>

#include "engine/client_engine.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {
namespace {

using std::chrono::steady_clock;

using plain_handler = handler_at<void(error_code)>;
using loss_handler = handler_at<void(error_code, loss)>;
using tenure_ptr = boost::intrusive_ptr<engine::tenure>;

class extend_operation final : public operation<engine::request>, public engine::extension_waiter {
public:
    extend_operation(plain_handler h, std::shared_ptr<client_state> const& home, tenure_ptr t, core::duration by)
        : operation(std::move(h), home), tenure_(std::move(t)), by_(by)
    {}

    void extended(error_code ec) override
    {
        if (!is_complete())
            complete(ec);
        retire();
    }

private:
    void begin(engine::client_engine& c) override { c.extend(*tenure_, by_, *this); }
    void cancel(engine::client_engine&) override { complete(asio::error::operation_aborted); }

    tenure_ptr tenure_;
    core::duration by_;
};

class lost_operation final : public operation<engine::request, loss>, public engine::loss_waiter {
public:
    lost_operation(loss_handler h, std::shared_ptr<client_state> const& home, tenure_ptr t)
        : operation(std::move(h), home), tenure_(std::move(t))
    {}

    void lost(loss why) override { finish({}, why); }
    void failed(error_code ec) override { finish(ec, {}); }

private:
    void begin(engine::client_engine& c) override { c.watch_loss(*tenure_, *this); }
    void abandon() override { complete({}, loss::client_stopped); }
    void cancel(engine::client_engine&) override
    {
        unlink();
        finish(asio::error::operation_aborted, {});
    }
    void finish(error_code ec, loss why)
    {
        complete(ec, why);
        retire();
    }

    tenure_ptr tenure_;
};

class release_operation final : public core::pooled<release_operation>,
                                public operation<engine::request>,
                                public engine::release_waiter {
public:
    release_operation(plain_handler h, std::shared_ptr<client_state> const& home, tenure_ptr t)
        : operation(std::move(h), home), tenure_(std::move(t))
    {}

    void released(error_code ec) override
    {
        if (!is_complete())
            complete(ec);
        retire();
    }

private:
    void begin(engine::client_engine& c) override { c.leave(*tenure_, this); }
    void cancel(engine::client_engine&) override { complete(asio::error::operation_aborted); }

    tenure_ptr tenure_;
};

// The release of a member of a composite lease. It has no handler of its own.
class member_release final : public core::pooled<member_release>,
                             public engine::request,
                             private engine::release_waiter {
public:
    member_release(boost::intrusive_ptr<release_group> all, std::size_t place, tenure_ptr t)
        : all_(std::move(all)), place_(place), tenure_(std::move(t))
    {}

private:
    void deliver(engine::client_engine& c) override { c.leave(*tenure_, this); }
    // The handler may run in an execution context that goes on without this client.
    void discard() noexcept override { released(errc::client_stopped); }
    void released(error_code ec) override
    {
        boost::intrusive_ptr<member_release> const self(this, false);
        all_->end(place_, ec);
    }

    boost::intrusive_ptr<release_group> all_;
    std::size_t place_;
    tenure_ptr tenure_;
};

template <class Operation, class... Arguments>
void launch(std::shared_ptr<client_state> const& c, Arguments&&... arguments)
{
    Operation::launch(boost::intrusive_ptr<Operation>(new Operation(std::forward<Arguments>(arguments)...)), *c);
}

}  // namespace

// ---- queries

std::shared_ptr<client_state> single_lease::client() const noexcept
{
    return std::static_pointer_cast<client_state>(home().lock());
}

asio::any_io_executor single_lease::executor() const noexcept
{
    auto const c = client();
    return c ? c->executor() : asio::any_io_executor();
}

steady_clock::time_point single_lease::valid_until() const noexcept
{
    auto const c = client();
    if (is_detached() || !c || !c->is_alive())
        return steady_clock::time_point::min();
    auto const now =
        steady_clock::now();  // read first: a pause of the thread between the two clocks must not make the result later
    return now + (tenure::valid_until() - c->now());
}

std::optional<std::uint64_t> single_lease::fencing_token() const noexcept
{
    return !is_detached() && fence() != 0 ? std::optional(fence()) : std::nullopt;
}

std::optional<std::uint64_t> single_lease::fencing_token(std::string_view member) const noexcept
{
    return name() == member ? fencing_token() : std::nullopt;
}

std::string_view single_lease::name() const noexcept
{
    return is_detached() ? std::string_view() : std::string_view(lock().name);
}

std::shared_ptr<engine::owner_state> single_lease::owner() const noexcept
{
    return is_detached() ? nullptr : tenure::owner();
}

// ---- operations

error_code single_lease::precondition_error(std::shared_ptr<client_state> const& c) const noexcept
{
    if (is_detached())
        return errc::empty_lease;
    return c && c->is_alive() ? error_code() : errc::client_stopped;
}

void single_lease::extend(std::chrono::milliseconds by, plain_handler h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c))
        return complete_early<>(std::move(h), ec);
    if (by <= by.zero()) {
        c->remember(errc::invalid_option, "extend: must be positive");
        return complete_early<>(std::move(h), errc::invalid_option);
    }
    launch<extend_operation>(c, std::move(h), c, tenure_ptr(this), by);
}

void single_lease::lost(loss_handler h)
{
    auto const c = client();
    auto const ec = precondition_error(c);
    if (ec == errc::empty_lease)
        return complete_early<loss>(std::move(h), ec, {});
    if (ec && !is_lost())  // what was held when the client ended is lost
        return complete_early<loss>(std::move(h), errc::released, {});
    if (ec)
        return complete_early<loss>(std::move(h), {}, loss::client_stopped);
    launch<lost_operation>(c, std::move(h), c, tenure_ptr(this));
}

void single_lease::release(plain_handler h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c)) {
        complete_early<>(std::move(h), ec);
        return drop();
    }
    launch<release_operation>(c, std::move(h), c, tenure_ptr(this));
    remove_reference();
}

void single_lease::release_in(boost::intrusive_ptr<release_group> all, std::size_t place, asio::any_io_executor const&)
{
    auto const c = client();
    if (!c || is_detached()) {
        all->end(place, is_detached() ? errc::empty_lease : errc::client_stopped);
        return drop();
    }
    c->send(
        *boost::intrusive_ptr<member_release>(new member_release(std::move(all), place, tenure_ptr(this))).detach());
    remove_reference();
}

// What the holder's thread wrote before it destroyed the lease is visible to whoever holds the lock next: the mailbox
// passes the message on with release and acquire. The message keeps the reference of the lease.
void single_lease::drop() noexcept
{
    if (auto const c = client())
        c->send(*this);
    else
        discard();
}

void single_lease::deliver(engine::client_engine& c)
{
    tenure_ptr const self(this, false);
    c.leave(*this, nullptr);
}

}  // namespace holdfast::detail
