//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/simulated_cluster.hpp"

#include <algorithm>
#include <utility>

#include "core/hash_slot.hpp"

namespace holdfast::test {

simulated_cluster::simulated_cluster(simulation& s, cluster_options o)
    : simulation_(s),
      options_(std::move(o)),
      roles_(options_.primaries, role::working),
      model_([this](simulated::bus_message what, auto arrive) { after(delay(what), std::move(arrive)); })
{
    unsigned const all = core::hash_slots;
    for (unsigned i = 0; i != options_.primaries + options_.replicas; ++i) {
        names_.push_back(options_.prefix + std::to_string(i));
        model_.add(names_.back(), node(i).model());
    }
    for (unsigned i = 0; i != options_.primaries; ++i) {
        auto const first = all * i / options_.primaries;
        auto const last = all * (i + 1) / options_.primaries - 1;
        model_.assign(static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last), names_[i]);
    }
    for (unsigned i = 0; i != options_.replicas; ++i) {
        model_.replicate(names_[options_.primaries + i], names_[i]);
        replicate(i);
    }
}

// The replica is not a server of its own until it is promoted: it is what the primary's model keeps for it. A stopped
// primary reads the acknowledgement when it goes on.
void simulated_cluster::replicate(unsigned primary)
{
    auto& from = node(primary);
    auto& line = from.model().replicas();
    line.attach(from.model().keys());
    line.stream_to([this, &from, &line](auto replica, auto offset) {
        auto const delay = [this] {
            return simulation_.world().chance().between(options_.replication.least, options_.replication.most);
        };
        after(delay(), [this, &from, &line, replica, offset, back = delay()] {
            line.receive(replica, offset);
            after(back, [&from, replica, offset] {
                from.when_running([&model = from.model(), replica, offset] { model.acknowledge(replica, offset); });
            });
        });
    });
}

bool simulated_cluster::fail_over(unsigned primary, core::duration until_promotion, core::duration until_wake)
{
    if (primary >= options_.replicas || roles_[primary] != role::working || model_.has_half_moved(names_[primary]))
        return false;
    roles_[primary] = role::stopped;
    node(primary).pause();
    if (options_.replication.most > core::duration::zero())
        node(primary).model().replicas().detach(0);  // what is under way is lost
    model_.isolate(names_[primary]);
    auto const wake = until_promotion + until_wake;
    auto& chance = simulation_.world().chance();
    auto const notice = wake + chance.between(std::chrono::milliseconds(2), std::chrono::milliseconds(6));
    after(until_promotion, [this, primary] { promote_replica_of(primary); });
    after(wake, [this, primary] { node(primary).resume(); });
    after(notice, [this, primary] {
        roles_[primary] = role::replica;
        model_.rejoin(names_[primary]);
    });
    return true;
}

void simulated_cluster::promote_replica_of(unsigned primary)
{
    roles_[primary] = role::replaced;
    auto const& r = node(primary).model().replicas();
    auto const taken = model_.promote(names_[options_.primaries + primary], names_[primary], r.data(0));
    failovers_.push_back({simulation_.now(), taken, r.received(0) < r.written()});
}

void simulated_cluster::replace_container(unsigned i, core::duration downtime, former_address how)
{
    auto const& name = names_.at(i);
    auto const former = model_.host_of(name);
    std::string const nobody = how == former_address::refuses ? "nobody" : "black hole";
    auto& none = simulation_.server(nobody);
    how == former_address::refuses ? none.shut_down() : none.pause();
    node(i).restart(false, downtime);
    simulation_.lead(former, nobody);
    after(downtime, [this, i, address = options_.prefix + "at-" + std::to_string(++addresses_)] {
        announce(i, address);
    });
}

void simulated_cluster::announce(unsigned i, std::string const& address)
{
    simulation_.lead(address, names_.at(i));
    model_.announce(names_[i], address);
}

