//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/cluster_model.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace holdfast::simulated {
namespace {

std::vector<std::string> keys_in(std::uint16_t slot, keyspace& of)
{
    auto all = of.names();
    std::erase_if(all, [slot](auto const& key) { return core::hash_slot(key) != slot; });
    return all;
}

// MIGRATE: the value and the time to live. A node creates no key of a slot that it is giving away, and the other one
// none that is there still: two values would be two locks.
void migrate(std::string const& key, redis_model& from, redis_model& to)
{
    if (to.keys().find(key))
        throw std::logic_error("both nodes of a half-moved slot have the key " + key);
    auto const& e = *from.keys().find(key);
    to.keys().put(key, e.data).expires_at = e.expires_at;
    to.replicas().record(to.keys());
    from.keys().erase(key);
    from.replicas().record(from.keys());
}

}  // namespace

cluster_model::cluster_model(bus b) : bus_(std::move(b)) {}

cluster_model::~cluster_model()
{
    for (auto const& m : members_)
        m.model->set_bus({});
}

void cluster_model::add(std::string name, redis_model& m)
{
    auto const number = static_cast<cluster_view::node>(members_.size());
    m.set_bus([this, number](std::string_view channel, std::string_view text) { publish(number, channel, text); });
    members_.push_back({.name = std::move(name), .model = &m});
    auto const all = names();
    for (auto& each : members_)
        for (auto known = each.hosts.size(); known != all.size(); ++known)
            each.hosts.push_back(all[known]);
    show(members_.back());
}

void cluster_model::replicate(std::string_view replica, std::string_view primary)
{
    members_[number_of(replica)].replicates = number_of(primary);
    for (auto& m : members_)
        show(m);
}

std::vector<std::string> cluster_model::names() const
{
    std::vector<std::string> all;
    for (auto const& m : members_)
        all.push_back(m.name);
    return all;
}

cluster_view::node cluster_model::number_of(std::string_view name) const
{
    auto const found = std::ranges::find(members_, name, &member::name);
    if (found == members_.end())
        throw std::invalid_argument("not a node of the cluster: " + std::string(name));
    return static_cast<cluster_view::node>(found - members_.begin());
}

std::string_view cluster_model::name_of(cluster_view::node n) const
{
    return n == cluster_view::no_node ? std::string_view() : members_[n].name;
}

void cluster_model::announce(std::string_view node, std::string host)
{
    auto const number = number_of(node);
    members_[number].hosts[number] = std::move(host);
    show(members_[number]);
    tell(number);
}

std::string const& cluster_model::host_of(std::string_view node) const
{
    auto const number = number_of(node);
    return members_[number].hosts[number];
}

void cluster_model::assign(std::uint16_t first, std::uint16_t last, std::string_view to)
{
    auto const primary = number_of(to);
    ++epoch_;
    for (auto& m : members_) {
        for (unsigned slot = first; slot <= last; ++slot)
            m.view.set(static_cast<std::uint16_t>(slot), {primary, epoch_});
        show(m);
    }
}

// CLUSTER SETSLOT NODE at the destination, which claims the slot with a new epoch, and then at the source.
void cluster_model::move(std::uint16_t slot, std::string_view to)
{
    auto const destination = number_of(to);
    auto const source = latest(slot).primary;
    if (source == cluster_view::no_node)
        throw std::invalid_argument("the slot has no primary");
    if (source == destination)
        return;
    if (auto const begun = destination_of(slot); !begun.empty() && begun != to)
        throw std::invalid_argument("the slot is being moved to " + std::string(begun));
    for (auto const& key : keys_in(slot, members_[source].model->keys()))
        migrate(key, *members_[source].model, *members_[destination].model);
    half_moved_.erase(slot);
    ++epoch_;
    for (auto const n : {destination, source}) {
        members_[n].view.set(slot, {destination, epoch_});
        show(members_[n]);
    }
    tell(destination);
}

// CLUSTER SETSLOT IMPORTING at the destination, then MIGRATING at the source.
void cluster_model::begin_move(std::uint16_t slot, std::string_view to)
{
    open_slot const o{latest(slot).primary, number_of(to)};
    if (o.from == cluster_view::no_node || o.from == o.to || half_moved_.contains(slot))
        throw std::invalid_argument("the slot cannot be moved");
    half_moved_.emplace(slot, o);
    members_[o.to].model->import_slot(slot);
    members_[o.from].model->migrate_slot(slot, members_[o.from].hosts[o.to]);
}

