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
#include "core/deadline_queue.hpp"

namespace holdfast::engine {

class runtime;

// Somebody who wants to be woken by messages on one channel.
class listener : public boost::intrusive::list_base_hook<> {
public:
    virtual void on_message() = 0;

protected:
    ~listener() = default;
};

// The one receiver of pushes. Subscriptions are counted per channel and linger for a second, so that a lock that is
// waited for again and again costs one SUBSCRIBE; many end in one UNSUBSCRIBE.
class subscriptions {
public:
    explicit subscriptions(runtime&);
    ~subscriptions();

    // Subscribes if nobody did, in order before whatever is submitted next. Precondition: the session is open.
    void join(std::string_view channel, listener&);
    void leave(std::string_view channel, listener&);

    // Whether the server counts us among those that hear a message sent now.
    bool is_subscribed(std::string_view channel) const noexcept { return channels_.contains(channel); }
    std::size_t size() const noexcept { return channels_.size(); }

    void on_open();
    void on_closed();
    void on_message(std::string_view channel);

private:
    struct channel;

    void forget_idle(core::instant now);

    runtime& runtime_;
    boost::unordered_flat_map<std::string_view, std::unique_ptr<channel>> channels_;
};

}  // namespace holdfast::engine

#endif
