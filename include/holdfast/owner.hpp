//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OWNER_HPP
#define HOLDFAST_OWNER_HPP

#include <memory>
#include <string_view>

#include <holdfast/fwd.hpp>

namespace holdfast {

/// One logical task that contends: what a thread is to `std::recursive_mutex`.
///
/// Made by `client::make_owner()`. A copy is the same owner. Pass it along the call chain of the task that it stands
/// for, and to nobody else: two tasks that share an owner by mistake get `errc::owner_in_use` where it can be noticed.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: safe.
///
/// @par Lifetimes
/// May outlive the client; its locks then answer `errc::client_stopped`.
///
/// @par Example
/// @code
/// holdfast::owner me = client.make_owner("transaction-7");
/// holdfast::reentrant_lock order{client, "order:42", me};
/// @endcode
class owner {
public:
    /// The label given to `make_owner()`. Valid as long as any copy of this owner lives.
    std::string_view label() const noexcept;

    friend bool operator==(owner const& a, owner const& b) noexcept { return a.state_ == b.state_; }

private:
    friend class client;
    friend class fair_lock;
    friend class lease;
    friend class read_write_lock;
    friend class reentrant_lock;

    // No default constructor, not even here: `{}` must mean options.
    explicit owner(std::shared_ptr<engine::owner_state> state) noexcept : state_(std::move(state)) {}

    std::shared_ptr<engine::owner_state> state_;
};

}  // namespace holdfast

#endif
