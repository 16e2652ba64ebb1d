//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_OWNER_STATE_HPP
#define HOLDFAST_ENGINE_OWNER_STATE_HPP

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tenure.hpp"

namespace holdfast::engine {

class arbiter;

// One logical task that contends. Of one client; compared by identity.
class owner_state {
public:
    owner_state(std::weak_ptr<gate> home, std::string label, bool is_process)
        : home_(std::move(home)), label_(std::move(label)), is_process_(is_process)
    {}

    std::string const& label() const noexcept { return label_; }
    std::weak_ptr<gate> const& home() const noexcept { return home_; }

    // The one owner of a whole process: its tasks re-enter each other's tenures on purpose.
    bool is_process() const noexcept { return is_process_; }

    // Any thread: whether it holds the lock of that key now.
    bool holds(std::string_view key) const
    {
        std::scoped_lock const guard(mutex_);
        return std::ranges::any_of(held_, [&](auto const& t) { return t->lock().key == key && t->is_valid(); });
    }

    void begins(tenure& t)
    {
        std::scoped_lock const guard(mutex_);
        held_.emplace_back(&t);
    }

    void ends(tenure& t)
    {
        std::scoped_lock const guard(mutex_);
        std::erase(held_, &t);
    }

    // On the strand: the arbiters in whose queues it stands. Twice in one queue would be two tasks.
    bool waits_at(arbiter const& a) const { return std::ranges::count(waits_, &a) != 0; }
    void begins_to_wait(arbiter const& a) { waits_.push_back(&a); }
    void ends_to_wait(arbiter const& a) { waits_.erase(std::ranges::find(waits_, &a)); }

private:
    std::weak_ptr<gate> home_;
    std::string label_;
    bool is_process_;
    std::vector<arbiter const*> waits_;
    mutable std::mutex mutex_;
    std::vector<tenure*> held_;
};

}  // namespace holdfast::engine

#endif
