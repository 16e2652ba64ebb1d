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

// A place for a lease that the steps of a program refer to.
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
    // Move-assignment releases what was there.
    void put(slot& to, holdfast::lease, int hold);
    void move(slot& from, slot& to);
    void drop(slot&);
    void drop_all();
    // The program does not have it any more, without a drop.
    void forget(int hold);
    // What the program sees of that hold, if it has it in a slot.
    std::optional<lease_view> find(int hold) const;

    // ---- with_lock
    void enter_body(int hold, holdfast::lease const& l) { in_bodies_[hold] = &l; }
    void leave_body(int hold) { in_bodies_.erase(hold); }

    // Shows all of them to the model.
    void look();

private:
    world& world_;
    model& model_;
    std::array<slot, 8> slots_;
    std::map<int, holdfast::lease const*> in_bodies_;
};

}  // namespace holdfast::test::oracle

#endif
