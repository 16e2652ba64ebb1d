//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/subscriptions.hpp"

#include <cassert>
#include <utility>
#include <vector>

#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

constexpr auto linger = std::chrono::seconds(1);
// Those that end within this time end together: one command unsubscribes them all.
constexpr auto slack = std::chrono::milliseconds(500);

}  // namespace

struct subscriptions::channel final : core::deadline {
    channel(subscriptions& h, std::string_view n) : home(h), name(n) {}
    ~channel() { listeners.clear(); }

    void on_due(core::instant now) override { home.forget_idle(now); }

    subscriptions& home;
    std::string const name;
    boost::intrusive::list<listener> listeners;
};

subscriptions::subscriptions(runtime& r) : runtime_(r) {}

subscriptions::~subscriptions() = default;

void subscriptions::join(std::string_view name, listener& l)
{
    assert(runtime_.session().is_open() && !l.is_linked());
    if (!runtime_.session().notifies())
        return;
    auto found = channels_.find(name);
    if (found == channels_.end()) {
        auto fresh = std::make_unique<channel>(*this, name);
        auto const key = std::string_view(fresh->name);
        found = channels_.emplace(key, std::move(fresh)).first;
        runtime_.session().subscribe(key);
    }
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
        // A waiter that leaves between two connections leaves a subscription that ended with the first.
        if (ends && runtime_.session().is_open())
            runtime_.session().unsubscribe(c.name);
        return ends;
    });
}

// Between epochs nobody is subscribed: those who still wait are asked again for in on_open(), the lingering are not.
void subscriptions::on_closed()
{
    boost::unordered::erase_if(channels_, [](auto const& entry) { return entry.second->listeners.empty(); });
}

void subscriptions::on_open()
{
    if (!runtime_.session().notifies())
        return channels_.clear();
    for (auto const& [name, c] : channels_)
        runtime_.session().subscribe(name);
}

void subscriptions::on_message(std::string_view name)
{
    auto const found = channels_.find(name);
    if (found == channels_.end())
        return;
    // A listener may leave while it is told.
    std::vector<listener*> told;
    for (auto& l : found->second->listeners)
        told.push_back(&l);
    for (auto* l : told)
        if (l->is_linked())
            l->on_message();
}

}  // namespace holdfast::engine
