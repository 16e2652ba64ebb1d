//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SERVER_IDENTITY_HPP
#define HOLDFAST_ENGINE_SERVER_IDENTITY_HPP

#include <boost/static_string/static_string.hpp>

#include "core/clock.hpp"

namespace holdfast::engine {

// What a server says of itself when an epoch is opened: each epoch has one server, and a server that was started anew
// opens another epoch.
struct server_identity {
    using run_id_type = boost::static_string<64>;

    run_id_type run_id = {};                    // of this run of the server; empty: it does not say
    core::instant running_since = core::never;  // at the latest; never: it does not say

    bool is_same_server(server_identity const& other) const noexcept
    {
        return !run_id.empty() && run_id == other.run_id;
    }
};

}  // namespace holdfast::engine

#endif
