//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/audit.hpp"

#include <string>

namespace holdfast::test::oracle {
namespace {

// Only the counters of fencing tokens stay.
bool may_stay(std::string_view key)
{
    return key.starts_with("holdfast_fence:") || key.starts_with("redisson_lock_token:");
}

}  // namespace

void audit::run()
{
    clients_.for_each([&](client_box& box) { check_client(box); });
    // What a client that was stopped held expires some time, and so does what it was not permitted to release.
    if (model_.has_stopped_client() || model_.had_refusals())
        world_.let_keys_expire();
    for (unsigned i = 0; i < server_count; ++i)
        check_keys(i);
    for (unsigned i = 0; i < server_count && !model_.has_stopped_client(); ++i)
        check_channels(i);
    clients_.destroy_all();
    world_.finish();
}

void audit::check_client(client_box& box)
{
    if (!box.client || box.was_stopped)
        return;
    auto const stats = box.client->stats();
    if (stats.held + stats.waiting > 0)
        model_.report(
            "gauges_return_to_zero",
            std::to_string(stats.held) + " held, " + std::to_string(stats.waiting) + " waiting");
    auto const left = world_.census(*box.client);
    if (left != engine::context::census{})
        model_.report(
            "nothing_is_left_in_the_client",
            std::to_string(left.arbiters) + " arbiters, " + std::to_string(left.deadlines) + " deadlines, "
                + std::to_string(left.channels) + " channels, " + std::to_string(left.releases) + " releases");
}

void audit::check_keys(unsigned server)
{
    for (auto const& key : world_.keys(server))
        if (!may_stay(key) && world_.exists(server, key))
            model_.report("nothing_is_left_on_the_server", "key " + key);
}

void audit::check_channels(unsigned server)
{
    for (auto const& d : locks)
        for (auto const* const channel : {"redisson_lock__channel:{", "redisson_rwlock:{"})
            if (d.server == server && world_.subscribers(server, channel + std::string(d.key) + "}") != 0)
                model_.report("no_subscription_is_left", "of " + std::string(d.key));
}

}  // namespace holdfast::test::oracle
