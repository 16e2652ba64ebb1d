//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/deadline_queue.hpp"

#include <cassert>

#include "core/turn_budget.hpp"

namespace holdfast::core {

deadline::~deadline()
{
    if (queue_)
        queue_->disarm(*this);
}

// A deadline may outlive its queue: its destructor must not use the queue then.
deadline_queue::~deadline_queue()
{
    for (auto const& e : heap_)
        e.what->queue_ = nullptr;
}

void deadline_queue::arm(deadline& d, instant due)
{
    assert(!d.queue_ || d.queue_ == this);
    if (d.is_armed())
        disarm(d);
    heap_.push_back({due, &d});
    d.queue_ = this;
    d.due_ = due;
    rise(heap_.size() - 1, {due, &d});
}

void deadline_queue::disarm(deadline& d) noexcept
{
    if (!d.is_armed())
        return;
    assert(d.queue_ == this && heap_[d.slot_].what == &d);
    auto const slot = d.slot_;
    auto const last = heap_.back();
    heap_.pop_back();
    d.queue_ = nullptr;
    if (slot == heap_.size())
        return;
    // The last entry fills the gap. It comes from another branch of the heap, so it may belong above or below the gap.
    if (slot > 0 && last.due < heap_[(slot - 1) / 2].due)
        rise(slot, last);
    else
        sink(slot, last);
}

void deadline_queue::run(instant now)
{
    // The loop reads the front anew each time: on_due() may arm, disarm or destroy any deadline, also its own.
    for (auto left = turn_budget; left > 0 && next() <= now; --left) {
        auto& due = *heap_.front().what;
        disarm(due);
        due.on_due(now);
    }
}

void deadline_queue::place(std::size_t slot, entry e) noexcept
{
    heap_[slot] = e;
    e.what->slot_ = slot;
}

void deadline_queue::rise(std::size_t slot, entry e) noexcept
{
    for (; slot > 0 && e.due < heap_[(slot - 1) / 2].due; slot = (slot - 1) / 2)
        place(slot, heap_[(slot - 1) / 2]);
    place(slot, e);
}

void deadline_queue::sink(std::size_t slot, entry e) noexcept
{
    for (auto child = 2 * slot + 1; child < heap_.size(); child = 2 * slot + 1) {
        if (child + 1 < heap_.size() && heap_[child + 1].due < heap_[child].due)
            ++child;
        if (e.due <= heap_[child].due)
            break;
        place(slot, heap_[child]);
        slot = child;
    }
    place(slot, e);
}

}  // namespace holdfast::core
