//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/shared_arbiter.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include <holdfast/error.hpp>

#include "core/turn_budget.hpp"
#include "core/validity.hpp"
#include "engine/acquire/arbiter_host.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/hold/tenure_registry.hpp"
#include "engine/hold/watchdog.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

namespace {

// How long after a reply of the server readers join without another one. Where hand-off is disabled, each reader
// queries the server.
core::duration freshness(config const& c) noexcept
{
    return c.local_handoff.max_count > 0 ? core::duration(c.local_handoff.max_time) : core::duration::zero();
}

}  // namespace

// The extension whose reply shows whether readers may join a grant. It deletes itself when it completes. Until then it
// keeps the arbiter, whose readers may all be cancelled, and the grant, which may be lost.
class shared_arbiter::inquiry final : public extension_waiter {
public:
    inquiry(shared_arbiter& a, grant& g) : home_(&a), grant_(&g) {}

    void extended(detail::described_error ec) override
    {
        std::unique_ptr<inquiry> const self(this);
        home_->on_inquired(*grant_, ec);
    }

private:
    boost::intrusive_ptr<shared_arbiter> home_;
    boost::intrusive_ptr<grant> grant_;
};

shared_arbiter::shared_arbiter(engine_parts const& p, std::shared_ptr<lock_spec const> lock)
    : queued_arbiter(p, std::move(lock), false), freshness_(freshness(p.runtime.options()))
{}

shared_arbiter::~shared_arbiter()
{
    assert(grants_.empty());
}

// ---- joining

bool shared_arbiter::may_be_joined(grant const& g) const
{
    return !g.is_closed && !g.is_at_risk() && g.lasts(parts_.runtime.recent());
}

// A grant that the contender may join if the server agrees; null: none.
grant* shared_arbiter::grant_for(contender const& c)
{
    auto const is_for = [&](shared_grant const& g) { return suits(*g.of, c) && may_be_joined(*g.of); };
    auto const found = std::ranges::find_if(grants_, is_for);
    return found == grants_.end() ? nullptr : found->of.get();
}

// A recent confirmation is not enough: the renewals of a re-entry with a shorter lease time confirm the grant, but do
// not prolong it. A reader that joins must lose no more of its lease time than the freshness.
bool shared_arbiter::is_fresh(grant const& g) const
{
    auto const since = parts_.runtime.recent() - freshness_;
    auto const lease = std::min(g.lease(), g.lock().protocol->longest_period(g.lock()));
    return g.confirmed() > since && g.valid_until() >= core::valid_until(since, lease);
}

joinability shared_arbiter::joinability_of(grant const& g) const
{
    if (!may_be_joined(g))
        return joinability::closed;
    return is_fresh(g) ? joinability::fresh : joinability::stale;
}

bool shared_arbiter::must_wait_for_writers(contender const& c) const
{
    // The server may not know of a writer of this process yet, so its reply alone does not decide.
    return c.lock().rules->prefer != preference::readers && parts_.host.has_waiting_writer(c.lock());
}

// Whether readers may join a grant at once. All are asked again if the grants, or the writers of this process, may have
// let in one that was refused.
bool shared_arbiter::is_any_fresh()
{
    bool const writers_wait = parts_.host.has_waiting_writer(lock());
    bool asks_all = std::exchange(writers_waited_, writers_wait) && !writers_wait;
    bool found = false;
    for (auto& g : grants_) {
        auto const now = joinability_of(*g.of);
        asks_all |= may_let_in(std::exchange(g.known, now), now);
        found |= now == joinability::fresh;
    }
    if (asks_all)
        joining_.ask_all();
    return found;
}

void shared_arbiter::admit_where_fresh()
{
    if (!is_any_fresh())
        return;
    auto const fresh_for = [this](contender const& c) -> grant* {
        auto* const g = must_wait_for_writers(c) ? nullptr : grant_for(c);
        return g && is_fresh(*g) ? g : nullptr;
    };
    auto const may_enter = [&](contender const& c) { return fresh_for(c) != nullptr; };
    if (!joining_.admit(queue(), may_enter, [&](contender& c) { begin_tenure(c, *fresh_for(c)); }))
        await_next_turn();
}

