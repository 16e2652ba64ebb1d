//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/red_lock_impl.hpp"

#include <algorithm>
#include <utility>

#include "operations/single_lock.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;

// Identifies the lock of one server.
std::string key_of(single_lock const& l)
{
    auto const c = l.home();
    return c ? std::string(c->id()) + "/" + std::string(l.lock.key) : std::string();
}

}  // namespace

red_lock_impl::red_lock_impl(
    std::string name,
    lock_list members,
    std::vector<single_lock const*> nodes,
    std::string validation_error,
    red_options const& o)
    : composite_lock(std::move(name), members, members.size() / 2 + 1, std::move(validation_error)),
      nodes_(std::move(nodes)),
      options_(o)
{
    if (auto const c = home())
        max_lease_ = options_.max_lease.value_or(c->options().lease);
    std::vector<std::string> keys;
    for (auto const* l : nodes_)
        keys.push_back(key_of(*l));
    keys.resize(members.size());  // those that are no locks of one server distinguish it, too
    std::ranges::sort(keys);
    for (auto const& k : keys)
        key_.append(k).append("\n");
}

core::duration red_lock_impl::node_timeout(core::duration lease) const noexcept
{
    if (options_.node_timeout)
        return *options_.node_timeout;
    return std::clamp<core::duration>(lease / 200, 5ms, 50ms);
}

// Kept by the client with the least id, which does not depend on the order of the members.
std::shared_ptr<red_queue> red_lock_impl::queue() const
{
    std::shared_ptr<client_state> first;
    for (auto const& m : members())
        if (auto const c = m->home(); c && (!first || c->id() < first->id()))
            first = c;
    return first ? std::static_pointer_cast<red_queue>(first->queues().of(key_, &red_queue::make)) : nullptr;
}

// A restarted server counts again after max_lease, so no lease may last longer than that, by an extension either.
std::string red_lock_impl::extension_error(std::chrono::milliseconds by) const
{
    bool const is_longer = by > std::chrono::floor<std::chrono::milliseconds>(max_lease());
    return is_longer ? "extend: is longer than max_lease" : "";
}

}  // namespace holdfast::detail
