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

// One logical task that acquires locks of one client. Handles and tenures share it; owners are compared by identity. A
// mutex guards what it holds, because owner::holds() may be called from any thread; all other functions that change or
// read its state are called on the strand.
class owner_state {
public:
    owner_state(std::weak_ptr<inbox> home, std::string label, bool is_process)
        : home_(std::move(home)), label_(std::move(label)), is_process_(is_process)
    {}

    std::string const& label() const noexcept { return label_; }
    std::weak_ptr<inbox> const& home() const noexcept { return home_; }

    // Whether it is the owner of the whole process, whose tasks re-enter each other's tenures on purpose.
    bool is_process() const noexcept { return is_process_; }

    // Whether it holds the lock of that key now. Thread-safe: ends() removes a tenure before it can be destroyed.
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
    // Its tenure of that side of that lock that is valid then; null: none.
    tenure* tenure_of(lock_spec const& lock, core::instant now) const;
    tenure* tenure_of(lock_spec const& lock, std::uint8_t side, core::instant now) const;

    // Whether a contender of it waits for that lock. A second one would mean that two tasks share the owner.
    bool waits_for(lock_spec const& lock) const;
    // The arbiters at which contenders of it wait for that side of that lock. They are kept, because a contender that
    // leaves may end its arbiter.
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
    core::keyed_bag<tenure, key_of> held_;  // by key: an owner may hold thousands of locks
};

// The owner's label; empty if there is no owner.
inline std::string_view label_of(std::shared_ptr<owner_state> const& owner) noexcept
{
    return owner ? std::string_view(owner->label()) : std::string_view();
}

}  // namespace holdfast::engine

#endif