simulated_cluster::role simulated_cluster::role_of(std::string_view node) const
{
    auto const at = static_cast<std::size_t>(std::ranges::find(names_, node) - names_.begin());
    return at < roles_.size() ? roles_[at] : role::working;
}

core::duration simulated_cluster::delay(simulated::bus_message what)
{
    auto const& d = what == simulated::bus_message::view ? options_.gossip : options_.bus;
    return simulation_.world().chance().between(d.least, d.most);
}

simulated_server& simulated_cluster::server_of(std::string_view key)
{
    return simulation_.server(model_.primary_of(core::hash_slot(key)));
}

void simulated_cluster::after(core::duration d, std::function<void()> f)
{
    auto& world = simulation_.world();
    world.at(world.now() + d, [alive = std::weak_ptr(alive_), f = std::move(f)] {
        if (!alive.expired())
            f();
    });
}

// The keys that have expired must not move.
void simulated_cluster::tell_time()
{
    for (auto const& name : names_)
        simulation_.server(name).execute({"PING"});
}

void simulated_cluster::move(std::string_view key, unsigned to)
{
    tell_time();
    auto const slot = core::hash_slot(key);
    auto const begun = model_.destination_of(slot);
    auto const destination = begun.empty() ? std::string_view(names_.at(to)) : begun;
    if (is_working(model_.primary_of(slot)) && is_working(destination))
        end_move(slot, destination);
}

void simulated_cluster::end_move(std::uint16_t slot, std::string_view to)
{
    model_.move(slot, to);
    wait_for_replica_of(to);
}

void simulated_cluster::wait_for_replica_of(std::string_view node)
{
    auto& r = simulation_.server(node).model().replicas();
    if (options_.moves_are_acknowledged && r.has_attached())
        r.receive(0, r.written());
}

void simulated_cluster::move_on(std::string_view key)
{
    move(key, next_of(key));
}

unsigned simulated_cluster::next_of(std::string_view key)
{
    return present((number_of(key) % options_.primaries + 1) % options_.primaries);
}

unsigned simulated_cluster::number_of(std::string_view key) const
{
    return static_cast<unsigned>(std::ranges::find(names_, model_.primary_of(core::hash_slot(key))) - names_.begin());
}

// That primary, or its successor.
unsigned simulated_cluster::present(unsigned primary) const
{
    return roles_[primary] >= role::replaced ? options_.primaries + primary : primary;
}

void simulated_cluster::move_slowly(std::string_view key, unsigned to, core::duration d)
{
    auto const slot = core::hash_slot(key);
    auto const& destination = names_.at(to);
    if (!model_.destination_of(slot).empty() || !is_working(model_.primary_of(slot)) || !is_working(destination))
        return;
    model_.begin_move(slot, destination);
    move_some(slot, simulation_.world().now() + d);
}

void simulated_cluster::move_on_slowly(std::string_view key, core::duration d)
{
    move_slowly(key, next_of(key), d);
}

// One key, then the next one after a pause, until the end of the move.
void simulated_cluster::move_some(std::uint16_t slot, core::instant end)
{
    auto const to = model_.destination_of(slot);
    if (to.empty())
        return;
    tell_time();
    auto& world = simulation_.world();
    if (world.now() >= end)
        return end_move(slot, to);
    auto const keys = model_.keys_to_move(slot);
    if (!keys.empty() && world.chance().happens(0.7)) {
        model_.move_key(keys[world.chance().below(keys.size())]);
        wait_for_replica_of(to);
    }
    auto const pause = std::min(
        end - world.now(), world.chance().between(core::duration::zero(), (end - world.now()) / 2));
    after(std::max(pause, core::duration(std::chrono::microseconds(50))), [this, slot, end] { move_some(slot, end); });
}

void simulated_cluster::move_any()
{
    auto& chance = simulation_.world().chance();
    auto const slot = static_cast<std::uint16_t>(chance.below(core::hash_slots));
    end_move(slot, names_[chance.below(options_.primaries)]);
}

}  // namespace holdfast::test
