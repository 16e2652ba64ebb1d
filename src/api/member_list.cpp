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

// Two handles with the same key and client are the same lock. The clients are compared by ownership, which
// also works when the client has been destroyed: lock() would return null for both, and two destroyed clients
// would be the same one.
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

// One lock is acquired once, so its handles must agree on how. Two kinds under one key exclude each other: the second
// attempt would wait for the first. So would two owners.
void member_list::compare(single_lock const& one, single_lock const& other)
{
    if (!is_pair(one, other) && one.lock.protocol != other.lock.protocol)
        validation_error = "members: " + in_quotes(one.name()) + " is a member as two kinds of lock";
    else if (one.owner != other.owner)
        validation_error = "members: " + in_quotes(one.name()) + " is a member for two owners";
}

// A red_lock acquires its server's locks with tokens of its own. Another member that acquires one of them is a second
// contender for it, so both could never be held together, and the multi_lock would try for ever.
void member_list::refuse_overlap(locks const& taken)
{
    for (auto const* theirs : taken_)
        for (auto const* ours : taken)
            if (is_same_place(*ours, *theirs))
                validation_error = "members: " + in_quotes(ours->name()) + " is also a member of a red_lock";
}

void member_list::add(lock_impl const& l, locks const& taken)
{
    refuse_overlap(taken);
    taken_.insert(taken_.end(), taken.begin(), taken.end());
    members.push_back(l.shared_from_this());  // the user may destroy the given handles
    name.append(name.empty() ? "" : "+").append(l.name());
}

// The lock may be a member already, perhaps as the other side of a read_write_lock. The write replaces the read: it
// allows what the read allows, and an owner that reads cannot acquire the write (errc::would_deadlock).
void member_list::visit(single_lock const& one)
{
    if (one.lock.protocol->has_permits())
        validation_error = "members: " + in_quotes(one.name()) + " is a semaphore";
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

// A red_lock that is given twice is acquired once. Handles with the same servers and keys are the same red_lock, in
// whatever order the servers were given. If two red_locks share only some servers, add() refuses them.
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

// Its members take its place, so that all members are compared with each other, and a lock that both contain is
// acquired once. It may be invalid itself; its error is kept, unless there is one already.
void member_list::visit(multi_lock_impl const& several)
{
    for (auto const& m : several.members())
        m->accept(*this);
    validation_error.append(validation_error.empty() ? several.validation_error() : "");
}

}  // namespace holdfast::detail
