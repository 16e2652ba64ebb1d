//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/simulated_cluster.hpp"

#include <algorithm>

#include "core/hash_slot.hpp"

namespace holdfast::test {

simulated_cluster::simulated_cluster(simulation& s, cluster_options o)
    : simulation_(s), options_(o), model_([this](simulated::bus_message what, auto arrive) {
          auto& world = simulation_.world();
          world.at(world.now() + delay(what), [alive = std::weak_ptr(alive_), arrive = std::move(arrive)] {
              if (!alive.expired())
                  arrive();
          });
      })
{
    unsigned const all = core::hash_slots;
    for (unsigned i = 0; i != options_.primaries; ++i) {
        names_.push_back("node-" + std::to_string(i));
        model_.add(names_.back(), node(i).model());
        auto const first = all * i / options_.primaries;
        auto const last = all * (i + 1) / options_.primaries - 1;
        model_.assign(static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last), names_.back());
    }
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

void simulated_cluster::move(std::string_view key, unsigned to)
{
    model_.move(core::hash_slot(key), names_.at(to));
}

void simulated_cluster::move_on(std::string_view key)
{
    auto const at = std::ranges::find(names_, model_.primary_of(core::hash_slot(key))) - names_.begin();
    move(key, static_cast<unsigned>(at + 1) % options_.primaries);
}

void simulated_cluster::move_any()
{
    auto& chance = simulation_.world().chance();
    auto const slot = static_cast<std::uint16_t>(chance.below(core::hash_slots));
    model_.move(slot, names_[chance.below(names_.size())]);
}

}  // namespace holdfast::test
