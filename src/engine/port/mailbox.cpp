//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/mailbox.hpp"

#include <utility>

#include "core/turn_budget.hpp"

namespace holdfast::engine {

// Release: the strand sees what the sender wrote to the message before. The load is relaxed because the sender does not
// access the message that it finds; it only links to it. For the same reason an address that is used again (ABA) does
// no harm.
bool mailbox::push(message& m) noexcept
{
    auto* previous = last_.load(std::memory_order_relaxed);
    do
        m.next_ = previous;
    while (!last_.compare_exchange_weak(previous, &m, std::memory_order_release, std::memory_order_relaxed));
    // Not m.next_: the strand may have delivered and destroyed the message already.
    return previous == nullptr;
}

// Takes the whole stack at once and reverses it: the newest message is on top, but the oldest one comes first. A stop()
// that was sent after an acquire must not overtake it.
message* mailbox::take_all() noexcept
{
    message* reversed = nullptr;
    for (auto* l = last_.exchange(nullptr, std::memory_order_acquire); l != nullptr;)
        reversed = std::exchange(l, std::exchange(l->next_, reversed));
    return reversed;
}

// Both functions read the link before the call: a message may be destroyed, or sent again, during it. The delivery that
// the sender of the first message on the stack has scheduled may be this one, which delivers the rest of those before it.
bool mailbox::deliver(client_engine& to)
{
    bool const is_rest = rest_ != nullptr;
    if (!is_rest)
        rest_ = take_all();
    for (auto left = core::turn_budget; rest_ && left > 0; --left)
        std::exchange(rest_, rest_->next_)->deliver(to);
    return rest_ || (is_rest && last_.load(std::memory_order_relaxed));
}

void mailbox::discard_all() noexcept
{
    for (auto* l : {std::exchange(rest_, nullptr), take_all()})
        while (l)
            std::exchange(l, l->next_)->discard();
}

}  // namespace holdfast::engine
