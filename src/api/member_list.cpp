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

// The hash decides most comparisons. The clients are compared by ownership, which also works when the client has been
// destroyed: lock() would return null for both, and two destroyed clients would be the same one.
bool member_list::is_before::operator()(single_lock const* a, single_lock const* b) const noexcept
{
    if (a->lock.key_hash != b->lock.key_hash)
        return a->lock.key_hash < b->lock.key_hash;
    if (auto const order = a->lock.key <=> b->lock.key; order != 0)
        return order < 0;
    return a->origin.owner_before(b->origin);
}

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
// contender for it, so both could never be held together, and the multi_lock would try for ever. Of several the error
// names the one that was added last.
void member_list::refuse_overlap(locks const& taken)
{
    auto last = taken_.end();
    for (auto const* ours : taken)
        if (auto const found = taken_.find(ours); found != taken_.end())
            last = last == taken_.end() || last->second < found->second ? found : last;
    if (last != taken_.end())
        validation_error = "members: " + in_quotes(last->first->name()) + " is also a member of a red_lock";
}

void member_list::add(lock_impl const& l, locks const& taken)
{
    refuse_overlap(taken);
    for (auto const* t : taken)
        taken_.insert_or_assign(t, added_++);
    members.push_back(l.shared_from_this());  // the user may destroy the given handles
    name.append(name.empty() ? "" : "+").append(l.name());
}

// The lock may be a member already, perhaps as the other side of a read_write_lock. The write replaces the read: it
// allows what the read allows, and an owner that reads cannot acquire the write (errc::would_deadlock).
void member_list::visit(single_lock const& one)
{
    if (one.lock.protocol->has_permits())
        validation_error = "members: " + in_quotes(one.name()) + " is a semaphore";
    auto const found = singles_.find(&one);
    if (found == singles_.end()) {
        singles_.emplace(&one, members.size());
        return add(one, {&one});
    }
    auto const place = found->second;
    compare(one, *found->first);
    if (!is_write(one))
        return;
    // The entry refers to the handle that is kept.
    singles_.erase(found);
    singles_.emplace(&one, place);
    members[place] = one.shared_from_this();
}

// A red_lock that is given twice is acquired once. Handles with the same servers and keys are the same red_lock, in
// whatever order the servers were given. If two red_locks share only some servers, add() refuses them.
void member_list::visit(red_lock_impl const& one)
{
    auto const [other, is_new] = reds_.emplace(one.key(), &one);
    if (is_new)
        return add(one, one.nodes());
    is_before const before;
    for (auto const* a : one.nodes())
        for (auto const* b : other->second->nodes())
            if (!before(a, b) && !before(b, a))
                compare(*a, *b);
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
