//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/router.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine {
namespace {

bool is_at_same_place(core::cluster_primary const& a, core::cluster_primary const& b)
{
    return a.host == b.host && a.port == b.port && a.name == b.name;
}

bool has_same_address(core::cluster_primary const& a, core::cluster_primary const& b)
{
    return a.host == b.host && a.port == b.port;
}

// The id stays when a node changes its address. A node of which MOVED told, or of a server without ids, is known by its
// address. MOVED does not tell the host name of its certificate: if there is one, the connection was made for another
// name, and is of no use.
bool is_same_node(core::cluster_primary const& known, core::cluster_primary const& p)
{
    if (!known.id.empty() && !p.id.empty())
        return known.id == p.id;
    return has_same_address(known, p) && (p.id.empty() || known.name == p.name);
}

}  // namespace

router::router(shard& first, session_maker make, log const& l, fitter fit)
    : first_(first), make_session_(std::move(make)), fit_(std::move(fit)), log_(l)
{}

// Translates the numbers of the map into those of the nodes, which stay the same from map to map.
core::slot_set router::take(core::cluster_map const& map)
{
    core::slot_set changed;
    if (is_stopped_)
        return changed;
    retired_.clear();
    std::vector<std::uint16_t> numbers;
    numbers.reserve(map.primaries.size());
    for (auto const& p : map.primaries)
        numbers.push_back(number_of(p));
    auto const by_slot = map.primary_by_slot();
    for (std::size_t slot = 0; slot != by_slot.size(); ++slot)
        if (by_slot[slot] != core::cluster_map::no_primary)
            changed[slot] = follow_map(static_cast<std::uint16_t>(slot), numbers[by_slot[slot]]);
    for (auto const number : numbers) {
        changed |= on(place_event::mapped, number);
        changed |= merge_namesakes(number);
    }
    return changed;
}

// MOVED has named a node by an address that the map gives to a known node, whose address has changed, or which has a
// certificate for another name. If it has an epoch, the next session of the node ends that connection first (rule 8).
core::slot_set router::merge_namesakes(std::uint16_t number)
{
    core::slot_set changed;
    auto& known = *nodes_[number];
    for (std::uint16_t other = 0; other != nodes_.size(); ++other) {
        auto& n = *nodes_[other];
        if (other == number || !n.primary.id.empty() || !has_same_address(n.primary, known.primary))
            continue;
        n.primary = {};
        changed |= slots_of(shard_id{other});
        std::ranges::replace(by_slot_, other, number);
        for (auto& [slot, r] : redirects_)
            if (r.sender == other)
                r.sender = number;
        if (n.at && n.at->has_epoch())
            known.last = n.at->session().last_connection();
        else if (n.at)
            retire(n);
    }
    return changed;
}

// Returns whether the slot has another primary now.
bool router::follow_map(std::uint16_t slot, std::uint16_t number)
{
    auto const at = redirects_.find(slot);
    if (at == redirects_.end())
        return assign(slot, number);
    auto& [sender, state] = at->second;
    auto const t = next(state, number == sender ? redirect_event::map_sender : redirect_event::map_other);
    state = t.next;
    if (state == redirect_state::mapped)
        redirects_.erase(at);
    return t.takes && assign(slot, number);
}

core::slot_set router::redirect(core::redirect const& to, shard const& from)
{
    core::slot_set changed;
    auto const sender = number_of(from);
    if (is_stopped_ || sender != primary_of(to.slot))
        return changed;
    auto& at = redirects_.try_emplace(to.slot, followed{sender, redirect_state::mapped}).first->second;
    auto const t = next(at.state, redirect_event::moved);
    at.state = t.next;
    if (!t.takes)
        return changed;
    at.sender = sender;
    changed[to.slot] = assign(to.slot, number_of({{}, std::string(to.host), to.port}));
    return changed;
}

core::slot_set router::doubt(shard& s)
{
    auto const number = number_of(s);
    for (auto& [slot, r] : redirects_)
        if (by_slot_[slot] == number)
            r.state = next(r.state, redirect_event::doubted).next;
    return on(place_event::doubted, number);
}

core::slot_set router::on_closed(shard& s)
{
    auto changed = doubt(s);
    return changed |= on(place_event::closed, number_of(s));
}

shard_place router::place_of(std::uint16_t number) const noexcept
{
    auto const& n = *nodes_[number];
    if (!has_slots(number))
        return shard_place::unused;
    if (is_at_same_place(n.primary, n.reached))
        return shard_place::current;
    return n.at->has_epoch() ? shard_place::former_open : shard_place::former;
}

// Returns the slots that have another shard now.
core::slot_set router::on(place_event e, std::uint16_t number)
{
    if (is_stopped_ || number == core::cluster_map::no_primary || !nodes_[number]->at)
        return {};
    auto& n = *nodes_[number];
    switch (next(place_of(number), e)) {
        case place_step::keep: return {};
        case place_step::drop: n.at->session().drop("the node has another address"); return {};
        case place_step::retire: break;
    }
    retire(n);
    return slots_of(shard_id{number});
}

