//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_LIST_HPP
#define HOLDFAST_CLIENT_LIST_HPP

#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "client/client_state.hpp"
#include "core/clock.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

using lock_list = std::vector<std::shared_ptr<lock_impl const>>;
using client_list = std::vector<std::shared_ptr<client_state>>;

// The client that answers for a member; null: the member is a composite lock, or its client has been destroyed. The
// operations of a composite member run on the executor of the whole, and end as promptly as the whole does.
inline std::shared_ptr<client_state> client_of(lock_impl const& member) noexcept
{
    return member.parts() ? nullptr : member.home();
}

// The clients of these locks and of their members, each once, without those whose execution contexts have ended.
client_list clients_of(lock_list const&);

// A time limit: `least` and a random part of `spread`, but not after `until`.
struct time_limit {
    core::duration least = core::duration::max();
    core::duration spread = {};
    core::instant until = core::never;
};

// The limit of a coordinator on `here` whose members keep the limit `within` by themselves: a client whose execution
// context stands still does not. It is later by a millisecond, because the members' own errors say more. None if all
// clients run where the coordinator does: then the coordinator could not keep it either.
std::optional<time_limit> guard_of(client_list const&, asio::any_io_executor const& here, core::duration within);
// The same for operations that end within `config::command_timeout`.
std::optional<time_limit> guard_of(client_list const&, asio::any_io_executor const& here);

}  // namespace holdfast::detail

#endif
