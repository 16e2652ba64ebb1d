//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "api/member_list.hpp"

#include "composite/multi_lock_impl.hpp"
#include "operations/single_lock.hpp"
#include "redlock/red_lock_impl.hpp"

namespace holdfast::detail {
namespace {

// Locks with one key on one client are the same lock.
bool is_same_place(single_lock const& a, single_lock const& b) noexcept
{
    bool const one_client = !a.origin.owner_before(b.origin) && !b.origin.owner_before(a.origin);
    return one_client && a.lock.key == b.lock.key;
}

bool is_write(single_lock const& l) noexcept
{
    return l.lock.protocol == &engine::write_protocol();
}

bool is_read(single_lock const& l) noexcept
{
    return l.lock.protocol == &engine::read_protocol();
}

// The two sides of a read_write_lock.
bool is_pair(single_lock const& a, single_lock const& b) noexcept
{
    return (is_read(a) && is_write(b)) || (is_write(a) && is_read(b));
}

}  // namespace

// Compares two handles of the same lock.
void member_list::compare(single_lock const& one, single_lock const& other)
{
    if (!is_pair(one, other) && one.lock.protocol != other.lock.protocol)
        validation_error = "members: " + in_quotes(one.name()) + " is given as two kinds of lock";
    else if (one.owner != other.owner)
        validation_error = "members: " + in_quotes(one.name()) + " is given for two owners";
}

// A red_lock and another member that takes one of its servers' locks are two contenders for it: they can never be held
// together.
void member_list::refuse_overlap(locks const& taken)
{
    for (auto const* theirs : taken_)
        for (auto const* ours : taken)
            if (is_same_place(*ours, *theirs))
                validation_error = "members: " + in_quotes(ours->name()) + " is a server's lock of a red_lock, too";
}

void member_list::add(lock_impl const& l, locks const& taken)
{
    refuse_overlap(taken);
    taken_.insert(taken_.end(), taken.begin(), taken.end());
    members.push_back(l.shared_from_this());
    name.append(name.empty() ? "" : "+").append(l.name());
}

// The lock may be a member already, perhaps as the other side of a read_write_lock. The write includes the read.
void member_list::visit(single_lock const& one)
{
    for (auto& other : singles_)
        if (is_same_place(one, *other.lock)) {
            compare(one, *other.lock);
            if (is_write(one)) {
                other.lock = &one;
                members[other.place] = one.shared_from_this();
            }
            return;
        }
    singles_.push_back({&one, members.size()});
    add(one, {&one});
}

void member_list::visit(red_lock_impl const& one)
{
    for (auto const* other : reds_)
        if (other->key() == one.key()) {
            for (auto const* a : one.nodes())
                for (auto const* b : other->nodes())
                    if (is_same_place(*a, *b))
                        compare(*a, *b);
            return;
        }
    reds_.push_back(&one);
    add(one, one.nodes());
}

void member_list::visit(multi_lock_impl const& several)
{
    for (auto const& m : several.members())
        m->accept(*this);
    validation_error.append(validation_error.empty() ? several.validation_error() : "");
}

}  // namespace holdfast::detail
