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

// Identifies the lock of one server in this process: by the client's id and the key.
std::string key_of(single_lock const& l)
{
    auto const c = l.home();
    return c ? std::string(c->id()) + "/" + std::string(l.lock.key) : std::string();
}

}  // namespace

red_lock_impl::red_lock_impl(std::string name, lock_list members, std::string validation_error, red_options const& o)
    : composite_lock(std::move(name), members, members.size() / 2 + 1, std::move(validation_error)), options_(o)
{
    if (auto const c = home())
        max_lease_ = options_.max_lease.value_or(c->options().lease);
    std::vector<std::string> keys;
    for (auto const* l : nodes())
        keys.push_back(key_of(*l));
    // An invalid red_lock may have fewer nodes than members. Its key must differ from that of the valid
    // red_lock of these nodes.
    keys.resize(members.size());
    std::ranges::sort(keys);  // the members may be given in any order
    for (auto const& k : keys)
        key_.append(k).append("\n");
}

std::vector<single_lock const*> red_lock_impl::nodes_of(lock_list const& members)
{
    struct collection final : lock_visitor {
        std::vector<single_lock const*> nodes;

        void visit(single_lock const& l) override { nodes.push_back(&l); }
        void visit(multi_lock_impl const&) override {}
        void visit(red_lock_impl const&) override {}
    } all;
    for (auto const& m : members)
        m->accept(all);
    return all.nodes;
}

// The range is that of "Distributed Locks with Redis", redis.io: 5 to 50 ms for a lease time of 10 s.
core::duration red_lock_impl::node_timeout(core::duration lease) const noexcept
{
    if (options_.node_timeout)
        return *options_.node_timeout;
    return std::clamp<core::duration>(lease / 200, 5ms, 50ms);
}

// All handles of one lock must find the same queue. The client with the least id keeps it: that does not depend on the
// order of the members. A client whose execution context has ended is excluded: the end of a context opens the queues
// of its clients only once, so later waiters, which may own the queue, would wait for ever.
std::shared_ptr<red_queue> red_lock_impl::queue() const
{
    std::shared_ptr<client_state> first;
    for (auto const& m : members())
        if (auto const c = m->home(); c && c->is_alive() && (!first || c->id() < first->id()))
            first = c;
    return first ? std::static_pointer_cast<red_queue>(first->queues().of(key_, &red_queue::make)) : nullptr;
}

// A restarted server, which may have forgotten a lease, counts again after max_lease. So no lease may be valid for
// longer, by an extension either: otherwise that server could help a second holder to a majority.
std::string red_lock_impl::extension_error(std::chrono::milliseconds by) const
{
    bool const is_longer = by > std::chrono::floor<std::chrono::milliseconds>(max_lease());
    return is_longer ? "extend: must not be longer than max_lease" : "";
}

}  // namespace holdfast::detail
