//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ATTENDED_CAMPAIGN_HPP
#define HOLDFAST_ATTENDED_CAMPAIGN_HPP

#include <memory>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/lease.hpp>

#include "client/client_state.hpp"
#include "core/clock.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/hold/terms.hpp"

namespace holdfast::detail {

// How often a candidate and a leader ask whether they are healthy: as often as a leader renews.
constexpr core::duration health_interval(engine::terms const& t) noexcept
{
    return t.lease / 3;
}

// Launches election::campaign() of an election that has a health predicate. An unhealthy candidate is in no queue, so it
// does not become the leader. The predicate is asked at the begin and after each health_interval().
//
// | state    | healthy         | unhealthy               | `wait` is over | its contender ends   | the client stops |
// |----------|-----------------|-------------------------|----------------|----------------------|------------------|
// | away     | joins: standing | away                    | ends as busy   | -                    | ends             |
// | standing | standing        | leaves the queue: away  | -              | ends with its result | ends             |
//
// The contender gets what is left of `wait` as its own limit, and ends when that is over.
void launch_attended_campaign(
    std::shared_ptr<client_state> const&, handler_at<void(error_code, lease)>, engine::contender::wish);

}  // namespace holdfast::detail

#endif
