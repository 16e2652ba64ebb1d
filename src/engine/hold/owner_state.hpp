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

#include "core/keyed_bag.hpp"
#include "engine/hold/tenure.hpp"

namespace holdfast::engine {

class arbiter;

// One logical task that contends. Of one client; compared by identity.
class owner_state {
public:
    owner_state(std::weak_ptr<inbox> home, std::string label, bool is_process)
        : home_(std::move(home)), label_(std::move(label)), is_process_(is_process)
    {}

    std::string const& label() const noexcept { return label_; }
    std::weak_ptr<inbox> const& home() const noexcept { return home_; }

    // The one owner of a whole process: its tasks re-enter each other's tenures on purpose.
    bool is_process() const noexcept { return is_process_; }

    // Any thread: whether it holds the lock of that key now.
    bool holds(std::string_view key) const
    {
        std::scoped_lock const guard(mutex_);
        return std::ranges::any_of(held_.of(key), [](auto const* t) { return t->is_valid(); });
    }

    void begins(tenure& t)
    {
        std::scoped_lock const guard(mutex_);
        held_.add(t);
    }

    void ends(tenure& t)
    {
        std::scoped_lock const guard(mutex_);
        held_.remove(t);
    }

    // ---- on the strand
    // What it holds of that side of that lock; null: nothing that is valid then.
    tenure* tenure_of(lock_spec const& lock, core::instant now) const;
    tenure* tenure_of(lock_spec const& lock, std::uint8_t side, core::instant now) const;

    // Whether it stands in a queue for that lock. Twice would be two tasks.
    bool waits_for(lock_spec const& lock) const;
    // The arbiters in whose queues it stands for that side of that lock.
    std::vector<boost::intrusive_ptr<arbiter>> waits_at(lock_spec const& lock) const;
    void begins_to_wait(arbiter& a) { waits_.add(a); }
    void ends_to_wait(arbiter& a) { waits_.remove(a); }

private:
    struct key_of {
        std::string_view operator()(tenure const& t) const noexcept { return t.lock().key; }
        std::string_view operator()(arbiter const&) const noexcept;
    };

    std::weak_ptr<inbox> home_;
    std::string label_;
    bool is_process_;
    core::keyed_bag<arbiter, key_of> waits_;
    mutable std::mutex mutex_;
    core::keyed_bag<tenure, key_of> held_;  // an owner may hold thousands
};

// Empty: without an owner, too.
inline std::string_view label_of(std::shared_ptr<owner_state> const& owner) noexcept
{
    return owner ? std::string_view(owner->label()) : std::string_view();
}

}  // namespace holdfast::engine

#endif
