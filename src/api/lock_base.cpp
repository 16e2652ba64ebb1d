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

asio::any_io_executor lock_launch::get_executor() const noexcept
{
    auto const c = of->home();
    auto const e = c ? c->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

void acquire_launch::start(handler_at<void(error_code, lease)> h) &&
{
    request.lease = core::bounded(request.lease);
    request.max_hold = core::bounded(request.max_hold);
    request.wait = core::bounded(request.wait);
    of->acquire(std::move(h), request);
}

void is_locked_launch::start(handler_at<void(error_code, bool)> h) &&
{
    of->ask_locked(std::move(h));
}

void force_release_launch::start(handler_at<void(error_code, bool)> h) &&
{
    of->force_release(std::move(h));
}

void holders_launch::start(handler_at<void(error_code, std::vector<holder>)> h) &&
{
    of->ask_holders(std::move(h));
}

template <class A, class T>
std::string_view lock_base<A, T>::name() const noexcept
{
    return state_->name();
}

template <class A, class T>
std::shared_ptr<single_lock const> lock_base<A, T>::state() const noexcept
{
    return std::static_pointer_cast<single_lock const>(state_);
}

template class lock_base<acquire_options, try_options>;
template class lock_base<fair_acquire_options, fair_try_options>;

}  // namespace holdfast::detail
