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

#include "core/bounds.hpp"
#include "core/validity.hpp"
#include "election.hpp"
#include "lock_state.hpp"
#include "log_sink.hpp"
#include "operation.hpp"

namespace holdfast {
namespace detail {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t fewest_nodes = 2;
constexpr std::size_t most_nodes = 31;

// One lock of one server, on whichever client.
std::string key_of(lockable const& l)
{
    auto const* one = dynamic_cast<lock_state const*>(&l);
    auto const c = l.home();
    return one && c ? std::string(c->id()) + "/" + std::string(one->lock.key) : std::string();
}

std::string complaint_about(lockables const& members, red_options const& o)
{
    if (members.size() < fewest_nodes || members.size() > most_nodes)
        return "members: there must be 2 to 31 servers";
    std::set<client_state*> clients;
    for (auto const& m : members) {
        auto const* one = dynamic_cast<lock_state const*>(m.get());
        if (!one)
            return "members: must be locks of one server each";
        if (o.fencing && one->lock.form != &engine::mutex_form(true))
            return "fencing: the members must be mutexes with fencing";
        if (auto const c = m->home(); c && !clients.insert(c.get()).second)
            return "members: two of them are of one client";
    }
    if (o.node_timeout && *o.node_timeout < 1ms)
        return "node_timeout: must be at least 1 ms";
    if (o.max_lease && *o.max_lease < 100ms)
        return "max_lease: must be at least 100 ms";
    return {};
}

lockables lockables_of(std::vector<any_lock> const& given)
{
    lockables all;
    for (auto const& l : given)
        all.push_back(lock_access::lockable_of(l));
    return all;
}

std::vector<any_lock> mutexes_of(std::vector<client const*> const& clients, std::string_view name, red_options const& o)
{
    std::vector<any_lock> all;
    for (auto const* c : clients)
        all.emplace_back(mutex(*c, name, {.fencing = o.fencing}));
    return all;
}

std::vector<client const*> addresses_of(std::initializer_list<std::reference_wrapper<client const>> clients)
{
    std::vector<client const*> all;
    for (client const& c : clients)
        all.push_back(&c);
    return all;
}

red_options bounded(red_options o)
{
    o.node_timeout = core::bounded(o.node_timeout);
    o.max_lease = core::bounded(o.max_lease);
    return o;
}

std::shared_ptr<lockable const> make_red(
    std::vector<any_lock> const& given, std::string_view name, red_options const& options)
{
    auto const o = bounded(options);
    auto members = lockables_of(given);
    auto complaint = complaint_about(members, o);
    auto const made = std::make_shared<red_state const>(std::string(name), std::move(members), std::move(complaint), o);
    if (auto const c = made->home(); c && given.size() % 2 == 0)
        make_log(c->options())
            .warning(
                "red_lock " + in_quotes(name) + ": " + std::to_string(given.size())
                + " servers bear no more failures than " + std::to_string(given.size() - 1));
    return made;
}

}  // namespace

red_state::red_state(std::string name, lockables members, std::string complaint, red_options const& o)
    : composite(std::move(name), members, members.size() / 2 + 1, std::move(complaint)), options_(o)
{
    if (auto const c = home())
        max_lease_ = options_.max_lease.value_or(c->options().lease);
    std::vector<std::string> keys;
    for (auto const& m : members)
        keys.push_back(key_of(*m));
    std::ranges::sort(keys);
    for (auto const& k : keys)
        key_.append(k).append("\n");
}

core::duration red_state::node_timeout(core::duration lease) const noexcept
{
    if (options_.node_timeout)
        return *options_.node_timeout;
    return std::clamp<core::duration>(lease / 200, 5ms, 50ms);
}

// At the client that comes first whatever the order of the members.
std::shared_ptr<red_queue> red_state::queue() const
{
    std::shared_ptr<client_state> first;
    for (auto const& m : members())
        if (auto const c = m->home(); c && (!first || c->id() < first->id()))
            first = c;
    return first ? std::static_pointer_cast<red_queue>(first->turnstile_of(key_)) : nullptr;
}

std::string red_state::complaint_about(acquire_request const& r) const
{
    if (auto const* what = detail::complaint(r))
        return what;
    auto const rounds = options_.fencing ? 2 : 1;
    for (auto const& m : members()) {
        auto const c = m->home();
        core::duration const lease = r.lease.value_or(c ? c->options().lease : 100ms);
        if (c && lease > max_lease())
            return "lease: is longer than max_lease";
        if (lease - core::drift(lease) <= 2 * rounds * node_timeout(lease))
            return "lease: is too short for node_timeout, which must fit into it twice, or four times with fencing";
    }
    return {};
}

// A server that restarts counts again after max_lease: no lease may reach further, however it came to its length.
std::string red_state::complaint_about_extension(std::chrono::milliseconds by) const
{
    bool const is_longer = by > std::chrono::floor<std::chrono::milliseconds>(max_lease());
    return is_longer ? "extend: is longer than max_lease" : "";
}

void red_state::acquire(handler_at<void(error_code, lease)> h, acquire_request const& request) const
{
    auto const clock = home();
    auto ec = obstacle(clock);
    if (auto const what = ec ? std::string() : complaint_about(request); !what.empty()) {
        ec = errc::invalid_option;
        clock->remember(ec, in_quotes(name()) + ": " + what);
    }
    if (ec)
        return complete_early<lease>(std::move(h), ec, {});
    auto self = std::static_pointer_cast<red_state const>(shared_from_this());
    coordinate(*this, std::move(h), elect(std::move(self), clock, request));
}

}  // namespace detail

red_lock::red_lock(
    std::initializer_list<std::reference_wrapper<client const>> clients, std::string_view name, options o)
    : red_lock(detail::addresses_of(clients), name, o)
{}

red_lock::red_lock(std::vector<client const*> const& clients, std::string_view name, options o)
    : lock_base(detail::make_red(detail::mutexes_of(clients, name, o), name, o))
{}

red_lock::red_lock(std::vector<any_lock> const& members, options o)
    : lock_base(detail::make_red(members, members.empty() ? std::string_view() : members.front().name(), o))
{}

}  // namespace holdfast
