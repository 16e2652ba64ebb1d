//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/subscriptions.hpp"

#include <cassert>
#include <cstdint>
#include <utility>

#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

constexpr auto linger = std::chrono::seconds(1);
// Subscriptions whose time ends within this period of each other end together, by one command.
constexpr auto slack = std::chrono::milliseconds(500);

// The list does not count its members: a listener unlinks itself without access to the list, because on_message() moves
// listeners between two lists.
using listener_list = boost::intrusive::list<listener, boost::intrusive::constant_time_size<false>>;

}  // namespace

struct subscriptions::channel final : core::deadline {
    channel(subscriptions& h, std::string_view n, std::uint16_t i, shard& s) : home(h), name(n), slot(i), at(&s) {}
    // Unlinks the remaining listeners, which outlive the channel.
    ~channel() { listeners.clear(); }

    // Destroys this object, too.
    void on_due(core::instant now) override { home.forget_idle(now); }

    subscriptions& home;
    std::string const name;
    std::uint16_t const slot;
    shard* at;  // of its lock
    listener_list listeners;
};

subscriptions::subscriptions(runtime& r) : runtime_(r) {}

subscriptions::~subscriptions() = default;

void subscriptions::join(lock_spec const& of, std::string_view name, listener& l)
{
    auto& at = runtime_.shard_of(of);
    assert(at.is_open() && !l.is_linked());
    if (!at.session().notifies())
        return;
    auto found = channels_.find(name);
    if (found == channels_.end()) {
        auto fresh = std::make_unique<channel>(*this, name, of.slot, at);
        // A view into the channel's own copy of the name: the caller's name may contain a token that is destroyed
        // earlier.
        auto const key = std::string_view(fresh->name);
        found = channels_.emplace(key, std::move(fresh)).first;
        at.session().subscribe(key);
    }
    // The channel may have been about to end.
    runtime_.disarm(*found->second);
    found->second->listeners.push_back(l);
}

void subscriptions::leave(std::string_view name, listener& l)
{
    if (!l.is_linked())
        return;
    auto& c = *channels_.find(name)->second;
    c.listeners.erase(c.listeners.iterator_to(l));
    if (c.listeners.empty())
        runtime_.arm(c, runtime_.now() + linger + slack);
}

void subscriptions::forget_idle(core::instant now)
{
    boost::unordered::erase_if(channels_, [&](auto const& entry) {
        auto const& c = *entry.second;
        bool const ends = c.listeners.empty() && (!c.is_armed() || c.due() <= now + slack);
        // The subscription of a waiter that left during an outage ended with the connection, and nothing can be
        // submitted.
        if (ends && c.at->is_open())
            c.at->session().unsubscribe(c.name);
        return ends;
    });
}

// A subscription ends with its connection. on_open() renews those that have listeners; the others are not needed again.
void subscriptions::on_closed(shard& at)
{
    boost::unordered::erase_if(
        channels_, [&](auto const& entry) { return entry.second->at == &at && entry.second->listeners.empty(); });
}

void subscriptions::on_open(shard& at)
{
    // If the server refused subscriptions, the listeners are no longer linked, and their acquisitions poll.
    if (!at.session().notifies())
        boost::unordered::erase_if(channels_, [&](auto const& entry) { return entry.second->at == &at; });
    for (auto const& [name, c] : channels_)
        if (c->at == &at)
            at.session().subscribe(name);
}

// If the session to the new primary is not open yet, its on_open() subscribes.
void subscriptions::on_moved(core::slot_set const& moved)
{
    for (auto const& [name, c] : channels_) {
        if (!moved[c->slot])
            continue;
        if (c->at->is_open())
            c->at->session().unsubscribe(name);
        c->at = &runtime_.shard_of(c->slot);
        if (c->at->is_open() && c->at->session().notifies())
            c->at->session().subscribe(name);
    }
}

void subscriptions::on_message(std::string_view name)
{
    auto const found = channels_.find(name);
    if (found == channels_.end())
        return;
    // A message may lead to an attempt, by which other listeners may leave and be destroyed. So this function does not
    // iterate over the list, and leave() can also remove the listeners that have not received the message yet.
    auto& c = *found->second;
    listener_list rest;
    rest.swap(c.listeners);
    while (!rest.empty()) {
        auto& l = rest.front();
        rest.pop_front();
        c.listeners.push_back(l);
        l.on_message();
    }
}

}  // namespace holdfast::engine