bool cluster_model::move_key(std::string_view key)
{
    auto const open = half_moved_.find(core::hash_slot(key));
    if (open == half_moved_.end())
        return false;
    auto& from = *members_[open->second.from].model;
    if (!from.keys().find(key))
        return false;
    migrate(std::string(key), from, *members_[open->second.to].model);
    return true;
}

std::vector<std::string> cluster_model::keys_to_move(std::uint16_t slot) const
{
    auto const open = half_moved_.find(slot);
    return open == half_moved_.end() ? std::vector<std::string>()
                                     : keys_in(slot, members_[open->second.from].model->keys());
}

std::string_view cluster_model::destination_of(std::uint16_t slot) const
{
    auto const open = half_moved_.find(slot);
    return open == half_moved_.end() ? std::string_view() : name_of(open->second.to);
}

bool cluster_model::has_half_moved(std::string_view node) const
{
    auto const number = number_of(node);
    return std::ranges::any_of(
        half_moved_, [number](auto const& entry) { return entry.second.from == number || entry.second.to == number; });
}

void cluster_model::isolate(std::string_view node)
{
    members_[number_of(node)].is_isolated = true;
}

void cluster_model::rejoin(std::string_view node)
{
    auto const number = number_of(node);
    auto& m = members_[number];
    m.is_isolated = false;
    for (cluster_view::node from = 0; from != members_.size(); ++from)
        if (!members_[from].is_isolated) {
            m.view.merge(members_[from].view);
            m.hosts[from] = members_[from].hosts[from];
        }
    show(m);
    if (std::ranges::none_of(m.view.ranges(), [number](auto const& r) { return r.primary == number; })) {
        m.model->replicas().detach_all();
        m.model->keys().clear();
    }
    tell(number);
}

core::slot_set cluster_model::promote(std::string_view replica, std::string_view primary, keyspace const& received)
{
    auto const successor = number_of(replica);
    auto const former = number_of(primary);
    if (has_half_moved(primary))
        throw std::invalid_argument("a slot of the primary is half-moved");
    auto& m = members_[successor];
    m.model->promote(received);
    m.replicates = cluster_view::no_node;
    ++epoch_;
    core::slot_set taken;
    for (std::uint16_t slot = 0; slot != core::hash_slots; ++slot)
        if (latest(slot).primary == former) {
            m.view.set(slot, {successor, epoch_});
            taken.set(slot);
        }
    show(m);
    tell(successor);
    return taken;
}

cluster_view::claim cluster_model::latest(std::uint16_t slot) const
{
    cluster_view::claim best;
    for (auto const& m : members_)
        if (m.view.of(slot).epoch > best.epoch)
            best = m.view.of(slot);
    return best;
}

std::string_view cluster_model::primary_of(std::uint16_t slot) const
{
    return name_of(latest(slot).primary);
}

std::string_view cluster_model::primary_of(std::uint16_t slot, std::string_view seen_by) const
{
    return name_of(members_[number_of(seen_by)].view.of(slot).primary);
}

// The message has the view of the time when it arrives, as if it was the last one of several.
void cluster_model::tell(cluster_view::node from)
{
    for (cluster_view::node to = 0; to != members_.size(); ++to)
        if (to != from)
            bus_(bus_message::view, [this, to, from] { learn(to, from); });
}

void cluster_model::learn(cluster_view::node to, cluster_view::node from)
{
    if (members_[to].is_isolated || members_[from].is_isolated)
        return;
    members_[to].view.merge(members_[from].view);
    members_[to].hosts[from] = members_[from].hosts[from];
    show(members_[to]);
}

// Passes the view of a node to its model.
void cluster_model::show(member& m)
{
    std::vector<slot_range> ranges;
    for (auto const& r : m.view.ranges()) {
        ranges.push_back({r.first, r.last, std::string(name_of(r.primary)), m.hosts[r.primary]});
        for (std::size_t i = 0; i != members_.size(); ++i)
            if (members_[i].replicates == r.primary)
                ranges.back().replicas.push_back({members_[i].name, m.hosts[i]});
    }
    m.model->set_slots(std::move(ranges), m.name);
}

void cluster_model::publish(cluster_view::node from, std::string_view channel, std::string_view text)
{
    for (cluster_view::node to = 0; to != members_.size(); ++to)
        if (to != from)
            bus_(bus_message::publication, [this, to, channel = std::string(channel), text = std::string(text)] {
                members_[to].model->deliver(channel, text);
            });
}

}  // namespace holdfast::simulated
