//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/mailbox.hpp"

#include <utility>

namespace holdfast::engine {

bool mailbox::push(message& m) noexcept
{
    auto* previous = last_.load(std::memory_order_relaxed);
    do
        m.next_ = previous;
    while (!last_.compare_exchange_weak(previous, &m, std::memory_order_release, std::memory_order_relaxed));
    return previous == nullptr;  // by now the message may have been delivered and destroyed
}

message* mailbox::take_all() noexcept
{
    message* reversed = nullptr;
    for (auto* l = last_.exchange(nullptr, std::memory_order_acquire); l != nullptr;)
        reversed = std::exchange(l, std::exchange(l->next_, reversed));
    return reversed;
}

void mailbox::deliver_all(client_engine& to)
{
    for (auto* l = take_all(); l != nullptr;)
        std::exchange(l, l->next_)->deliver(to);
}

void mailbox::discard_all() noexcept
{
    for (auto* l = take_all(); l != nullptr;)
        std::exchange(l, l->next_)->discard();
}

}  // namespace holdfast::engine