// Precondition: the shard has no epoch, so that all its commands have their outcome.
void router::retire(node& n)
{
    n.at->stop();
    n.last = n.at->session().last_connection();
    retired_.push_back(std::move(n.at));
}

bool router::has_slots(std::uint16_t number) const noexcept
{
    return std::ranges::find(by_slot_, number) != by_slot_.end();
}

core::slot_set router::slots_of(shard_id s) const
{
    core::slot_set slots;
    for (std::size_t slot = 0; slot != by_slot_.size(); ++slot)
        slots[slot] = shard_id{by_slot_[slot]} == s;
    return slots;
}

shard* router::importing(core::redirect const& to)
{
    if (is_stopped_ || to.host.empty())
        return nullptr;
    auto const number = number_of({{}, std::string(to.host), to.port});
    if (!nodes_[number]->at)
        start(number);
    return nodes_[number]->at.get();
}

// Returns whether the slot has another primary now.
bool router::assign(std::uint16_t slot, std::uint16_t number)
{
    by_slot_.resize(core::hash_slots, core::cluster_map::no_primary);
    return std::exchange(by_slot_[slot], number) != number;
}

std::uint16_t router::number_of(core::cluster_primary const& p)
{
    auto const at = std::ranges::find_if(nodes_, [&](auto const& n) { return is_same_node(n->primary, p); });
    auto const number = static_cast<std::uint16_t>(at - nodes_.begin());
    if (at == nodes_.end())
        nodes_.push_back(std::make_unique<node>(node{.primary = p, .at = nullptr}));
    else if (!p.id.empty())
        (*at)->primary = p;  // the address may have changed
    return number;
}

std::uint16_t router::primary_of(std::uint16_t slot) const noexcept
{
    return by_slot_.empty() ? core::cluster_map::no_primary : by_slot_[slot];
}

shard& router::of(std::uint16_t slot)
{
    auto const number = primary_of(slot);
    if (number == core::cluster_map::no_primary)
        return first_;
    auto& n = *nodes_[number];
    if (!n.at && !is_stopped_)
        start(number);
    return n.at ? *n.at : first_;
}

shard* router::find(std::uint16_t slot) noexcept
{
    auto const number = primary_of(slot);
    return number == core::cluster_map::no_primary ? &first_ : nodes_[number]->at.get();
}

shard* router::find(shard_id s) noexcept
{
    return s == shard_id::first ? &first_ : nodes_[static_cast<std::uint16_t>(s)]->at.get();
}

bool router::have_same_primary(std::uint16_t a, std::uint16_t b) const noexcept
{
    return by_slot_.empty() || by_slot_[a] == by_slot_[b];
}

void router::record(core::slot_set const& changed, core::instant now)
{
    for (std::size_t slot = 0; slot != by_slot_.size(); ++slot)
        if (changed[slot])
            records_.on_primary(static_cast<std::uint16_t>(slot), by_slot_[slot], now);
    records_.on_nodes(named_primaries());
}

// Those of which a map has told, which alone have ids.
primary_records::node_list router::named_primaries() const
{
    primary_records::node_list named;
    for (auto const slot : slot_of_each()) {
        auto const number = primary_of(slot);
        if (number == core::cluster_map::no_primary)
            continue;
        auto const& p = nodes_[number]->primary;
        if (!p.id.empty())
            named.emplace(p.id, p.host + ":" + std::to_string(p.port));
    }
    return named;
}

void router::record(shard& s)
{
    if (auto const number = number_of(s); number != core::cluster_map::no_primary)
        records_.on_server(number, s.session().server());
}

std::vector<std::uint16_t> router::slot_of_each() const
{
    std::vector<std::uint16_t> slots;
    std::vector<bool> found(nodes_.size());
    for (std::size_t slot = 0; slot != by_slot_.size(); ++slot) {
        auto const number = by_slot_[slot];
        if (number != core::cluster_map::no_primary && !found[number])
            slots.push_back(static_cast<std::uint16_t>(slot));
        if (number != core::cluster_map::no_primary)
            found[number] = true;
    }
    return by_slot_.empty() ? std::vector<std::uint16_t>{0} : slots;
}

// The shard is in its place before its session starts: an event may ask for it.
void router::start(std::uint16_t number)
{
    auto& n = *nodes_[number];
    n.at = std::make_unique<shard>(make_session_(n.primary), log_, shard_id{number});
    n.reached = n.primary;
    fit_(*n.at, n.primary);
    n.at->session().follow(n.last);
    n.at->start(*events_);
}

void router::stop() noexcept
{
    is_stopped_ = true;
    for_each([](shard& s) { s.stop(); });
}

}  // namespace holdfast::engine
