//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "vote.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include "core/server_age.hpp"

namespace holdfast::detail {
namespace {

bool is_transient(error_code ec) noexcept
{
    return ec == errc::unavailable || ec == asio::error::operation_aborted;
}

}  // namespace

void vote::note(attempt_end end)
{
    has_ended = true;
    why = end.ec;
    held = std::move(end.got);
    if (!why && held.empty())
        said = kind::busy;
    else if (why && !is_transient(why))
        said = kind::refused;
}

void vote::check(red_state const& of, core::instant asked) noexcept
{
    bool const trusts = of.options().trust_new_nodes;
    if (!held.valid())
        said = kind::expired;
    else if (!trusts && running_since() == core::never)
        said = kind::unknown_age;
    else if (!trusts && !core::has_outlived_leases(running_since(), of.max_lease(), asked))
        said = kind::young;
    else
        said = kind::granted;
}

bool vote::hides_its_age(red_state const& from) const noexcept
{
    return !from.options().trust_new_nodes && server && running_since() == core::never;
}

std::string vote::words() const
{
    switch (said) {
        case kind::granted: return "granted";
        case kind::busy: return "held by another";
        case kind::refused: return why.message();
        case kind::expired: return "granted too late";
        case kind::young: return "may have been started less than max_lease ago";
        case kind::unknown_age: return "does not say since when it runs";
        case kind::unfenced: return "did not confirm the fencing token";
        default: return "no answer";
    }
}

bool are_of_one_server(vote const& a, vote const& b) noexcept
{
    return a.server && b.server && a.server->is_same_server(*b.server);
}

std::optional<engine::server_identity> server_of(lockable const& l)
{
    auto const c = l.home();
    return c ? c->server() : std::nullopt;
}

}  // namespace holdfast::detail
