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

/// A handle of a lock. It is copyable, and has types of options and the operations of a lock. `with_lock()` requires
/// it.
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

// The order matters: any_lock is excluded first. Otherwise the check whether an any_lock is copyable would consider its
// constructor template, which requires that check.
template <class Lock>
concept erasable_lock = !std::same_as<Lock, any_lock> && async_lock<Lock> && lock_handle<Lock>;

}  // namespace detail

/// A handle that can refer to a lock of any kind, for interfaces and ranges. It copies the handle, not the lock: both
/// are the same lock. Options that only some kinds of lock have get their defaults: the priority of a fair lock is 5,
/// the weight of a lease of a semaphore is 1.
///
/// @par Lifetimes
/// The handle from which it was made may be destroyed first.
///
/// @par Example
/// @code
/// std::vector<holdfast::any_lock> needed{order, seat};
/// @endcode
class any_lock : public detail::lock_base<acquire_options, try_options> {
public:
    /// Implicit, so that a function or a range of any_lock takes every kind of handle.
    template <detail::erasable_lock Lock>
    any_lock(Lock const& lock) : lock_base(lock)
    {}
};

}  // namespace holdfast

#endif
