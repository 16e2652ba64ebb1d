//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/detail/lock_base.hpp>

#include "client/client_state.hpp"
#include "core/bounds.hpp"
#include "operations/single_lock.hpp"

namespace holdfast::detail {

// A handle may outlive its client, and for a composite lock all clients of its members. Then the operation completes
// with errc::client_stopped on the system executor.
asio::any_io_executor executor_of(lock_ptr const& of) noexcept
{
    auto const c = of->home();
    auto const e = c ? c->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

// Durations are cut to ten years where they enter the library, before they become nanoseconds: so no sum of an instant
// and several of them overflows. With milliseconds::max() as `wait`, the sum would lie in the past and the acquire
// would complete as busy at once.
void start_acquire(handler_at<void(error_code, lease)> h, lock_ptr of, acquire_request request)
{
    request.lease = core::bounded(request.lease);
    request.max_hold = core::bounded(request.max_hold);
    request.wait = core::bounded(request.wait);
    request.at_least = core::bounded(request.at_least);
    of->acquire(std::move(h), request);
}

void start_is_locked(handler_at<void(error_code, bool)> h, lock_ptr of)
{
    of->query_locked(std::move(h));
}

void start_force_release(handler_at<void(error_code, bool)> h, lock_ptr of)
{
    of->force_release(std::move(h));
}

void start_holders(handler_at<void(error_code, std::vector<holder>)> h, lock_ptr of)
{
    of->query_holders(std::move(h));
}

template <class A, class T>
std::string_view lock_base<A, T>::name() const noexcept
{
    return state_->name();
}

// Precondition: not a composite. Only handles of kinds that are made by single_lock::make() call it.
template <class A, class T>
std::shared_ptr<single_lock const> lock_base<A, T>::state() const noexcept
{
    return std::static_pointer_cast<single_lock const>(state_);
}

// The public header declares these as extern, so that user code neither compiles their members nor includes src.
template class lock_base<acquire_options, try_options>;
template class lock_base<fair_acquire_options, fair_try_options>;
template class lock_base<permit_options, permit_try_options>;
template class lock_base<campaign_options, campaign_options>;

}  // namespace holdfast::detail
