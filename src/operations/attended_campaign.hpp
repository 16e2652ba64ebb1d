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

// Whether a campaign needs more than its contender.
inline bool must_attend(engine::candidacy const& c) noexcept
{
    return c.healthy || c.settle > c.settle.zero();
}

// Launches election::campaign() of an election that has a health predicate or a settle time. An unhealthy candidate is
// in no queue, so it does not become the leader. The predicate is asked at the begin and after each health_interval().
// A grant that must settle is held and renewed until its settle time is over.
//
// | state    | healthy         | unhealthy      | `wait` is over | its contender ends          | lost | settled  |
// |----------|-----------------|----------------|----------------|-----------------------------|------|----------|
// | away     | joins: standing | away           | ends as busy   | -                           | -    | -        |
// | standing | standing        | leaves: away   | -              | settling, or ends with that | -    | -        |
// | settling | settling        | releases: away | ends as busy   | -                           | away | ends led |
//
// A client that shuts down or stops ends it in each state. The contender gets what is left of `wait` as its own limit,
// and ends when that is over. A candidate that has lost its grant is asked for its health at once.
void launch_attended_campaign(
    std::shared_ptr<client_state> const&, handler_at<void(error_code, lease)>, engine::contender::wish);

}  // namespace holdfast::detail

#endif
