//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_ACQUIRE_REQUEST_HPP
#define HOLDFAST_DETAIL_ACQUIRE_REQUEST_HPP

#include <chrono>
#include <optional>

#include <holdfast/options.hpp>

namespace holdfast::detail {

// acquire_options or try_options in one form, for the implementations of all kinds of lock.
struct acquire_request {
    std::optional<std::chrono::milliseconds> lease;
    std::optional<std::chrono::milliseconds> max_hold;
    std::optional<std::chrono::milliseconds> wait;  // none: no limit; zero: one attempt
    bool renew;
    int priority = 5;
    std::optional<std::chrono::milliseconds> limit = {};  // of one attempt: for its replies; none: its own limit
    bool is_part = false;                                 // of the acquire of a composite lock
    unsigned weight = 1;                                  // of a semaphore
    std::optional<std::chrono::milliseconds> at_least = {};
    bool require_connection = false;
};

// The options of an acquire that waits without a limit. The structured bindings name every member on both sides: after
// an option is added to one of them, this does not compile until the option is passed on.
constexpr acquire_options without_wait(try_options const& from) noexcept
{
    acquire_options to;
    auto const& [wait, lease, renew, max_hold, at_least, require_connection] = from;
    auto& [to_lease, to_renew, to_max_hold, to_at_least, to_require_connection] = to;
    to_lease = lease;
    to_renew = renew;
    to_max_hold = max_hold;
    to_at_least = at_least;
    to_require_connection = require_connection;
    return to;
}

constexpr fair_acquire_options without_wait(fair_try_options const& from) noexcept
{
    fair_acquire_options to;
    auto const& [wait, lease, renew, max_hold, at_least, priority, require_connection] = from;
    auto& [to_lease, to_renew, to_max_hold, to_at_least, to_priority, to_require_connection] = to;
    to_lease = lease;
    to_renew = renew;
    to_max_hold = max_hold;
    to_at_least = at_least;
    to_priority = priority;
    to_require_connection = require_connection;
    return to;
}

constexpr permit_options without_wait(permit_try_options const& from) noexcept
{
    permit_options to;
    auto const& [wait, lease, renew, max_hold, at_least, weight, require_connection] = from;
    auto& [to_lease, to_renew, to_max_hold, to_at_least, to_weight, to_require_connection] = to;
    to_lease = lease;
    to_renew = renew;
    to_max_hold = max_hold;
    to_at_least = at_least;
    to_weight = weight;
    to_require_connection = require_connection;
    return to;
}

// Without `wait`, these options are those of a campaign without a limit.
constexpr campaign_options without_wait(campaign_options const& from) noexcept
{
    return from;
}

constexpr acquire_request to_request(acquire_options const& o) noexcept
{
    auto const& [lease, renew, max_hold, at_least, require_connection] = o;
    acquire_request request{lease, max_hold, std::nullopt, renew};
    request.at_least = at_least;
    request.require_connection = require_connection;
    return request;
}

constexpr acquire_request to_request(fair_acquire_options const& o) noexcept
{
    auto const& [lease, renew, max_hold, at_least, priority, require_connection] = o;
    acquire_request request{lease, max_hold, std::nullopt, renew, priority};
    request.at_least = at_least;
    request.require_connection = require_connection;
    return request;
}

constexpr acquire_request to_request(permit_options const& o) noexcept
{
    auto const& [lease, renew, max_hold, at_least, weight, require_connection] = o;
    acquire_request request{lease, max_hold, std::nullopt, renew};
    request.weight = weight;
    request.at_least = at_least;
    request.require_connection = require_connection;
    return request;
}

// A leadership is renewed whatever its lease time is.
constexpr acquire_request to_request(campaign_options const& o) noexcept
{
    auto const& [wait, lease, max_hold, priority, require_connection] = o;
    acquire_request request{lease, max_hold, wait, true, priority};
    request.require_connection = require_connection;
    return request;
}

template <class TryOptions>
constexpr acquire_request to_request(TryOptions const& o) noexcept
{
    auto request = to_request(without_wait(o));
    request.wait = o.wait.value_or(std::chrono::milliseconds(0));
    return request;
}

}  // namespace holdfast::detail

#endif
