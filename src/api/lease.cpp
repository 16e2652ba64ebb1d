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

// An empty lease, and one whose client has been destroyed, complete their operations on the system executor:
// initiations need an executor that works.
asio::any_io_executor executor_of(lease_ptr const& l) noexcept
{
    auto const e = l ? l->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

// Out of line, because the public header only declares lease_impl. Virtual, because a single_lease is an engine::tenure
// and already has that class's counter.
void intrusive_ptr_add_ref(lease_impl* l) noexcept
{
    l->add_reference();
}

void intrusive_ptr_release(lease_impl* l) noexcept
{
    l->remove_reference();
}

lease_ptr pointer_to(lease const& l) noexcept
{
    return lease_access::impl_of(l);
}

// `of` is null if the lease was default-constructed or moved from. lease_impl detects the other cases.
void start_extend(handler_at<void(error_code)> h, lease_ptr of, std::chrono::milliseconds by)
{
    if (!of)
        return complete_early<>(std::move(h), errc::empty_lease);
    of->extend(core::bounded(by), std::move(h));
}

void start_lost(handler_at<void(error_code, loss)> h, lease_ptr of)
{
    if (!of)
        return complete_early<loss>(std::move(h), errc::empty_lease, {});
    of->lost(std::move(h));
}

void start_downgrade(handler_at<void(error_code, lease)> h, lease_ptr of)
{
    if (!of)
        return complete_early<lease>(std::move(h), errc::empty_lease, {});
    of->downgrade(std::move(h));
}

void start_release(handler_at<void(error_code)> h, lease taken)
{
    auto& l = lease_access::impl_of(taken);
    if (!l)
        return complete_early<>(std::move(h), errc::empty_lease);
    // release() takes over the reference, unless it throws: then `taken` still owns it, and its
    // destructor queues the release.
    l->release(std::move(h));
    l.detach();
}

}  // namespace detail

// The release message takes over the reference: so the destructor of a lease cannot fail (rule 19).
void lease::drop() noexcept
{
    impl_.detach()->drop();
}

lease::executor_type lease::get_executor() const noexcept
{
    return detail::executor_of(impl_);
}

// state() compares with the clock, so a process that was paused detects the loss before any timer of
// it has run (rule 18).
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

// time_point() is in the past for every clock reading: code that compares with it stops.
std::chrono::steady_clock::time_point lease::valid_until() const noexcept
{
    return impl_ ? impl_->valid_until() : std::chrono::steady_clock::time_point();
}

std::optional<std::uint64_t> lease::fencing_token() const noexcept
{
    return impl_ ? impl_->fencing_token() : std::nullopt;
}

std::optional<unsigned> lease::number() const noexcept
{
    return impl_ ? impl_->number() : std::nullopt;
}

std::optional<std::uint64_t> lease::fencing_token(std::string_view member) const noexcept
{
    return impl_ ? impl_->fencing_token(member) : std::nullopt;
}

std::string_view lease::name() const noexcept
{
    return impl_ ? impl_->name() : std::string_view();
}

// A lease of several locks has no owner, although it is not empty: its members may have several.
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
