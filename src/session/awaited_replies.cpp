//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/awaited_replies.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::session {

// A circular buffer, so that a client in a steady state does not allocate (rule 24). If it is full, push_back() would
// overwrite the oldest entry.
void awaited_replies::push(entry e)
{
    if (entries_.full())
        entries_.set_capacity(2 * entries_.capacity());
    entries_.push_back(e);
    ++unsent_;
}

void awaited_replies::on_flush(core::instant now) noexcept
{
    for (auto e = entries_.end() - static_cast<std::ptrdiff_t>(std::exchange(unsent_, 0)); e != entries_.end(); ++e)
        e->sent = now;
}

awaited_replies::entry awaited_replies::take() noexcept
{
    auto const first = entries_.front();
    entries_.pop_front();
    return first;
}

// By index: a command that submits another one in on_answer() may reallocate the buffer, which invalidates iterators.
// The entry is cleared before the call, and stays in the buffer for the late reply.
void awaited_replies::expire(core::instant sent_by)
{
    for (std::size_t i = 0; i < entries_.size() && entries_[i].sent <= sent_by; ++i)
        if (auto* const c = std::exchange(entries_[i].to, nullptr))
            c->on_answer({.sent = entries_[i].sent});
}

core::instant awaited_replies::oldest_sent() const noexcept
{
    auto const first = std::ranges::find_if(entries_, [](entry const& e) { return e.to != nullptr; });
    return first == entries_.end() ? core::never : first->sent;
}

// Removes each entry before the call, because the call may forget the others. A command that was not flushed has no
// time of its send: it gets `now`.
void awaited_replies::give_up_all(core::instant now)
{
    while (!entries_.empty()) {
        auto const e = take();
        if (e.to)
            e.to->on_answer({.sent = std::min(e.sent, now)});
    }
    unsent_ = 0;
}

void awaited_replies::forget_all() noexcept
{
    entries_.clear();
    unsent_ = 0;
}

}  // namespace holdfast::session
