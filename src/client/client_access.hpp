//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_ACCESS_HPP
#define HOLDFAST_CLIENT_ACCESS_HPP

#include <utility>

#include <holdfast/client.hpp>

#include "client/client_state.hpp"

namespace holdfast::detail {

// The private members of a client, for the library and its tests. make() takes the function that makes world and
// session: the simulator passes its own and runs everything else as it ships.
struct client_access {
    static client make(asio::any_io_executor executor, config const& c, client_state::io_maker const& make_io)
    {
        return client(client_state::make(std::move(executor), c, make_io));
    }
    static client_state& state_of(client& c) noexcept { return *c.state_; }
};

}  // namespace holdfast::detail

#endif
