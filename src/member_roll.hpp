//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MEMBER_ROLL_HPP
#define HOLDFAST_MEMBER_ROLL_HPP

#include <memory>
#include <string>

#include "lockable.hpp"
#include "try_each.hpp"

namespace holdfast::detail {

struct lock_state;
class red_state;

// Who belongs to a multi_lock: each lock once, however often it is given, and the members of a multi_lock in its place.
struct member_roll {
    lockables members;
    std::string name;       // of all together
    std::string complaint;  // empty, or why they cannot be held together

    void add(std::shared_ptr<lockable const> const&);

private:
    bool joins(lock_state const&);
    bool joins(red_state const&);
    void refuse_overlap(lockable const&);
    void compare(lock_state const&, lock_state const&);
    void compare(red_state const&, red_state const&);
};

}  // namespace holdfast::detail

#endif
