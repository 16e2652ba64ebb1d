//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_SUBSCRIPTION_RIGHT_HPP
#define HOLDFAST_CORE_SUBSCRIPTION_RIGHT_HPP

#include <cstdint>
#include <utility>

namespace holdfast::core {

// Whether a session may subscribe. A refused SUBSCRIBE costs the connection (rule 10), so the session does not
// subscribe in the next epoch and its waiters poll. An administrator may permit the channel later, so the session
// subscribes again in the epoch after that.
//
// | state    | event     | next     | log line                                    |
// |----------|-----------|----------|---------------------------------------------|
// | granted  | refused   | refused  | the server does not permit SUBSCRIBE        |
// | refused  | opened    | polling  |                                             |
// | polling  | opened    | retrying |                                             |
// | retrying | refused   | refused  |                                             |
// | retrying | confirmed | granted  | the server permits SUBSCRIBE again          |
//
// Any other event changes nothing.
class subscription_right {
public:
    enum class state : std::uint8_t { granted, refused, polling, retrying };
    // The change that the session logs. Repeated refusals are no change, so each is logged once.
    enum class change : std::uint8_t { none, polls, subscribes_again };

    state current_state() const noexcept { return state_; }
    bool may_subscribe() const noexcept { return state_ == state::granted || state_ == state::retrying; }

    // The server refused a subscription because a permission is missing.
    change on_refused() noexcept
    {
        auto const before = std::exchange(state_, state::refused);
        return before == state::granted ? change::polls : change::none;
    }
    // The server accepted a subscription.
    change on_confirmed() noexcept
    {
        if (state_ != state::retrying)
            return change::none;
        state_ = state::granted;
        return change::subscribes_again;
    }
    // A new epoch has begun.
    void on_open() noexcept
    {
        if (state_ == state::refused)
            state_ = state::polling;
        else if (state_ == state::polling)
            state_ = state::retrying;
    }

private:
    state state_ = state::granted;
};

}  // namespace holdfast::core

#endif
