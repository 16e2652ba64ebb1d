//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/sought_grant.hpp"

#include <utility>

#include "engine/acquire/contender.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/fair_queues.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/port/applied.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

sought_grant::~sought_grant()
{
    if (!queue_)
        return;
    queue_->leave(place_);
    queue_->detach();
}

bool sought_grant::begin(contender const& c, boost::intrusive_ptr<grant> under)
{
    // The present token, if any, is for other terms or for a lock of another kind.
    give_up();
    auto const& protocol = *c.lock().protocol;
    auto token = parts_.runtime.tokens().next(protocol.token_mark(), label_of(c.owner()));
    grant_.reset(new grant(c.shared_lock(), std::move(token), c.terms().time_to_live(), std::move(under)));
    if (!protocol.has_queue())
        return false;
    // A single attempt takes no place (fair_acquire.lua).
    has_place_ = !c.is_one_shot();
    channel_ = std::string(c.lock().channel).append(":").append(grant_->token());
    if (queue_)
        return false;
    queue_ = parts_.fair_queues.queue_of(c.shared_lock());
    // Before attach(), which counts this acquisition, too.
    bool const expects_wait = has_place_ && queue_->expects_wait();
    queue_->attach();
    return expects_wait;
}

void sought_grant::on_sent(attempt const& a)
{
    grant_->on_sent(grant_->lease());
    // Set before the reply, because a lost reply does not show whether the attempt was refused. No later reply resets
    // it: each attempt with this token may have left its trace.
    leaves_trace_ = leaves_trace_ || (a.will_wait && a.lock.protocol->leaves_trace(a.lock));
}

// A script is not atomic when it fails: what it wrote before must not outlive the attempt. So the token is released,
// not dropped. An error of a plain command means that the command did nothing.
void sought_grant::on_answered(answer const& a, acquire_result const& r)
{
    grant_->on_answered(parts_.runtime.recent(), a.outcome != outcome::unknown);
    auto const sent = grant_->lock().protocol->is_mute() ? command_kind::single : command_kind::script;
    leaves_trace_ = leaves_trace_ || (r.what == acquire_result::kind::failed && may_be_applied(sent, a));
}

boost::intrusive_ptr<grant> sought_grant::take() noexcept
{
    leaves_trace_ = false;
    return std::move(grant_);
}

void sought_grant::compensate()
{
    if (!has_place_)
        release();
}

void sought_grant::give_up()
{
    if (queue_)
        queue_->leave(place_);
    // Without the release, the mark of a writer keeps readers out, and a place in a queue delays those behind it, until
    // they expire.
    if (grant_ && leaves_trace_)
        release();
    leaves_trace_ = has_place_ = false;
    grant_.reset();
}

void sought_grant::release()
{
    leaves_trace_ = false;
    parts_.releaser.release(std::move(grant_), nullptr, nullptr);
    grant_.reset();
}

void sought_grant::wait_for_turn(core::duration remaining)
{
    queue_->join(place_, grant_->lock().waiter_timeout, remaining);
}

}  // namespace holdfast::engine
