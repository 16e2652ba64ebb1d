//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_DEADLINE_QUEUE_HPP
#define HOLDFAST_CORE_DEADLINE_QUEUE_HPP

#include <cstddef>
#include <vector>

#include "core/clock.hpp"

namespace holdfast::core {

class deadline_queue;

// Something that is due at some instant. A part or base of its owner; withdraws itself when destroyed.
class deadline {
public:
    deadline() = default;
    deadline(deadline const&) = delete;
    deadline& operator=(deadline const&) = delete;

    bool is_armed() const noexcept { return queue_ != nullptr; }
    instant due() const noexcept { return due_; }

    // Called once, disarmed.
    virtual void on_due(instant now) = 0;

protected:
    ~deadline();

private:
    friend class deadline_queue;

    deadline_queue* queue_ = nullptr;
    std::size_t slot_ = 0;
    instant due_ = never;
};

// All deadlines of a client, behind one timer: a binary heap of pointers, so that arming and disarming cost
// O(log n) without allocation.
class deadline_queue {
public:
    deadline_queue() = default;
    deadline_queue(deadline_queue const&) = delete;
    deadline_queue& operator=(deadline_queue const&) = delete;
    ~deadline_queue();

    // Arms, or moves one that is armed.
    void arm(deadline&, instant due);
    void disarm(deadline&) noexcept;

    bool empty() const noexcept { return heap_.empty(); }
    std::size_t size() const noexcept { return heap_.size(); }

    // The earliest; `never` when empty.
    instant next() const noexcept { return heap_.empty() ? never : heap_.front().due; }

    // Calls on_due() of everything due by `now`, also of what becomes so meanwhile.
    void run(instant now);

private:
    struct entry {
        instant due;
        deadline* what;
    };

    void place(std::size_t slot, entry) noexcept;
    void rise(std::size_t slot, entry) noexcept;
    void sink(std::size_t slot, entry) noexcept;

    std::vector<entry> heap_;
};

}  // namespace holdfast::core

#endif
