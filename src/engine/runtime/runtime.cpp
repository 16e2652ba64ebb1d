//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/runtime.hpp"

#include <algorithm>
#include <utility>

#include "core/turn_budget.hpp"
#include "engine/runtime/acknowledger.hpp"

namespace holdfast::engine {

runtime::runtime(client_io const& io, config const& c, engine::log l, std::weak_ptr<inbox> home)
    : world_(io.world),
      config_(c),
      open_second_(io.open_second),
      home_(std::move(home)),
      log_(std::move(l)),
      telemetry_(c.observer, log_),
      tokens_(*world_),
      first_(io.session, log_),
      router_(
          io.open_node ? std::make_unique<engine::router>(
              first_, io.open_node, log_, [this](auto& s, auto const& p) { fit(s, p); })
                       : nullptr)
{
    // Of a cluster, the first shard is at the seeds, which grant nothing.
    if (!router_)
        fit(first_, {});
}

void runtime::fit(engine::shard& s, core::cluster_primary const& p)
{
    if (needs_acknowledgement() && open_second_)
        s.fit(std::make_unique<acknowledger>(*this, s.session(), open_second_(p)));
}

void runtime::start(world_events& w, shard_events& s)
{
    world_->start(w);
    if (router_)
        router_->start(s);
    first_.start(s);
}

void runtime::stop() noexcept
{
    if (router_)
        router_->stop();
    first_.stop();
    world_->stop();
}

// The state of the client comes first: a client that does not run accepts nothing, whatever a server says.
described_error runtime::admission_error(lock_spec const& l)
{
    auto const ec = lifecycle_.admission_error();
    return ec ? described_error(ec) : shard_of(l).refusal();
}

error_text runtime::why_silent(lock_spec const& l)
{
    auto const& at = shard_of(l);
    if (at.is_open())
        return detail::make_error_text("no reply in time");
    auto const& why = at.why_closed();
    return detail::make_error_text(why ? "not connected: " + *why : "not connected");
}

std::optional<shard_id> runtime::asked(answer const& ask)
{
    auto const to = core::read_redirect(ask.words);
    auto* const at = router_ && to && !needs_acknowledgement() ? router_->importing(*to) : nullptr;
    return at ? std::optional(at->id()) : std::nullopt;
}

engine::session* runtime::asked_session(answer const& ask)
{
    auto const at = asked(ask);
    return at ? find_session(*at) : nullptr;
}

engine::session* runtime::find_session(shard_id s)
{
    auto* const at = router_ ? router_->find(s) : &first_;
    return at ? &at->session() : nullptr;
}

bool runtime::await_acknowledgement(
    acknowledgement_waiter& w, shard_id at, lock_spec const& l, core::duration lease, core::instant sent)
{
    auto* const a = is_at(at, l) ? shard_of(l).acknowledger() : nullptr;
    if (a)
        a->await(w, l, lease, sent);
    return a != nullptr;
}

void runtime::arm(core::deadline& d, core::instant due)
{
    deadlines_.arm(d, due);
    set_alarm();
}

// disarm() does not call this function: most deadlines are withdrawn before they are due, and an alarm that expires too
// early costs less than to set the timer each time.
void runtime::set_alarm(core::instant not_before)
{
    auto const next = std::max(deadlines_.next(), not_before);
    if (next >= alarm_ || lifecycle_.is_stopped())
        return;
    alarm_ = next;
    world_->wake_at(alarm_);
}

void runtime::on_alarm()
{
    auto const time = now();
    alarm_ = core::instant::min();  // set_alarm() does nothing meanwhile: another alarm could come in this turn
    deadlines_.run(time);
    alarm_ = core::never;
    set_alarm(core::next_turn(time));
}

// The time until an unknown outcome is that of a time-out, not of a reply, and would spoil the estimate.
void runtime::on_answer(lock_spec const& of, answer const& a)
{
    if (a.outcome != outcome::applied)
        return;
    telemetry_.on_answered(of, now() - a.sent);
    shard_of(of).responses().add(a.sent, recent());
}

}  // namespace holdfast::engine
