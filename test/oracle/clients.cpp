//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/clients.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/detached.hpp>

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

}  // namespace

holdfast::client* client_set::client_of(step const& s, unsigned at)
{
    auto const process = process_of(s);
    auto& box = boxes_[{process, at}];
    if (box.was_destroyed)
        return nullptr;
    if (box.client)
        return box.client.get();
    holdfast::config c;
    c.lease = std::chrono::duration_cast<milliseconds>(settings_.lease);
    c.command_timeout = std::chrono::duration_cast<milliseconds>(settings_.command_timeout);
    c.poll_interval = std::chrono::duration_cast<milliseconds>(settings_.poll_interval);
    c.log = [this, name = "P" + std::to_string(process)](log_level, std::string_view line) { world_.note(name, line); };
    box.client = std::make_unique<holdfast::client>(world_.make_client(process, at, std::move(c)));
    box.client->run(asio::detached);
    model_.disturb_process(process, world_.now(), world_.now() + 20ms);  // it connects
    return box.client.get();
}

void client_set::make_all_of(program const& p)
{
    for (auto const& s : p.steps)
        for (auto const f : {field::lock, field::inner})
            if (s.has(f))
                has_clients_of(s, design_of(s.get(f)));
    for (auto& [at, box] : boxes_)
        box.client->ready([this](error_code) { ++connected_; });
}

bool client_set::has_clients_of(step const& s, lock_design const& d)
{
    bool all = true;
    for_each_part(d, [&](lock_design const& part) { all = client_of(s, part.server) && all; });
    return all;
}

owner const& client_set::owner_of(step const& s, unsigned at)
{
    auto& box = boxes_[{process_of(s), at}];
    auto const index = s.get(field::owner);
    auto found = box.owners.find(index);
    if (found == box.owners.end())
        found = box.owners
                    .emplace(
                        index,
                        index == process_owner ? box.client->process_owner()
                                               : box.client->make_owner(index == 1 ? "one" : ""))
                    .first;
    return found->second;
}

// ---- handles

std::optional<lock_handle> client_set::handle_of(step const& s)
{
    auto const& d = design_of(s.get(field::lock));
    if (d.kind == kind::latch || !has_clients_of(s, d))
        return std::nullopt;
    switch (d.kind) {
        case kind::fair: return make_fair(s, d);
        case kind::semaphore: return make_semaphore(s, d);
        case kind::election: return make_candidate(s, d);
        default: return make_lock(s, d);
    }
}

std::optional<latch> client_set::latch_of(step const& s)
{
    auto const& d = design_of(s.get(field::lock));
    if (d.kind != kind::latch || !has_clients_of(s, d))
        return std::nullopt;
    return latch(*client_of(s, d.server), d.key);
}

semaphore client_set::make_semaphore(step const& s, lock_design const& d)
{
    return {*client_of(s, d.server), d.key, {.permits = d.permits, .fair = d.has_queue, .numbered = d.fencing}};
}

detail::candidate client_set::make_candidate(step const& s, lock_design const& d)
{
    // As long as that of a fair lock: longer than any fault, so that a place is removed by its client.
    election const e(*client_of(s, d.server), d.key, {.candidate_timeout = 15s});
    return detail::make_candidate(e, "somebody", int(s.get(field::priority, 5)));
}

fair_lock client_set::make_fair(step const& s, lock_design const& d)
{
    fair_options const o{.fencing = d.fencing};
    auto& c = *client_of(s, d.server);
    return s.has(field::owner) ? fair_lock(c, d.key, owner_of(s, d.server), o) : fair_lock(c, d.key, o);
}

any_lock client_set::make_lock(step const& s, lock_design const& d)
{
    auto const members = [&] {
        std::vector<any_lock> all;
        for (auto const m : d.members)
            all.push_back(make_lock(s, locks[m]));
        return all;
    };
    auto const client = [&]() -> holdfast::client& { return *client_of(s, d.server); };
    rw_options const rw{
        .fencing = d.fencing,
        .prefer = static_cast<preference>(d.prefer),
        .peer_watchdog = milliseconds(d.peer_watchdog)};
    switch (d.kind) {
        case kind::mutex: return mutex(client(), d.key, {.fencing = d.fencing});
        case kind::reentrant:
            return reentrant_lock(client(), d.key, (client(), owner_of(s, d.server)), {.fencing = d.fencing});
        case kind::fair: return make_fair(s, d);
        case kind::read:
        case kind::write: {
            auto& c = client();
            auto const both = s.has(field::owner) ? read_write_lock(c, d.key, owner_of(s, d.server), rw)
                                                  : read_write_lock(c, d.key, rw);
            return d.kind == kind::read ? any_lock(both.read()) : any_lock(both.write());
        }
        case kind::semaphore: return make_semaphore(s, d);
        case kind::election: return make_candidate(s, d);
        case kind::multi: return multi_lock(members());
        case kind::red: return red_lock(members(), {.fencing = d.fencing, .trust_new_nodes = true});
        case kind::latch: break;
    }
    throw std::logic_error("no such kind");
}

// ---- their ends

client_box* client_set::begin_stop(step const& s)
{
    auto const at = boxes_.find({process_of(s), server_of(s)});
    if (at == boxes_.end() || !at->second.client)
        return nullptr;
    model_.stop(process_of(s), server_of(s), world_.now());
    at->second.was_stopped = true;
    return &at->second;
}

void client_set::stop(step const& s)
{
    if (auto* const box = begin_stop(s))
        box->client->stop();
}

void client_set::destroy(step const& s)
{
    auto* const box = begin_stop(s);
    if (!box)
        return;
    box->was_destroyed = true;
    box->owners.clear();
    box->client.reset();
}

void client_set::shut_down(step const& s)
{
    if (auto* const box = begin_stop(s))
        box->client->shutdown({.grace = milliseconds(s.get(field::us) / 1'000)}, asio::detached);
}

void client_set::destroy_all()
{
    for (auto& [at, box] : boxes_)
        box.client.reset();
}

}  // namespace holdfast::test::oracle
