//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/sought_grant.hpp"

#include <iterator>
#include <utility>

#include "core/attempt_width.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/fair_queues.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/port/applied.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

// Whether one attempt can serve both: the script has one lease time.
bool are_served_together(contender const& first, contender const& c)
{
    auto const ttl = first.terms().time_to_live();
    return c.lock().protocol == first.lock().protocol && c.terms().time_to_live() == ttl
           && usable(c.terms(), ttl) == usable(first.terms(), ttl);
}

}  // namespace

sought_grant::~sought_grant()
{
    if (!queue_)
        return;
    queue_->leave(place_);
    queue_->detach();
}

bool sought_grant::is_for(contender const& c) const noexcept
{
    return !grants_.empty() && suits(*grants_.front(), c);
}

sought_grant::grant_ptr sought_grant::make(contender const& c, grant_ptr under) const
{
    auto token = parts_.runtime.tokens().next(c.lock().protocol->token_mark(), label_of(c.owner()));
    return new grant(c.shared_lock(), std::move(token), c.terms().time_to_live(), std::move(under));
}

bool sought_grant::begin(contender const& c, grant_ptr under)
{
    // The present token, if any, is for other terms or for a lock of another kind.
    give_up();
    grants_.push_back(make(c, std::move(under)));
    if (!c.lock().protocol->has_queue())
        return false;
    // A single attempt takes no place (fair_acquire.lua).
    has_place_ = !c.is_one_shot();
    channel_ = std::string(c.lock().channel).append(":").append(grants_.front()->token());
    if (queue_)
        return false;
    queue_ = parts_.fair_queues.queue_of(c.shared_lock());
    // Before attach(), which counts this acquisition, too.
    bool const expects_wait = has_place_ && queue_->expects_wait();
    queue_->attach();
    return expects_wait;
}

void sought_grant::use_channel_of_client(lock_spec const& lock)
{
    channel_ = std::string(lock.channel).append(":").append(parts_.runtime.tokens().id());
}

void sought_grant::follow(contenders const& queue, std::size_t most)
{
    std::size_t n = 0;
    std::size_t permits = 0;
    for (auto c = queue.begin(); n < most && c != queue.end() && are_served_together(queue.front(), *c); ++c, ++n) {
        permits += c->lock().permits();
        if (n > 0 && permits > core::attempt_width::widest)
            break;
        if (n == grants_.size())
            grants_.push_back(make(*c, {}));
        else if (!suits(*grants_[n], *c))
            grants_[n] = make(*c, {});
    }
    grants_.resize(n);
}

std::vector<follower> sought_grant::followers() const
{
    std::vector<follower> all;
    for (std::size_t i = 1; i < grants_.size(); ++i)
        all.push_back({grants_[i]->token(), grants_[i]->lock().weight});
    return all;
}

void sought_grant::on_sent(attempt const& a)
{
    for (auto const& g : grants_)
        g->on_sent(g->lease());
    // Set before the reply, because a lost reply does not show whether the attempt was refused. No later reply resets
    // it: each attempt with this token may have left its trace.
    bool const leaves = (a.will_wait && a.lock.protocol->leaves_trace(a.lock)) || a.is_listening;
    leaves_trace_ = leaves_trace_ || leaves;
}

// A script is not atomic when it fails: what it wrote before must not outlive the attempt. So the token is released,
// not dropped. An error of a plain command means that the command did nothing.
void sought_grant::on_answered(answer const& a, acquire_result const& r)
{
    for (auto const& g : grants_)
        g->on_answered(parts_.runtime.recent(), r.what != acquire_result::kind::unknown);
    auto const sent = grants_.front()->lock().protocol->is_mute() ? command_kind::single : command_kind::script;
    leaves_trace_ = leaves_trace_ || (r.what == acquire_result::kind::failed && may_be_applied(sent, a));
}

sought_grant::grant_list sought_grant::take(std::size_t n)
{
    auto const end = grants_.begin() + static_cast<std::ptrdiff_t>(n);
    grant_list taken(std::make_move_iterator(grants_.begin()), std::make_move_iterator(end));
    grants_.erase(grants_.begin(), end);
    // Where some are granted, the next one waits for a message.
    leaves_trace_ = leaves_trace_ && !grants_.empty();
    return taken;
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
    if (leaves_trace_)
        release();
    leaves_trace_ = has_place_ = false;
    grants_.clear();
}

void sought_grant::release()
{
    leaves_trace_ = false;
    for (auto& g : grants_)
        parts_.releaser.release(std::move(g), nullptr, nullptr);
    grants_.clear();
}

void sought_grant::wait_for_turn(core::duration remaining)
{
    queue_->join(place_, grants_.front()->lock().waiter_timeout, remaining);
}

}  // namespace holdfast::engine
