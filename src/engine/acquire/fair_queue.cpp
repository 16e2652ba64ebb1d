//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/fair_queue.hpp"

#include <algorithm>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "engine/acquire/fair_queues.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;

// At most two refreshes in a second, however many waiters join or leave.
constexpr core::duration shortest_interval = 500ms;
constexpr core::duration linger = 1s;
// As many waiters as a script refreshes in about a millisecond.
constexpr std::size_t most_refreshed = 500;

}  // namespace

fair_queue::fair_queue(runtime& r, fair_queues& home, std::shared_ptr<lock_spec const> lock)
    : runtime_(r), home_(home), lock_(std::move(lock)), waiter_timeout_(lock_->waiter_timeout)
{}

fair_queue::~fair_queue()
{
    places_.clear();
}

void fair_queue::join(place& p, core::duration waiter_timeout, core::duration remaining)
{
    waiter_timeout_ = std::min(waiter_timeout_, waiter_timeout);
    was_refused_ = true;
    if (!p.is_linked())
        places_.push_back(p);
    keep_ = std::min(keep_, runtime_.now() + usual_interval());
    look_after(remaining);
}

void fair_queue::leave(place& p)
{
    if (!p.is_linked())
        return;
    auto const behind = places_.erase(places_.iterator_to(p));
    for (auto* const mark : {&from_, &next_})
        if (*mark == &p)
            *mark = behind == places_.end() ? nullptr : &*behind;
    // The reply to the refresh under way refers to places by their number, so the others keep theirs.
    std::ranges::replace(refreshed_, &p, nullptr);
}

void fair_queue::detach()
{
    if (--attached_ > 0)
        return;
    // A call under way needs this object until its reply.
    if (was_refused_ || is_under_way())
        runtime_.arm(*this, runtime_.now() + linger);
    else
        home_.forget(*this);
}

void fair_queue::on_open()
{
    if (places_.empty())
        return;
    look_ = runtime_.now();
    arm();
}

// Three refreshes in a `waiter_timeout`: two of them may be late or lost before the server removes the waiters. Without
// subscriptions a waiter knows only by the refresh that it is its turn.
core::duration fair_queue::usual_interval() const
{
    auto const& link = runtime_.session_of(*lock_);
    return link.notifies() ? std::min<core::duration>(waiter_timeout_ / 3, runtime_.options().poll_interval)
                           : shortest_interval;
}

// The last reply counts, whether it shows an earlier end or a later one: a refresh that comes too early delays the one
// at the end by the shortest interval.
void fair_queue::look_after(core::duration remaining)
{
    // A lock that is free now may be held for a short lease by the next refresh. One more millisecond: times are whole
    // milliseconds, so the expiry has happened then.
    auto const wait = remaining > core::duration::zero() ? remaining : shortest_interval;
    look_ = runtime_.now() + std::min(wait, 2 * usual_interval()) + 1ms;
    arm();
}

// The refresh that keeps the places waits for that at the end of a grant, if this is close: otherwise the latter would
// come late by the shortest interval.
void fair_queue::arm()
{
    auto const most = std::min<core::duration>(shortest_interval, waiter_timeout_ / 6);
    bool const is_close = keep_ < look_ && look_ < core::never && look_ - keep_ < most;
    runtime_.arm(*this, std::max(is_close ? look_ : std::min(keep_, look_), earliest_));
}

void fair_queue::on_due(core::instant now)
{
    if (attached_ == 0)
        return is_under_way() ? runtime_.arm(*this, now + linger) : home_.forget(*this);
    // Not armed again: the next join(), epoch or reply does that.
    auto& link = runtime_.session_of(*lock_);
    if (places_.empty() || !link.is_open() || is_under_way())
        return;
    earliest_ = now + shortest_interval;
    keep_ = look_ = core::never;
    from_ = next_ = nullptr;
    send(link);
}

void fair_queue::submit(session& to, command& c, script_form form)
{
    milliseconds_text const waiter_timeout(waiter_timeout_);
    std::vector<std::string_view> keys{lock_->key};
    keys.insert(keys.end(), lock_->companions.begin(), lock_->companions.end());
    std::vector<std::string_view> arguments{waiter_timeout, lock_->channel};
    refreshed_.clear();
    auto p = from_ ? places_.iterator_to(*from_) : places_.begin();
    for (; p != places_.end() && refreshed_.size() < most_refreshed; ++p) {
        arguments.push_back(p->place_token());
        refreshed_.push_back(&*p);
    }
    next_ = p == places_.end() ? nullptr : &*p;
    submit_script(to, c, *lock_->protocol->queue_refresh(), form, keys, arguments);
}

void fair_queue::on_reply(answer const& a)
{
    // A place that makes its attempt may be the last one to leave.
    boost::intrusive_ptr<fair_queue> const keep(this);
    if (places_.empty())
        return;
    // Whatever the reply is: after a lost or refused refresh the places must be refreshed again.
    keep_ = runtime_.now() + usual_interval();
    arm();
    if (a.outcome == outcome::applied && !a.value.items.empty())
        read(a.value);
    if (a.outcome == outcome::applied)
        go_on();
}

// Refreshes the places that the last script had no room for.
void fair_queue::go_on()
{
    auto& link = runtime_.session_of(*lock_);
    if (!next_ || !link.is_open() || is_under_way())
        return;
    from_ = next_;
    send(link);
}

void fair_queue::read(reply const& r)
{
    if (auto const left = r.items.front().integer; left >= 0)
        look_after(std::chrono::milliseconds(left));
    for (auto const& i : r.items.subspan(1)) {
        auto const n = static_cast<std::size_t>(i.integer) - 1;
        if (n < refreshed_.size() && refreshed_[n])
            refreshed_[n]->on_turn();
    }
}

}  // namespace holdfast::engine
