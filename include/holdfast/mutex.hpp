//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MUTEX_HPP
#define HOLDFAST_MUTEX_HPP

#include <string_view>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// The plain distributed lock: one holder at a time, whoever it is. Each acquire is a contender of its own; a task that
/// acquires a mutex it holds waits for itself, as with `std::mutex`.
///
/// @par On the server
/// A STRING under the name, whose value is a token used once: `SET name token NX PX lease`, compare-and-delete. It
/// excludes, and is excluded by, every library that does the same. The algorithm is that of "Distributed Locks with
/// Redis", redis.io.
///
/// A string or hash that expires is busy; anything else under the name is errc::wrong_type. `force_release()` deletes no
/// other library's random value: that cannot be told from an application's data.
///
/// @par Order
/// Waiters of one process are served in order of arrival; processes among each other in no order, but none keeps the
/// lock among its own coroutines beyond `config::local_handoff`.
///
/// @par Example
/// @code
/// holdfast::mutex seat{client, "nightly"};
/// auto lease = co_await seat.acquire();
/// @endcode
class mutex : public detail::lock_base<acquire_options, try_options> {
public:
    using options = lock_options;

    /// Sends nothing. A bad name is told by the operations, as errc::invalid_name.
    mutex(client const&, std::string_view name, options = {});
};

}  // namespace holdfast

#endif
