//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/faults.hpp"

#include <algorithm>
#include <chrono>

#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {

void fault_injector::inject(step const& s)
{
    if (s.what == verb::delete_key)
        return delete_keys(s);
    if (s.what == verb::foreign_key)
        return plant(s);
    if (s.what == verb::move_slot)
        return move_slot(s);
    if (s.what == verb::replace_node)
        return replace_node(s);
    if (s.what == verb::fail_over)
        return fail_over(s);
    auto const i = server_of(s);
    auto const from = world_.now();
    auto const time = std::chrono::microseconds(s.get(field::us));
    auto const end = time.count() > 0 ? from + time : core::never;
    auto const tail = end == core::never ? end : end + recovery;
    world_.inject(s, end);
    switch (s.what) {
        // In a cluster one of the primaries pauses; after a failover the promoted one.
        case verb::pause: return model_.disturb(i, from, tail, !s.has(field::to) && from >= demoted_);
        case verb::out_of_memory: model_.refuse(from); return model_.disturb(i, from, tail);
        case verb::deny: model_.deny(from); return model_.disturb(i, from, tail);
        case verb::lose_replies: return model_.disturb(i, from, tail);
        case verb::disconnect: return model_.disturb(i, from, from + recovery);
        case verb::restart:
            if (s.get(field::how) == 1)
                model_.lose_data(i, "", from, world_.now());
            return model_.disturb(i, from, from + time + recovery);
        case verb::freeze:
            return model_.disturb_process(process_of(s), from, (end == core::never ? from : end) + recovery);
        default: return;
    }
}

// A half-moved slot refuses releases, which are given up when the lease time has passed.
void fault_injector::move_slot(step const& s)
{
    auto const time = std::chrono::microseconds(s.get(field::us));
    if (time.count() > 0)
        model_.refuse(world_.now());
    world_.inject(s, world_.now() + time);
}

// Releases to a node that is away are given up when the lease time has passed.
void fault_injector::replace_node(step const& s)
{
    model_.refuse(world_.now());
    world_.inject(s, world_.now() + std::chrono::microseconds(s.get(field::us)));
}

// Grants and renewals are acknowledged; releases and counts of latches are not, and may be lost. The former master goes on
// serving its clients for that time.
void fault_injector::fail_over(step const& s)
{
    auto const from = world_.now();
    auto const demoted = from + std::chrono::microseconds(s.get(field::us));
    demoted_ = std::max(demoted_, demoted);
    model_.refuse(from);
    world_.inject(s, demoted);
    model_.replace(server_of(s));
    for (auto const& d : locks)
        if (d.kind == kind::latch)
            model_.lose_data(d.server, d.key, from, demoted);
}

void fault_injector::delete_keys(step const& s)
{
    for_each_part(design_of(s.get(field::lock)), [&](lock_design const& part) {
        auto const key = s.has(field::how) ? key_of(part, s.get(field::how)) : std::string(part.key);
        if (s.has(field::how))
            model_.lose_a_part();
        auto const from = world_.now();
        world_.delete_key(part.server, key);
        model_.lose_data(part.server, part.key, from, world_.now());
        std::erase(planted_, std::pair(part.server, key));
    });
}

// One of the keys that the lock has now; its own name if it has none.
std::string fault_injector::key_of(lock_design const& part, std::int64_t number)
{
    auto const tag = "{" + std::string(part.key) + "}";
    auto keys = world_.keys(part.server);
    std::erase_if(keys, [&](std::string const& k) { return k != part.key && k.find(tag) == k.npos; });
    std::ranges::sort(keys);
    return keys.empty() ? std::string(part.key) : keys[std::size_t(number) % keys.size()];
}

// Stores application data under the name of a lock, which looks like no token.
void fault_injector::plant(step const& s)
{
    auto const& d = design_of(s.get(field::lock));
    if (is_composite(d) || !world_.plant(d, s.get(field::how)))
        return;
    planted_.emplace_back(d.server, std::string(d.key));
    model_.plant(d, world_.now());
}

void fault_injector::disturb_everything()
{
    for (unsigned i = 0; i < server_count; ++i)
        model_.disturb(i, world_.now(), core::never);
}

void fault_injector::heal()
{
    model_.heal(world_.now());
    world_.heal();
    for (auto const& [at, key] : planted_) {
        if (!world_.exists(at, key) && !model_.has_lost_data())
            model_.report("application_data_survives", "the application's key " + key + " was deleted");
        world_.delete_key(at, key);
    }
}

}  // namespace holdfast::test::oracle
