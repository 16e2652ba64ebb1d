//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/replicated_server.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::test {

replicated_server::replicated_server(simulation& s, std::string address, replication_options o)
    : simulation_(s), address_(std::move(address)), options_(o), nodes_(o.replicas + 1)
{
    for (unsigned i = 1; i <= options_.replicas; ++i)
        server(i).model().demote();
    lead();
    for (unsigned i = 1; i <= options_.replicas; ++i)
        follow(i);
}

replicated_server::~replicated_server()
{
    for (unsigned i = 0; i != nodes_.size(); ++i)
        server(i).model().replicas().stream_to({});
}

template <class Function>
void replicated_server::after(core::duration d, Function f)
{
    auto& world = simulation_.world();
    world.at(world.now() + d, [alive = std::weak_ptr(alive_), f] {
        if (!alive.expired())
            f();
    });
}

void replicated_server::lead()
{
    simulation_.lead(address_, name_of(primary_));
    line().stream_to([this, from = primary_](replica r, simulated::replication::offset o) { send(from, r, o); });
}

void replicated_server::follow(unsigned n)
{
    nodes_[n] = {line().attach(primary().model().keys()), {}};
}

// Another failover may come first: the node then follows the primary of that time.
void replicated_server::follow_later(unsigned n, core::duration d)
{
    auto& chance = simulation_.world().chance();
    after(d + chance.between(options_.resync.least, options_.resync.most), [this, n] {
        bool const is_replica = n != primary_ && server(n).model().state() == simulated::condition::replica;
        if (is_replica && !nodes_[n].follows)
            follow(n);
    });
}

// Writes arrive in their order. The acknowledgement needs a working primary.
void replicated_server::send(unsigned from, replica r, simulated::replication::offset o)
{
    auto& world = simulation_.world();
    auto const lag = [&] { return world.chance().between(options_.lag.least, options_.lag.most); };
    auto const to = std::ranges::find(nodes_, std::optional(r), &node::follows);
    if (from != primary_ || to == nodes_.end())
        return;
    to->last_arrival = std::max(to->last_arrival, world.now() + lag());
    after(to->last_arrival - world.now(), [this, from, r, o, back = lag()] {
        server(from).model().replicas().receive(r, o);
        after(back, [this, from, r, o] {
            server(from).when_running([&model = server(from).model(), r, o] { model.acknowledge(r, o); });
        });
    });
}

std::optional<unsigned> replicated_server::best() const
{
    std::optional<unsigned> best;
    auto& line = const_cast<replicated_server&>(*this).line();
    for (unsigned i = 0; i != nodes_.size(); ++i)
        if (nodes_[i].follows && (!best || line.received(*nodes_[i].follows) > line.received(*nodes_[*best].follows)))
            best = i;
    return best;
}

bool replicated_server::fail_over(core::duration unaware)
{
    auto const next = best();
    if (!next)
        return false;
    auto& former = primary().model();
    auto const data = former.replicas().data(*nodes_[*next].follows);
    former.replicas().detach_all();
    auto const before = std::exchange(primary_, *next);
    ++fail_overs_;
    for (auto& n : nodes_)
        n.follows.reset();
    primary().model().promote(data);
    lead();
    for (unsigned i = 0; i != nodes_.size(); ++i)
        if (i != primary_ && i != before)
            follow_later(i, {});
    after(unaware, [this, before] { demote(before); });
    return true;
}

// Sentinel lets a demoted server close the connections of its clients.
void replicated_server::demote(unsigned n)
{
    if (n == primary_)
        return;
    server(n).model().demote();
    server(n).model().disconnect_all();
    follow_later(n, {});
}

void replicated_server::cut_off_replicas(core::duration d)
{
    line().detach_all();
    for (unsigned i = 0; i != nodes_.size(); ++i)
        if (std::exchange(nodes_[i].follows, std::nullopt))
            follow_later(i, d);
}

}  // namespace holdfast::test
