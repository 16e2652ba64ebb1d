//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_DEADLINE_QUEUE_HPP
#define HOLDFAST_CORE_DEADLINE_QUEUE_HPP

#include <cstddef>
#include <vector>

#include <boost/config.hpp>

#include "core/clock.hpp"

namespace holdfast::core {

class deadline_queue;

// Something that is due at some instant. It is a member or a base of its owner. Its destructor withdraws it from the
// queue, so an object may be destroyed while it is armed.
class BOOST_SYMBOL_VISIBLE deadline {
public:
    deadline() = default;
    deadline(deadline const&) = delete;
    deadline& operator=(deadline const&) = delete;

    bool is_armed() const noexcept { return queue_ != nullptr; }
    instant due() const noexcept { return due_; }

    // The queue calls it once, after it has disarmed the deadline: on_due() may arm it again, or destroy it.
    virtual void on_due(instant now) = 0;

protected:
    ~deadline();

private:
    friend class deadline_queue;

    deadline_queue* queue_ = nullptr;  // null: not armed
    std::size_t slot_ = 0;             // its index in the heap, so that disarm() need not search
    instant due_ = never;
};

// All deadlines of a client or a session behind one timer (rule 24): a timer of Asio for each command would cost a
// third of the throughput. It is a binary heap of pointers: arm() and disarm() are O(log n) and do not allocate once
// the vector has grown. Not thread-safe.
class BOOST_SYMBOL_VISIBLE deadline_queue {
public:
    deadline_queue() = default;
    deadline_queue(deadline_queue const&) = delete;
    deadline_queue& operator=(deadline_queue const&) = delete;
    ~deadline_queue();

    // Arms a deadline, or moves it if it is armed. Precondition: it is not armed in another queue.
    void arm(deadline&, instant due);
    // Does nothing if the deadline is not armed.
    void disarm(deadline&) noexcept;

    bool empty() const noexcept { return heap_.empty(); }
    std::size_t size() const noexcept { return heap_.size(); }

    // The earliest deadline; `never` if the queue is empty.
    instant next() const noexcept { return heap_.empty() ? never : heap_.front().due; }

    // Calls on_due() of the deadlines that are due by `now`, in order, with those that an on_due() arms: turn_budget of them.
    void run(instant now);

private:
    struct entry {
        instant due;  // a copy: comparisons need not follow the pointer
        deadline* what;
    };

    void place(std::size_t slot, entry) noexcept;
    void rise(std::size_t slot, entry) noexcept;
    void sink(std::size_t slot, entry) noexcept;

    std::vector<entry> heap_;
};

}  // namespace holdfast::core

#endif
