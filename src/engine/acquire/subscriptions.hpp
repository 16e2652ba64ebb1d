//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SUBSCRIPTIONS_HPP
#define HOLDFAST_ENGINE_SUBSCRIPTIONS_HPP

#include <memory>
#include <string>
#include <string_view>

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "core/deadline_queue.hpp"

namespace holdfast::engine {

class lock_spec;
class runtime;
class shard;

// Receives the messages of one channel. Must not be destroyed while it is linked.
class listener : public boost::intrusive::list_base_hook<> {
public:
    virtual void on_message() = 0;

protected:
    ~listener() = default;
};

// Receives all messages of a client and passes each to the listeners of its channel. Subscriptions are counted by
// channel and end one second after their last use (rule 14): a lock for which contenders wait again and again costs one
// SUBSCRIBE, and one UNSUBSCRIBE ends many of them. On the strand.
class subscriptions {
public:
    explicit subscriptions(runtime&);
    ~subscriptions();

    // The listener receives messages of a channel of that lock from here on, until leave(). The subscription, if it is
    // new, is sent to the lock's server before everything that is submitted to it later. No effect if the server
    // permits no subscriptions. Preconditions: the session is open, and the listener is not linked.
    void join(lock_spec const&, std::string_view channel, listener&);
    // No effect if the listener is not linked. Precondition: it joined this channel.
    void leave(std::string_view channel, listener&);

    // Whether the server counts this client among the subscribers that receive a message published now.
    bool is_subscribed(std::string_view channel) const noexcept;
    std::size_t size() const noexcept { return channels_.size(); }

    // Subscribes again for all listeners at that server: the session does not restore subscriptions.
    void on_open(shard&);
    void on_closed(shard&);
    // These slots have another primary: subscribes there for the listeners of their channels.
    void on_moved(core::slot_set const&);
    void on_message(std::string_view channel);
    // Of sharded messages only. That server has confirmed a subscription.
    void on_subscribed(shard& at, std::string_view channel);
    // That server has refused or ended a subscription. Returns whether the slots may be out of date. The listeners of a
    // channel that it refuses again receive a message, so that they ask it for the state of their locks.
    bool on_unsubscribed(shard& at, std::string_view channel);
    // That server has executed a script for a lock of that channel, so it has the slot now. If it has refused the channel
    // before, this subscribes again, and the listeners receive a message; if it refuses that, too, and has the slot
    // still, the client lacks a permission. No effect if nobody listens to the channel at that server.
    void on_served(shard& at, std::string_view channel);
    // The slots are up to date, and on_moved() was called: subscribes again to channels whose subscription has ended
    // although their slot has not moved. Their listeners receive a message, because they may have missed one.
    void on_slots();

private:
    struct channel;

    channel* find(shard const&, std::string_view name) noexcept;
    static void renew(channel&);
    void forget_idle(core::instant now);

    runtime& runtime_;
    boost::unordered_flat_map<std::string_view, std::unique_ptr<channel>> channels_;
};

}  // namespace holdfast::engine

#endif
