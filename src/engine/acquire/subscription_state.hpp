//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SUBSCRIPTION_STATE_HPP
#define HOLDFAST_ENGINE_SUBSCRIPTION_STATE_HPP

#include <cstdint>

namespace holdfast::engine {

// What a client knows of its subscription to one channel. A server with sharded messages refuses a subscription without
// ending the connection, mostly because the slot of the channel is at another server. So the client asks for the slots,
// and subscribes once more if the slot is still there, together with an attempt of a waiter, whose answer tells the
// server that has the slot. Other servers confirm nothing: their subscriptions stay `requested`.
enum class subscription_state : std::uint8_t {
    requested,  // sent, or to be sent when the connection opens
    confirmed,
    ended,     // refused, or ended by the server because the slot left; the client has asked for the slots
    repeated,  // sent again, because the slot is still at this server
    refused,   // refused again; the client has asked for the slots
    given_up,  // the slot is at this server all the same: the client lacks a permission
};

enum class subscription_event : std::uint8_t {
    confirmed,
    ended,    // the server has refused or ended it
    slots,    // a seed was asked after that, and says that this server has the slot
    renewed,  // the server has another connection, or the channel another server
};

// What follows an event.
enum class subscription_step : std::uint8_t {
    none,
    ask,      // the slots may be out of date
    repeat,   // subscribes, and the waiters look again, because they may have missed a message
    give_up,  // waiters at this server poll
};

// | state     | confirmed | ended        | slots             | renewed   |
// |-----------|-----------|--------------|-------------------|-----------|
// | requested | confirmed | ended, ask   |                   |           |
// | confirmed |           | ended, ask   |                   | requested |
// | ended     | confirmed |              | repeated, repeat  | requested |
// | repeated  | confirmed | refused, ask |                   | requested |
// | refused   | confirmed |              | given_up, give_up | requested |
// | given_up  | confirmed |              |                   | requested |
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
        case state::repeated: return {state::refused, subscription_step::ask};
        default: return {s};
    }
}

constexpr subscription_transition on_slots(subscription_state s) noexcept
{
    using state = subscription_state;
    switch (s) {
        case state::ended: return {state::repeated, subscription_step::repeat};
        case state::refused: return {state::given_up, subscription_step::give_up};
        default: return {s};
    }
}

constexpr subscription_transition next(subscription_state s, subscription_event e) noexcept
{
    switch (e) {
        case subscription_event::confirmed: return {subscription_state::confirmed};
        case subscription_event::renewed: return {subscription_state::requested};
        case subscription_event::ended: return on_end(s);
        case subscription_event::slots: break;
    }
    return on_slots(s);
}

// Whether the server counts the client among the subscribers of the channel, as far as the client knows.
constexpr bool is_subscribed(subscription_state s) noexcept
{
    using state = subscription_state;
    return s == state::requested || s == state::confirmed || s == state::repeated;
}

}  // namespace holdfast::engine

#endif
