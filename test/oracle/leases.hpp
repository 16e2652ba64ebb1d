//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_LEASES_HPP
#define HOLDFAST_TEST_ORACLE_LEASES_HPP

#include <array>
#include <map>
#include <optional>

#include <holdfast/lease.hpp>

#include "oracle/model.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

// A place for a lease; steps refer to it by its index.
struct slot {
    holdfast::lease lease;
    int hold = 0;  // in the model; 0: none, or an empty lease
};

lease_view view_of(holdfast::lease const&);

// The leases that a program has: those in its slots, and those of the bodies of with_lock.
class lease_set {
public:
    lease_set(world& w, model& m) : world_(w), model_(m) {}

    slot& at(std::int64_t index) { return slots_[std::size_t(index) % slots_.size()]; }
    // Move-assignment releases the lease that was there.
    void put(slot& to, holdfast::lease, int hold);
    void move(slot& from, slot& to);
    void drop(slot&);
    void drop_all();
    // The program no longer has the hold, but its lease was not dropped.
    void forget(int hold);
    // The lease of that hold as the program observes it, if it has it in a slot.
    std::optional<lease_view> find(int hold) const;

    // ---- with_lock
    void enter_body(int hold, holdfast::lease const& l) { in_bodies_[hold] = &l; }
    void leave_body(int hold) { in_bodies_.erase(hold); }

    // Reports the state of all leases to the model.
    void check();

private:
    world& world_;
    model& model_;
    std::array<slot, 8> slots_;
    std::map<int, holdfast::lease const*> in_bodies_;
};

}  // namespace holdfast::test::oracle

#endif
