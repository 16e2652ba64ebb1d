//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/lease.hpp>

#include "bundle.hpp"
#include "client_state.hpp"
#include "core/bounds.hpp"
#include "core/recycled.hpp"
#include "engine/context.hpp"
#include "engine/owner_state.hpp"
#include "engine/tenure.hpp"
#include "operation.hpp"

namespace holdfast {
namespace detail {
namespace {

using plain_handler = handler_at<void(error_code)>;
using loss_handler = handler_at<void(error_code, loss)>;

std::shared_ptr<client_state> client_of(tenure_ptr const& t) noexcept
{
    return t ? std::static_pointer_cast<client_state>(t->home().lock()) : nullptr;
}

asio::any_io_executor executor_of(tenure_ptr const& t, std::shared_ptr<bundle> const& all) noexcept
{
    auto const c = all ? all->lock().home() : client_of(t);
    auto const e = c ? c->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

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
    void begin(engine::context& c) override { c.extend(*tenure_.get(), by_, *this); }
    void cancel(engine::context&) override { complete(asio::error::operation_aborted); }

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
    void begin(engine::context& c) override { c.watch_loss(*tenure_.get(), *this); }
    void abandon() override { complete({}, loss::client_stopped); }
    void cancel(engine::context&) override
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

class release_operation final : public core::recycled<release_operation>,
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
    void begin(engine::context& c) override { c.leave(*tenure_.get(), this); }
    void cancel(engine::context&) override { complete(asio::error::operation_aborted); }

    tenure_ptr tenure_;
};

// Why an operation on a lease cannot reach its client.
error_code obstacle(tenure_ptr const& t, std::shared_ptr<client_state> const& c) noexcept
{
    if (!t || t->is_passed_on())
        return errc::empty_lease;
    return c && c->is_alive() ? error_code() : errc::client_stopped;
}

template <class Operation, class... Arguments>
void launch(std::shared_ptr<client_state> const& c, Arguments&&... arguments)
{
    Operation::launch(boost::intrusive_ptr<Operation>(new Operation(std::forward<Arguments>(arguments)...)), *c);
}

}  // namespace

tenure_ptr::tenure_ptr(tenure_ptr const& other) noexcept : tenure_(other.tenure_)
{
    if (tenure_)
        intrusive_ptr_add_ref(tenure_);
}

void tenure_ptr::forget() noexcept
{
    intrusive_ptr_release(tenure_);
}

asio::any_io_executor extend_launch::get_executor() const noexcept
{
    return executor_of(of, all);
}

void extend_launch::start(plain_handler h) &&
{
    by = core::bounded(by);
    if (all)
        return all->extend(by, std::move(h));
    auto const c = client_of(of);
    if (auto const ec = obstacle(of, c))
        return complete_early<>(std::move(h), ec);
    if (by <= by.zero()) {
        c->remember(errc::invalid_option, "extend: must be positive");
        return complete_early<>(std::move(h), errc::invalid_option);
    }
    launch<extend_operation>(c, std::move(h), c, std::move(of), by);
}

asio::any_io_executor lost_launch::get_executor() const noexcept
{
    return executor_of(of, all);
}

void lost_launch::start(loss_handler h) &&
{
    if (all)
        return all->lost(std::move(h));
    auto const c = client_of(of);
    if (!of || of->is_passed_on())
        return complete_early<loss>(std::move(h), errc::empty_lease, {});
    if (obstacle(of, c) && !of->is_lost())  // a client that ends loses what is held
        return complete_early<loss>(std::move(h), errc::released, {});
    if (obstacle(of, c))
        return complete_early<loss>(std::move(h), {}, loss::client_stopped);
    launch<lost_operation>(c, std::move(h), c, std::move(of));
}

void release_launch::start(plain_handler h) &&
{
    if (auto const all = std::exchange(lease_access::bundle_of(of), nullptr))
        return all->release(std::move(h));
    auto& t = lease_access::tenure_of(of);
    auto const c = client_of(t);
    if (auto const ec = obstacle(t, c))
        return complete_early<>(std::move(h), ec);
    launch<release_operation>(c, std::move(h), c, std::move(t));
}

}  // namespace detail

void lease::drop() noexcept
{
    if (auto const all = std::exchange(bundle_, nullptr))
        return all->drop();
    engine::tenure::drop(boost::intrusive_ptr<engine::tenure>(tenure_.detach(), false));
}

lease::executor_type lease::get_executor() const noexcept
{
    return detail::executor_of(tenure_, bundle_);
}

bool lease::valid() const noexcept
{
    return bundle_ ? bundle_->state() != lease_state::lost : tenure_ && tenure_->is_valid();
}

bool lease::empty() const noexcept
{
    return !bundle_ && (!tenure_ || tenure_->is_passed_on());
}

lease_state lease::state() const noexcept
{
    if (bundle_)
        return bundle_->state();
    return tenure_ ? tenure_->state() : lease_state::empty;
}

std::chrono::steady_clock::time_point lease::valid_until() const noexcept
{
    if (bundle_)
        return bundle_->valid_until();
    auto const c = detail::client_of(tenure_);
    if (empty() || !c || !c->is_alive())
        return std::chrono::steady_clock::time_point::min();
    auto const now = std::chrono::steady_clock::now();  // first: a pause in between must not make it later
    return now + (tenure_->valid_until() - c->now());
}

std::optional<std::uint64_t> lease::fencing_token() const noexcept
{
    if (bundle_)
        return bundle_->fence();
    return !empty() && tenure_->fence() != 0 ? std::optional(tenure_->fence()) : std::nullopt;
}

std::optional<std::uint64_t> lease::fencing_token(std::string_view member) const noexcept
{
    if (bundle_)
        return bundle_->fence_of(member);
    return name() == member ? fencing_token() : std::nullopt;
}

std::string_view lease::name() const noexcept
{
    if (bundle_)
        return bundle_->lock().name();
    return !empty() ? std::string_view(tenure_->lock().name) : std::string_view();
}

std::optional<owner> lease::owner() const
{
    bool const has_owner = tenure_ && !tenure_->is_passed_on() && tenure_->owner();
    return has_owner ? std::optional(holdfast::owner(tenure_->owner())) : std::nullopt;
}

unsigned lease::hold_count() const noexcept
{
    if (bundle_)
        return 1;
    return tenure_ ? tenure_->hold_count() : 0;
}

}  // namespace holdfast
