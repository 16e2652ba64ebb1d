//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_UNLOCK_MESSAGES_HPP
#define HOLDFAST_ENGINE_UNLOCK_MESSAGES_HPP

#include <utility>

#include "core/clock.hpp"
#include "core/turn_taking.hpp"

namespace holdfast::engine {

// The unlock messages that an acquisition has received since its last attempt. A message is a hint, never a proof, and
// any client may publish one (rule 13): so messages lead to attempts only at a limited pace. The client also receives
// the message of its own release, which does not mean that another client had its turn.
class unlock_messages {
public:
    // A message came. False: it is that of the own release.
    bool take() noexcept
    {
        if (std::exchange(is_own_expected_, false))
            return false;
        return announces_release_ = true;
    }

    // The own release was queued. `reaches_client`: this client is among the subscribers that receive its message.
    void on_own_release(bool reaches_client) noexcept { is_own_expected_ = is_own_counted_ = reaches_client; }
    // Whether other clients received that message. `receivers`: the number of all subscribers that received it.
    bool reached_others(unsigned receivers) const noexcept { return receivers > (is_own_counted_ ? 1U : 0U); }

    // Whether the lock is likely free: a message announced a release after the last attempt was sent.
    bool announce_release() const noexcept { return announces_release_; }
    // Forgets the messages, because they may be outdated, or because no contender is left.
    void forget_release() noexcept { announces_release_ = false; }
    // A new epoch: the message of the own release came on the old connection, or was lost.
    void on_open() noexcept { is_own_expected_ = announces_release_ = false; }

    // An attempt is sent. From here on every message counts: if that of the own release comes this late, it costs one
    // attempt. Returns whether the lock is likely free.
    bool on_attempt() noexcept
    {
        is_own_expected_ = false;
        return std::exchange(announces_release_, false);
    }

    // Whether an attempt to which messages led must wait for the pace.
    bool are_ahead_of_pace(core::instant now) const noexcept { return announces_release_ && now < pace.next(); }

    // Limits the attempts to which messages lead. Without it, forged messages could make one waiter send thousands of
    // commands in a second.
    core::message_pace pace;

private:
    bool announces_release_ = false;
    bool is_own_expected_ = false;  // until the message of the own release has come
    bool is_own_counted_ = false;   // among the receivers of the own release
};

}  // namespace holdfast::engine

#endif
