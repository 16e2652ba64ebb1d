//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <holdfast/mutex.hpp>
#include <holdfast/red_lock.hpp>

#include "client/client_state.hpp"
#include "core/bounds.hpp"
#include "operations/single_lock.hpp"
#include "redlock/red_lock_impl.hpp"

namespace holdfast {
namespace detail {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t fewest_nodes = 2;  // one server has no minority that may fail: that is a mutex
constexpr std::size_t most_nodes = 31;

// Two members of one client are on one server: its failure would be the failure of two members, and a minority of
// servers would be a majority of members. Two clients of one server are detected later, by the run id of the server. A
// composite has several servers, and the majority is one of servers.
std::string validation_error_of(lock_list const& members, red_options const& o)
{
    auto const nodes = red_lock_impl::nodes_of(members);
    if (nodes.size() != members.size())
        return "members: must be locks of one server each";
    if (nodes.size() < fewest_nodes || nodes.size() > most_nodes)
        return "members: must be 2 to 31 locks";
    std::set<client_state*> clients;
    for (auto const* l : nodes) {
        if (l->lock.protocol->has_permits())
            return "members: " + in_quotes(l->name()) + " is a semaphore";
        // The token of the lease is written to the counter of each member, and only fenced mutexes have such a script.
        if (o.fencing && l->lock.protocol != &engine::mutex_protocol(true))
            return "fencing: the members must be mutexes with fencing";
        auto const c = l->home();
        if (c && !clients.insert(c.get()).second)
            return "members: must have different clients, but two of them have one client";
    }
    if (o.node_timeout && *o.node_timeout < 1ms)
        return "node_timeout: must be at least 1 ms";
    if (o.max_lease && *o.max_lease < 100ms)
        return "max_lease: must be at least 100 ms";
    return {};
}

std::vector<any_lock> mutexes_of(std::vector<client const*> const& clients, std::string_view name, red_options const& o)
{
    std::vector<any_lock> all;
    for (auto const* c : clients)
        all.emplace_back(mutex(*c, name, {.fencing = o.fencing}));
    return all;
}

template <class Clients>
std::vector<client const*> addresses_of(Clients const& clients)
{
    std::vector<client const*> all;
    for (client const& c : clients)
        all.push_back(&c);
    return all;
}

// Cut to ten years, so that no sum with an instant overflows.
red_options bounded(red_options o)
{
    o.node_timeout = core::bounded(o.node_timeout);
    o.max_lease = core::bounded(o.max_lease);
    return o;
}

bool has_cluster(red_lock_impl const& l)
{
    return std::ranges::any_of(l.nodes(), [](single_lock const* n) {
        auto const c = n->home();
        return c && c->nodes();
    });
}

std::shared_ptr<lock_impl const> make_red(
    std::vector<any_lock> const& given, std::string_view name, red_options const& options)
{
    auto const o = bounded(options);
    lock_list members;
    for (auto const& l : given)
        members.push_back(lock_access::impl_of(l));
    // An invalid red_lock is made nevertheless: its operations complete with errc::invalid_option.
    auto validation_error = validation_error_of(members, o);
    auto const made = std::make_shared<red_lock_impl const>(
        std::string(name), std::move(members), std::move(validation_error), o);
    // A majority of 2n servers tolerates n - 1 failures, as one of 2n - 1 does, but one more server may fail.
    if (auto const c = made->home(); c && given.size() % 2 == 0)
        c->warn(
            in_quotes(name) + ": " + std::to_string(given.size()) + " servers tolerate no more failures than "
            + std::to_string(given.size() - 1));
    if (has_cluster(*made))
        made->home()->warn(
            in_quotes(name) + ": a Redis Cluster is no independent server: a failover may lose the newest grants");
    return made;
}

}  // namespace
}  // namespace detail

red_lock::red_lock(
    std::initializer_list<std::reference_wrapper<client const>> clients, std::string_view name, options o)
    : red_lock(detail::addresses_of(clients), name, o)
{}

red_lock::red_lock(std::vector<client const*> const& clients, std::string_view name, options o)
    : lock_base(detail::make_red(detail::mutexes_of(clients, name, o), name, o))
{}

red_lock::red_lock(std::span<client const> clients, std::string_view name, options o)
    : red_lock(detail::addresses_of(clients), name, o)
{}

red_lock::red_lock(std::vector<any_lock> const& members, options o)
    : lock_base(detail::make_red(members, members.empty() ? std::string_view() : members.front().name(), o))
{}

}  // namespace holdfast
