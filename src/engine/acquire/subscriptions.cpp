//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/subscriptions.hpp"

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/acquire/subscription_state.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

constexpr auto channel_linger = std::chrono::seconds(1);
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
    subscription_state state = subscription_state::requested;
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
    } else if (!engine::is_subscribed(found->second->state))
        renew(*found->second);
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
        runtime_.arm(c, runtime_.now() + channel_linger + slack);
}

bool subscriptions::is_subscribed(std::string_view name) const noexcept
{
    auto const found = channels_.find(name);
    return found != channels_.end() && engine::is_subscribed(found->second->state);
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
            renew(*c);
}

// If the session is not open yet, its on_open() subscribes.
void subscriptions::renew(channel& c)
{
    c.state = next(c.state, subscription_event::renewed).next;
    if (c.at->is_open() && c.at->session().notifies())
        c.at->session().subscribe(c.name);
}

// A server with sharded messages ends the subscriptions of a slot that leaves, and says so. As long as it has not, it
// may have the slot, because a seed may be out of date: then nobody else ends the subscription. Otherwise it refuses
// the command, without a reply.
void subscriptions::on_moved(core::slot_set const& moved)
{
    for (auto const& [name, c] : channels_) {
        if (!moved[c->slot])
            continue;
        if (c->at->is_open() && engine::is_subscribed(c->state))
            c->at->session().unsubscribe(name);
        c->at = &runtime_.shard_of(c->slot);
        renew(*c);
    }
}

// Null: the channel was unsubscribed meanwhile, or its slot has moved, so that server does not matter any more.
subscriptions::channel* subscriptions::find(shard const& at, std::string_view name) noexcept
{
    auto const found = channels_.find(name);
    return found != channels_.end() && found->second->at == &at ? found->second.get() : nullptr;
}

void subscriptions::on_subscribed(shard& at, std::string_view name)
{
    if (auto* const c = find(at, name))
        c->state = next(c->state, subscription_event::confirmed).next;
}

// A channel without listeners is not needed again.
bool subscriptions::on_unsubscribed(shard& at, std::string_view name)
{
    auto* const c = find(at, name);
    if (!c)
        return false;
    auto const t = next(c->state, subscription_event::ended);
    c->state = t.next;
    if (c->listeners.empty())
        channels_.erase(name);
    else if (t.step == subscription_step::look)
        on_message(name);
    return t.step == subscription_step::ask;
}

void subscriptions::on_served(shard& at, std::string_view name)
{
    bool const is_sharded = at.is_open() && at.session().server().messages == message_form::sharded;
    auto* const c = is_sharded ? find(at, name) : nullptr;
    if (!c)
        return;
    auto const t = next(c->state, subscription_event::served);
    c->state = t.next;
    if (t.step == subscription_step::give_up)
        return at.session().give_up_subscribing(name);
    if (t.step != subscription_step::repeat)
        return;
    at.session().subscribe(name);
    on_message(name);
}

// In two steps: a listener may join another channel. Without a listener no reply would show which server has the slot.
void subscriptions::on_slots()
{
    std::vector<std::string> repeated;
    for (auto const& [name, c] : channels_) {
        if (!c->at->is_open() || !c->at->session().notifies() || c->listeners.empty())
            continue;
        auto const t = next(c->state, subscription_event::slots);
        c->state = t.next;
        if (t.step != subscription_step::repeat)
            continue;
        c->at->session().subscribe(name);
        repeated.push_back(c->name);
    }
    for (auto const& name : repeated)
        on_message(name);
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
