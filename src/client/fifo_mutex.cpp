//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/fifo_mutex.hpp"

#include <algorithm>

#include "client/cancellation.hpp"
#include "core/memory_end.hpp"
#include "handle/completion.hpp"

namespace holdfast::detail {

// A mutex that was opened can always be entered.
bool fifo_mutex::try_enter() noexcept
{
    std::scoped_lock const guard(mutex_);
    return !std::exchange(is_taken_, true) || is_open_;
}

void fifo_mutex::wait(handler h)
{
    {
        std::scoped_lock const guard(mutex_);
        if (std::exchange(is_taken_, true) && !is_open_) {
            // The slot is assigned while the mutex is locked: once the waiter is in the queue, another thread may
            // complete the handler, and its slot is not valid any more. The slot keeps this object alive, because a
            // cancellation signal may outlive it.
            auto const number = ++last_;
            on_cancellation(h.handler, [self = shared_from_this(), number] { self->give_up(number); });
            queue_.emplace_back(number, std::move(h));
            return;
        }
    }
    complete_early<>(std::move(h), {});
}

// Called after mutex_ is unlocked: the post calls executors and allocators of users.
void fifo_mutex::complete_all(waiters all, error_code ec)
{
    core::run_or_end([&] {
        for (auto& [number, h] : all)
            complete_early<>(std::move(h), ec);
    });
}

// The mutex stays locked if there is a waiter, so that a newcomer cannot enter before it. splice() moves a waiter
// without an allocation.
void fifo_mutex::leave() noexcept
{
    waiters next;
    {
        std::scoped_lock const guard(mutex_);
        is_taken_ = !queue_.empty();
        if (is_taken_)
            next.splice(next.end(), queue_, queue_.begin());
    }
    complete_all(std::move(next), {});
}

void fifo_mutex::open() noexcept
{
    waiters all;
    {
        std::scoped_lock const guard(mutex_);
        is_open_ = true;
        all.swap(queue_);
    }
    complete_all(std::move(all), {});
}

// The waiter may have entered already: then the cancellation has no effect.
void fifo_mutex::give_up(std::uint64_t number)
{
    waiters removed;
    {
        std::scoped_lock const guard(mutex_);
        auto const at = std::ranges::find(queue_, number, &waiters::value_type::first);
        if (at != queue_.end())
            removed.splice(removed.end(), queue_, at);
    }
    complete_all(std::move(removed), asio::error::operation_aborted);
}

}  // namespace holdfast::detail
