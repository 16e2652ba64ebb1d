//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/lease.hpp>

#include "core/bounds.hpp"
#include "handle/completion.hpp"
#include "handle/lease_impl.hpp"

namespace holdfast {
namespace detail {
namespace {

asio::any_io_executor executor_of(lease_ptr const& l) noexcept
{
    auto const e = l ? l->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

}  // namespace

void intrusive_ptr_add_ref(lease_impl* l) noexcept
{
    l->add_reference();
}

void intrusive_ptr_release(lease_impl* l) noexcept
{
    l->remove_reference();
}

asio::any_io_executor lease_launch::get_executor() const noexcept
{
    return executor_of(of);
}

void extend_launch::start(handler_at<void(error_code)> h) &&
{
    if (!of)
        return complete_early<>(std::move(h), errc::empty_lease);
    of->extend(core::bounded(by), std::move(h));
}

void lost_launch::start(handler_at<void(error_code, loss)> h) &&
{
    if (!of)
        return complete_early<loss>(std::move(h), errc::empty_lease, {});
    of->lost(std::move(h));
}

void downgrade_launch::start(handler_at<void(error_code, lease)> h) &&
{
    if (!of)
        return complete_early<lease>(std::move(h), errc::empty_lease, {});
    of->downgrade(std::move(h));
}

void release_launch::start(handler_at<void(error_code)> h) &&
{
    auto taken = std::move(of);  // another thread may call the handler, and destroy this, before release() returns
    auto& l = lease_access::impl_of(taken);
    if (!l)
        return complete_early<>(std::move(h), errc::empty_lease);
    l->release(std::move(h));
    l.detach();
}

}  // namespace detail

void lease::drop() noexcept
{
    impl_.detach()->drop();
}

lease::executor_type lease::get_executor() const noexcept
{
    return detail::executor_of(impl_);
}

bool lease::valid() const noexcept
{
    auto const s = state();
    return s == lease_state::held || s == lease_state::at_risk;
}

bool lease::empty() const noexcept
{
    return !impl_ || impl_->empty();
}

lease_state lease::state() const noexcept
{
    return impl_ ? impl_->state() : lease_state::empty;
}

std::chrono::steady_clock::time_point lease::valid_until() const noexcept
{
    return impl_ ? impl_->valid_until() : std::chrono::steady_clock::time_point::min();
}

std::optional<std::uint64_t> lease::fencing_token() const noexcept
{
    return impl_ ? impl_->fencing_token() : std::nullopt;
}

std::optional<std::uint64_t> lease::fencing_token(std::string_view member) const noexcept
{
    return impl_ ? impl_->fencing_token(member) : std::nullopt;
}

std::string_view lease::name() const noexcept
{
    return impl_ ? impl_->name() : std::string_view();
}

std::optional<owner> lease::owner() const
{
    auto o = impl_ ? impl_->owner() : nullptr;
    return o ? std::optional(holdfast::owner(std::move(o))) : std::nullopt;
}

unsigned lease::hold_count() const noexcept
{
    return impl_ ? impl_->hold_count() : 0;
}

}  // namespace holdfast
