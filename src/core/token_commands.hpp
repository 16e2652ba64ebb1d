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

// Whether the server may yet execute a command that sets the time to live of one token's key, and since when not.
//
// | state    | event                 | next     | why                                                            |
// |----------|-----------------------|----------|----------------------------------------------------------------|
// | any      | sent                  | pending  |                                                                |
// | pending  | answered              | settled  | it was executed before the answer came, and those before it,   |
// |          |                       |          | because a connection keeps the order                           |
// | pending  | unknown               | doubtful | a server that is stopped executes it when it goes on, also     |
// |          |                       |          | when the connection is closed by then                          |
// | doubtful | a new epoch           | settled  | its barrier ended the old connection (rule 8)                  |
//
// With several commands under way the state stays pending until each was answered; then the last answer decides.
class token_commands {
public:
    enum class state : std::uint8_t { settled, pending, doubtful };

    state current_state() const noexcept
    {
        return unanswered_ > 0 ? state::pending : is_doubtful_ ? state::doubtful : state::settled;
    }

    void on_sent() noexcept { ++unanswered_; }
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

    // The last moment at which one can have been executed; `never` while one may still be.
    instant settled() const noexcept { return current_state() == state::settled ? settled_ : never; }

private:
    unsigned unanswered_ = 0;
    bool is_doubtful_ = false;
    instant settled_ = instant::min();
};

// When a release may be given up, because the key must have expired: a whole time to live after the last moment at
// which a command can have set it. `queued`: no command that sets it was submitted later.
constexpr instant key_expiry(instant queued, instant settled, duration longest_lease) noexcept
{
    return settled == never ? never : std::max(queued, settled) + longest_lease + drift(longest_lease);
}

}  // namespace holdfast::core

#endif