// Admits the contenders that want such a grant: of thousands a part, and the others in the next turns, as those that come
// then.
void shared_arbiter::admit_readers(grant& g)
{
    joining_.ask_all();
    auto const wants = [&](contender const& c) { return suits(g, c); };
    if (!joining_.admit(queue(), wants, [&](contender& c) { begin_tenure(c, g); }))
        await_next_turn();
    joining_.ask_all();  // the others may join another grant
}

void shared_arbiter::await_next_turn()
{
    parts_.runtime.arm(next_turn_, core::next_turn(parts_.runtime.recent()));
}

void shared_arbiter::inquire(grant& g)
{
    is_inquiring_ = true;
    inquired_ = parts_.runtime.recent();
    parts_.watchdog.extend(g, nullptr, g.lease(), new inquiry(*this, g));
}

core::instant shared_arbiter::unanswered_since() const noexcept
{
    return is_inquiring_ ? inquired_ : queued_arbiter::unanswered_since();
}

void shared_arbiter::on_inquired(grant& g, error_code ec)
{
    is_inquiring_ = false;
    if (ec)
        g.is_closed = true;  // until a reply shows whether a writer waits
    else if (!g.is_closed)
        admit_readers(g);
    proceed();
}

// ---- the arbiter

void shared_arbiter::proceed()
{
    if (next_turn_.is_armed())
        return;
    boost::intrusive_ptr<arbiter> const keep(this);
    admit_where_fresh();
    auto* const first = head();
    auto* const g = first && !must_wait_for_writers(*first) ? grant_for(*first) : nullptr;
    if (is_inquiring_)
        return;
    // One script at a time, and none while an attempt is under way: its grant will be as recent.
    if (g && parts_.runtime.session_of(lock()).is_open() && !is_seeking())
        return inquire(*g);
    seek();
    if (grants_.empty() && is_done())
        parts_.host.forget(*this);
}

void shared_arbiter::on_granted(boost::intrusive_ptr<grant> g)
{
    grants_.push_back({.of = g});
    admit_readers(*g);
    if (g->is_held())
        return;
    // No reader is left that wants it (rule 7).
    drop(*g);
    parts_.releaser.release(std::move(g), nullptr, nullptr);
}

void shared_arbiter::end_tenure(tenure& t, release_waiter* waiter)
{
    // proceed() may drop the last reference to this arbiter, and the grant's list drops that to the tenure.
    boost::intrusive_ptr<arbiter> const keep(this);
    boost::intrusive_ptr<tenure> const keep_tenure(&t);
    parts_.tenures.end(t);
    auto const g = std::exchange(t.held_grant, nullptr);
    forget_unheld(*g);
    if (g->drop_claim() || outlasts_its_reads(*g))
        parts_.releaser.release(g, waiter, nullptr);
    else if (waiter)
        waiter->released({});
    proceed();
}

// A lost tenure does not release the grant here, unless others have prolonged it: the token is deleted when the bodies of
// all readers have ended (rule 9).
void shared_arbiter::lose(tenure& t, loss why)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    boost::intrusive_ptr<tenure> const keep_tenure(&t);
    boost::intrusive_ptr<grant> const g(t.held_grant);
    parts_.tenures.lose(t, why);
    forget_unheld(*g);
    if (t.valid_until() < g->valid_until() && outlasts_its_reads(*g))
        parts_.releaser.release(g, nullptr, nullptr);
    proceed();
}

void shared_arbiter::forget_unheld(grant& g)
{
    if (!g.is_held())
        drop(g);
}

// Readers may join another grant that stood behind it.
void shared_arbiter::drop(grant const& g)
{
    if (std::erase_if(grants_, [&](shared_grant const& other) { return other.of == &g; }) > 0)
        joining_.ask_all();
}

// Whether all reads that are left were lost, and the grant lasts longer than each of them was valid. Its release then keeps
// it until the last of them would have ended.
bool shared_arbiter::outlasts_its_reads(grant& g) const
{
    if (g.is_held())
        return false;
    auto const end = parts_.tenures.lost_until(g);
    if (end >= g.valid_until())
        return false;
    g.keep_until(end);
    return true;
}

void shared_arbiter::lose_all(loss why)
{
    while (!grants_.empty())
        lose(grants_.front().of->holders().front(), why);
}

}  // namespace holdfast::engine
