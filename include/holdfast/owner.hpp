//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OWNER_HPP
#define HOLDFAST_OWNER_HPP

#include <memory>
#include <string_view>

#include <boost/config.hpp>

#include <holdfast/fwd.hpp>

namespace holdfast {

/// One logical task that acquires locks: the role of a thread for `std::recursive_mutex`.
///
/// `client::make_owner()` makes it. A copy is the same owner. Pass it along the call chain of its task, and to no other
/// task: if two tasks share an owner by mistake, and both wait for one lock, the second acquire completes with
/// `errc::owner_in_use`. The tasks of `client::process_owner()` share it on purpose.
///
/// @par Invariant
/// An owner belongs to one client. A lock of another client refuses it: the constructor throws.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: safe.
///
/// @par Lifetimes
/// It may outlive the client; operations of its locks then complete with `errc::client_stopped`.
///
/// @par Example
/// @code
/// holdfast::owner me = client.make_owner("transaction-7");
/// holdfast::reentrant_lock order{client, "order:42", me};
/// @endcode
class BOOST_SYMBOL_VISIBLE owner {
public:
    /// The label that was passed to `make_owner()`. The view is valid while a copy of this owner exists.
    std::string_view label() const noexcept;

    /// Whether both are copies of one owner. Owners with the same label are not equal.
    friend bool operator==(owner const& a, owner const& b) noexcept { return a.state_ == b.state_; }

private:
    friend class client;
    friend class fair_lock;
    friend class lease;
    friend class read_write_lock;
    friend class reentrant_lock;

    // There is no default constructor, not even a private one: in `fair_lock(client, name, {})`, `{}` must mean
    // options.
    explicit owner(std::shared_ptr<engine::owner_state> state) noexcept : state_(std::move(state)) {}

    std::shared_ptr<engine::owner_state> state_;
};

}  // namespace holdfast

#endif
