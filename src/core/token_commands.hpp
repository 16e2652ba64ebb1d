//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_TOKEN_COMMANDS_HPP
#define HOLDFAST_CORE_TOKEN_COMMANDS_HPP

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/clock.hpp"
#include "core/validity.hpp"

namespace holdfast::core {

// Whether the server may still execute a command that sets the time to live of one token's key, and if not, since when.
// A release that is given up earlier would leave a key that lasts for a whole lease time.
//
// | state    | event       | next     | why                                                         |
// |----------|-------------|----------|-------------------------------------------------------------|
// | any      | sent        | pending  |                                                             |
// | pending  | answered    | settled  | the server executed it before it replied, and the commands  |
// |          |             |          | before it, because a connection keeps the order             |
// | pending  | unknown     | doubtful | a stopped server executes it when it continues, even if the |
// |          |             |          | client has closed the connection meanwhile                  |
// | doubtful | a new epoch | settled  | its barrier ended the old connection (rule 8)               |
//
// With several commands under way the state stays pending until each has its outcome; then the last outcome decides.
class token_commands {
public:
    enum class state : std::uint8_t { settled, pending, doubtful };

    state current_state() const noexcept
    {
        return unanswered_ > 0 ? state::pending : is_doubtful_ ? state::doubtful : state::settled;
    }

    void on_sent() noexcept { ++unanswered_; }
    // `is_known`: false if the outcome is unknown.
    void on_answered(instant now, bool is_known) noexcept
    {
        --unanswered_;
        is_doubtful_ = !is_known;
        settled_ = std::max(settled_, now);
    }
    void on_barrier(instant now) noexcept
    {
        if (std::exchange(is_doubtful_, false))
            settled_ = std::max(settled_, now);
    }

    // The latest instant at which the server can have executed one of them; `never` while it may still do so.
    instant settled() const noexcept { return current_state() == state::settled ? settled_ : never; }

private:
    unsigned unanswered_ = 0;   // commands under way
    bool is_doubtful_ = false;  // the last outcome was unknown, and no epoch has begun since
    instant settled_ = instant::min();
};

// Returns when a release may be given up because the key must have expired: a whole time to live after the latest
// instant at which a command can have set it. `queued`: the client submitted no such command after that instant. The
// drift allowance covers a server whose clock is slower than the client's.
constexpr instant key_expiry(instant queued, instant settled, duration longest_lease) noexcept
{
    return settled == never ? never : std::max(queued, settled) + longest_lease + drift(longest_lease);
}

}  // namespace holdfast::core

#endif
