//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/node_reply.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include "core/server_age.hpp"
#include "operations/single_lock.hpp"

namespace holdfast::detail {
namespace {

// The server may reply in the next round.
bool is_transient(error_code ec) noexcept
{
    return ec == errc::unavailable || ec == asio::error::operation_aborted || ec == asio::error::not_connected;
}

}  // namespace

// A grant keeps the outcome `silent` until check(). So does a transient error: unknown is neither busy
// nor refused (rule 5).
void node_reply::record(attempt_end end)
{
    has_ended = true;
    is_cut_off = end.ec.code == asio::error::not_connected;
    why = std::move(end.ec);
    held = std::move(end.got);
    if (!why && held.empty())
        outcome = kind::busy;
    else if (why && !is_transient(why))
        outcome = kind::refused;
}

// May be called again later: validity may have ended in between.
void node_reply::check(red_lock_impl const& of, core::instant at) noexcept
{
    outcome = held.valid() ? by_age(of, running_since(), at) : kind::expired;
}

node_reply::kind node_reply::by_age(red_lock_impl const& of, core::instant running_since, core::instant at) noexcept
{
    if (of.options().trust_new_nodes)
        return kind::granted;
    if (running_since == core::never)
        return kind::unknown_age;
    return core::has_outlived_leases(running_since, of.max_lease(), at) ? kind::granted : kind::young;
}

// Without an epoch nothing is known of the server yet: that is not permanent.
bool node_reply::hides_its_age(red_lock_impl const& from) const noexcept
{
    return !from.options().trust_new_nodes && server && running_since() == core::never;
}

std::string node_reply::describe() const
{
    switch (outcome) {
        case kind::granted: return "granted";
        case kind::busy: return "held by another contender";
        case kind::refused: return why.text ? *why.text : why.code.message();
        case kind::expired: return "granted too late";
        case kind::young: return "may have started, or become a primary, less than max_lease ago";
        case kind::unknown_age: return "does not report its start time";
        case kind::unfenced: return "did not confirm the fencing token";
        default: return is_cut_off && why.text ? *why.text : "no reply in time";
    }
}

bool is_same_server(
    std::optional<engine::server_identity> const& a, std::optional<engine::server_identity> const& b) noexcept
{
    return a && b && a->is_same_server(*b);
}

std::optional<engine::server_identity> server_of(single_lock const& l)
{
    auto const c = l.home();
    return c ? c->server_of(l.lock.slot) : std::nullopt;
}

}  // namespace holdfast::detail
