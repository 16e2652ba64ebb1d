//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "member_roll.hpp"

#include <vector>

#include "composite.hpp"
#include "lock_state.hpp"
#include "red_state.hpp"

namespace holdfast::detail {
namespace {

// Locks of one server with one key are one lock.
bool is_same_place(lock_state const& a, lock_state const& b) noexcept
{
    bool const one_client = !a.origin.owner_before(b.origin) && !b.origin.owner_before(a.origin);
    return one_client && a.lock.key == b.lock.key;
}

bool is_write(lock_state const& l) noexcept
{
    return l.lock.form == &engine::write_form();
}

bool is_read(lock_state const& l) noexcept
{
    return l.lock.form == &engine::read_form();
}

// The two sides of a read_write_lock.
bool is_pair(lock_state const& a, lock_state const& b) noexcept
{
    return (is_read(a) && is_write(b)) || (is_write(a) && is_read(b));
}

// The locks that it takes: those of a red_lock, or itself.
std::vector<lock_state const*> locks_taken_by(lockable const& l)
{
    std::vector<lock_state const*> all;
    if (auto const* one = dynamic_cast<lock_state const*>(&l))
        all.push_back(one);
    else if (auto const* several = dynamic_cast<red_state const*>(&l))
        for (auto const& m : several->members())
            if (auto const* part = dynamic_cast<lock_state const*>(m.get()))
                all.push_back(part);
    return all;
}

}  // namespace

// One lock, given as both of them.
void member_roll::compare(lock_state const& one, lock_state const& other)
{
    if (!is_pair(one, other) && one.lock.form != other.lock.form)
        complaint = "members: " + in_quotes(one.name()) + " is given as two kinds of lock";
    else if (one.owner != other.owner)
        complaint = "members: " + in_quotes(one.name()) + " is given for two owners";
}

void member_roll::compare(red_state const& one, red_state const& other)
{
    for (auto const& m : one.members())
        for (auto const& n : other.members()) {
            auto const* a = dynamic_cast<lock_state const*>(m.get());
            auto const* b = dynamic_cast<lock_state const*>(n.get());
            if (a && b && is_same_place(*a, *b))
                compare(*a, *b);
        }
}

// A red_lock and whoever else takes one of its locks are two contenders: they could never be held together.
void member_roll::refuse_overlap(lockable const& l)
{
    auto const ours = locks_taken_by(l);
    for (auto const& m : members)
        for (auto const* theirs : locks_taken_by(*m))
            for (auto const* one : ours)
                if (is_same_place(*one, *theirs))
                    complaint = "members: " + in_quotes(one->name()) + " is a server's lock of a red_lock, too";
}

// Whether it is a member already, perhaps as another kind of lock.
bool member_roll::joins(lock_state const& one)
{
    for (auto& m : members) {
        auto const* other = dynamic_cast<lock_state const*>(m.get());
        if (!other || !is_same_place(one, *other))
            continue;
        compare(one, *other);
        if (is_write(one))
            m = one.shared_from_this();
        return true;
    }
    return false;
}

bool member_roll::joins(red_state const& one)
{
    for (auto const& m : members) {
        auto const* other = dynamic_cast<red_state const*>(m.get());
        if (!other || other->key() != one.key())
            continue;
        compare(one, *other);
        return true;
    }
    return false;
}

void member_roll::add(std::shared_ptr<lockable const> const& l)
{
    auto const* one = dynamic_cast<lock_state const*>(l.get());
    auto const* red = dynamic_cast<red_state const*>(l.get());
    if (auto const* many = dynamic_cast<composite const*>(l.get()); many && !red) {
        for (auto const& m : many->members())
            add(m);
        complaint.append(complaint.empty() ? many->complaint() : "");
        return;
    }
    if ((one && joins(*one)) || (red && joins(*red)))
        return;
    refuse_overlap(*l);
    members.push_back(l);
    name.append(name.empty() ? "" : "+").append(l->name());
}

}  // namespace holdfast::detail
