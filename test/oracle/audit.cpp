//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/audit.hpp"

#include <algorithm>
#include <string>

namespace holdfast::test::oracle {
namespace {

// The record of a leader whose release was given up, because its lock had expired.
bool is_record(std::string_view key)
{
    return key.starts_with("holdfast_leader:");
}

// Fencing counters may stay, the numbers of a semaphore, which count for nothing without its permits, and what a latch
// remembers of its last use.
bool may_stay(std::string_view key)
{
    return key.starts_with("holdfast_fence:") || key.starts_with("redisson_lock_token:")
           || key.starts_with("holdfast_permit_numbers:") || key.starts_with("holdfast_latch");
}

// The counter of a semaphore stays, with all of its permits.
bool is_full_semaphore(std::string_view key, std::string_view value)
{
    return std::ranges::any_of(locks, [&](lock_design const& d) {
        return d.kind == kind::semaphore && d.key == key && std::to_string(d.permits) == value;
    });
}

// docs/semaphore.md: permits whose time has passed are removed when another contender needs them, so those that stayed
// taken are still there.
// docs/operations.md: a permit may be lost where the server refuses a command in the middle of a script. A permit is
// not released while the counter is application data.
bool is_part_of_semaphore(std::string_view key)
{
    return std::ranges::any_of(locks, [&](lock_design const& d) {
        return d.kind == kind::semaphore && (d.key == key || "{" + std::string(d.key) + "}:timeout" == key);
    });
}

}  // namespace

std::optional<finding> audit::check()
{
    auto first = check_clients();
    bool const has_expired = !may_leave_keys() || (!first && world_.let_keys_expire());
    for (unsigned i = 0; i < server_count && !first && has_expired; ++i)
        first = check_keys(i);
    for (unsigned i = 0; i < server_count && !first && !model_.has_stopped_client(); ++i)
        first = check_channels(i);
    return first;
}

void audit::expire_keys()
{
    for (unsigned i = 0; i < server_count; ++i)
        for (auto const& key : world_.keys(i))
            if (!may_stay(key))
                world_.delete_key(i, key);
}

void audit::run()
{
    if (auto const first = check())
        model_.report(first->check, first->text);
    counters sum;
    clients_.for_each([&](client_box& box) {
        auto const s = box.client ? box.client->stats() : holdfast::stats();
        sum = {sum.acquired + s.acquired, sum.busy + s.busy, sum.unavailable + s.unavailable};
    });
    model_.check_counters(sum);
    clients_.destroy_all();
    world_.finish();
}

std::optional<finding> audit::check_clients()
{
    found first;
    clients_.for_each([&](client_box& box) {
        if (!first && box.client && !box.was_stopped)
            first = check_client(box);
    });
    return first;
}

std::optional<finding> audit::check_client(client_box& box)
{
    auto const stats = box.client->stats();
    if (stats.held + stats.waiting > 0)
        return finding{
            "gauges_return_to_zero",
            std::to_string(stats.held) + " held, " + std::to_string(stats.waiting) + " waiting"};
    auto const left = world_.census(*box.client);
    if (left != engine::client_engine::census{})
        return finding{
            "nothing_is_left_in_the_client",
            std::to_string(left.arbiters) + " arbiters, " + std::to_string(left.deadlines) + " deadlines, "
                + std::to_string(left.channels) + " channels, " + std::to_string(left.releases) + " releases"};
    return std::nullopt;
}

std::optional<finding> audit::check_keys(unsigned server)
{
    auto const is_excused = [&](std::string_view key) {
        return may_stay(key) || (is_record(key) && model_.had_faults())
               || (is_part_of_semaphore(key)
                   && (model_.had_refusals() || model_.had_foreign_data() || model_.has_kept_permits()));
    };
    for (auto const& key : world_.keys(server))
        if (!is_excused(key) && world_.exists(server, key) && !is_full_semaphore(key, world_.text(server, key)))
            return finding{"nothing_is_left_on_the_server", "key " + key};
    return std::nullopt;
}

std::optional<finding> audit::check_channels(unsigned server)
{
    for (auto const& d : locks)
        for (auto const* const channel :
             {"redisson_lock__channel:{", "redisson_rwlock:{", "redisson_sc:{", "redisson_countdownlatch__channel__{"})
            if (d.server == server && world_.subscribers(server, channel + std::string(d.key) + "}") != 0)
                return finding{"no_subscription_is_left", "of " + std::string(d.key)};
    return std::nullopt;
}

}  // namespace holdfast::test::oracle
