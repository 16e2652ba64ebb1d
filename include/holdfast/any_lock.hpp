//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ANY_LOCK_HPP
#define HOLDFAST_ANY_LOCK_HPP

#include <concepts>
#include <type_traits>

#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// A handle of a lock: copyable, with options and operations of its own.
template <class Lock>
concept async_lock = std::copyable<Lock> && requires(Lock const& lock, typename Lock::try_options options)
{
    typename Lock::acquire_options;
    lock.name();
    lock.get_executor();
    lock.try_acquire(options);
};

namespace detail {

template <class Lock>
concept lock_handle = requires(Lock const& lock)
{
    []<class A, class T>(lock_base<A, T> const&) {}(lock);
};

// In this order: whether an any_lock can be copied must not depend on itself.
template <class Lock>
concept erasable_lock = !std::same_as<Lock, any_lock> && async_lock<Lock> && lock_handle<Lock>;

}  // namespace detail

/// Any lock, for interfaces and ranges. Copies the handle, not the lock. What only some locks can be asked for has its
/// default: the priority of a fair lock is 5.
///
/// @par Example
/// @code
/// std::vector<holdfast::any_lock> needed{order, seat};
/// @endcode
class any_lock : public detail::lock_base<acquire_options, try_options> {
public:
    template <detail::erasable_lock Lock>
    any_lock(Lock const& lock) : lock_base(lock)
    {}
};

}  // namespace holdfast

#endif
