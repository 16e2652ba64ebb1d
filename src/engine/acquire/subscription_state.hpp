//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SUBSCRIPTION_STATE_HPP
#define HOLDFAST_ENGINE_SUBSCRIPTION_STATE_HPP

#include <cstdint>

namespace holdfast::engine {

// What a client knows of its subscription to one channel. A server with sharded messages refuses a subscription without
// ending the connection, and without a reason: mostly because the slot of the channel is at another server. So the
// client asks for the slots, and subscribes once more if the slot is still there. A seed may be out of date; so if the
// server refuses again, its own answers decide: a server that executes a script for a key of the slot has the slot. One
// that does so before and after it has refused the subscription refuses for want of a permission. Other servers confirm
// nothing: their subscriptions stay `requested`.
enum class subscription_state : std::uint8_t {
    requested,  // sent, or to be sent when the connection opens
    confirmed,
    ended,     // refused, or ended by the server because the slot left; the client has asked for the slots
    repeated,  // sent again, because the slot seems to be still at this server
    refused,   // refused again; the listeners ask the server for the state of their locks
    owned,     // sent again, because the server has shown since that it has the slot
    denied,    // refused even so; the listeners ask once more, for the slot may have left in between
    given_up,  // the server still has the slot: the client lacks a permission
};

enum class subscription_event : std::uint8_t {
    confirmed,
    ended,    // the server has refused or ended it
    slots,    // a seed was asked after that, and says that this server has the slot
    served,   // the server has executed a script for a key of the slot
    renewed,  // the server has another connection, or the channel another server
};

// What follows an event.
enum class subscription_step : std::uint8_t {
    none,
    ask,      // the slots may be out of date
    repeat,   // subscribes, and the listeners look again, because they may have missed a message
    look,     // the listeners look again
    give_up,  // waiters at this server poll
};

// | state     | confirmed | ended         | slots            | served            | renewed   |
// |-----------|-----------|---------------|------------------|-------------------|-----------|
// | requested | confirmed | ended, ask    |                  |                   |           |
// | confirmed |           | ended, ask    |                  |                   | requested |
// | ended     | confirmed |               | repeated, repeat |                   | requested |
// | repeated  | confirmed | refused, look |                  |                   | requested |
// | refused   | confirmed |               |                  | owned, repeat     | requested |
// | owned     | confirmed | denied, look  |                  |                   | requested |
// | denied    | confirmed |               |                  | given_up, give_up | requested |
// | given_up  | confirmed |               |                  |                   | requested |
//
// Where the table is empty, the state stays. The caller of `renewed` subscribes if the connection is open.
struct subscription_transition {
    subscription_state next;
    subscription_step step = subscription_step::none;
    bool operator==(subscription_transition const&) const = default;
};

constexpr subscription_transition on_end(subscription_state s) noexcept
{
    using state = subscription_state;
    switch (s) {
        case state::requested:
        case state::confirmed: return {state::ended, subscription_step::ask};
        case state::repeated: return {state::refused, subscription_step::look};
        case state::owned: return {state::denied, subscription_step::look};
        default: return {s};
    }
}

constexpr subscription_transition on_served(subscription_state s) noexcept
{
    using state = subscription_state;
    switch (s) {
        case state::refused: return {state::owned, subscription_step::repeat};
        case state::denied: return {state::given_up, subscription_step::give_up};
        default: return {s};
    }
}

constexpr subscription_transition next(subscription_state s, subscription_event e) noexcept
{
    using state = subscription_state;
    switch (e) {
        case subscription_event::confirmed: return {state::confirmed};
        case subscription_event::renewed: return {state::requested};
        case subscription_event::ended: return on_end(s);
        case subscription_event::served: return on_served(s);
        case subscription_event::slots:
            if (s == state::ended)
                return {state::repeated, subscription_step::repeat};
            break;
    }
    return {s};
}

// Whether the server counts the client among the subscribers of the channel, as far as the client knows.
constexpr bool is_subscribed(subscription_state s) noexcept
{
    using state = subscription_state;
    return s == state::requested || s == state::confirmed || s == state::repeated || s == state::owned;
}

}  // namespace holdfast::engine

#endif
