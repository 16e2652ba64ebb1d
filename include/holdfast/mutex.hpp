//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MUTEX_HPP
#define HOLDFAST_MUTEX_HPP

#include <string_view>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// The plain distributed lock: one holder at a time. It has no owners: each acquire is a contender of its own. A task
/// that acquires a mutex which it holds waits for itself, as with `std::mutex`.
///
/// @par On the server
/// A STRING under the name, whose value is a token that is used once. `SET name token NX PX lease` acquires it, and a
/// compare-and-delete releases it. It excludes, and is excluded by, every library that does the same. The algorithm is
/// that of "Distributed Locks with Redis", redis.io.
///
/// A string or a hash that expires is busy; any other key of that name is errc::wrong_type. `force_release()` does not
/// delete the random value of another library, because an application's data may look the same.
///
/// @par Order
/// Waiters of one process are served in order of arrival. Between processes there is no order, but within the limits of
/// `config::local_handoff` each process lets the others acquire the lock.
///
/// @par Example
/// @code
/// holdfast::mutex seat{client, "nightly"};
/// auto lease = co_await seat.acquire();
/// @endcode
class BOOST_SYMBOL_VISIBLE mutex : public detail::lock_base<acquire_options, try_options> {
public:
    /// The options of the lock.
    using options = lock_options;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    mutex(client const&, std::string_view name, options = {});
};

}  // namespace holdfast

#endif
