//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/queued_arbiter.hpp"

#include <cassert>
#include <utility>

#include <holdfast/error.hpp>

#include "engine/acquire/contender_result.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/hold/tenure_registry.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

using contender_ptr = boost::intrusive_ptr<contender>;

// A new tenure of an owner that holds the lock already, by another grant, counts with that hold. Only reads have this
// case: a downgrade contends although its owner may read, and several reads under one write have a grant each.
tenure* other_read_of(contender const& c, core::instant now)
{
    bool const reads = c.owner() && c.lock().protocol->side() == readers;
    return reads ? c.owner()->tenure_of(c.lock(), now) : nullptr;
}

}  // namespace

queued_arbiter::queued_arbiter(
    engine_parts const& p, std::shared_ptr<lock_spec const> lock, bool is_private, boost::intrusive_ptr<grant> cover)
    : arbiter(std::move(lock)), cover_(std::move(cover)), parts_(p), is_private_(is_private)
{}

queued_arbiter::~queued_arbiter()
{
    assert(queue_.empty());
    forget_seeker();
}

acquisition& queued_arbiter::seeker()
{
    if (!acquisition_)
        acquisition_ = new acquisition(parts_, *this);
    return *acquisition_;
}

reentries& queued_arbiter::entering()
{
    if (!entering_)
        entering_ = std::make_unique<reentries>(parts_, *this);
    return *entering_;
}

void queued_arbiter::seek()
{
    if (acquisition_ || head())
        seeker().proceed();
}

void queued_arbiter::forget_seeker() noexcept
{
    delete std::exchange(acquisition_, nullptr);
}

// ---- contenders

void queued_arbiter::join(contender& c)
{
    // Sends nothing: the result is known, and a single attempt does not wait.
    if (c.is_one_shot() && is_known_busy())
        return refuse(parts_.runtime, c);
    push(c);
    proceed();
}

void queued_arbiter::leave(contender& c, error_code why)
{
    auto const removed = take(c);
    fail(parts_.runtime, *removed, why);
    proceed();
}

void queued_arbiter::expire(contender& c, core::instant now)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (c.is_entering) {
        entering_->on_due(c, now);
        return proceed();
    }
    auto const outcome = core::classify_wait(facts_of(c, now));
    auto const removed = take(c);
    if (outcome == core::wait_outcome::busy)
        refuse(parts_.runtime, *removed);
    else
        fail(parts_.runtime, *removed, why_not_served());
    proceed();
}

// A server that answers, but does not serve the attempts, has said why.
described_error queued_arbiter::why_not_served() const
{
    bool const answers = acquisition_ && parts_.runtime.session_of(lock()).is_open();
    auto why = answers ? acquisition_->last_failure() : described_error(errc::unavailable);
    if (!why.text)
        why.text = parts_.runtime.why_silent(lock());
    return why;
}

core::wait_facts queued_arbiter::facts_of(contender const& c, core::instant now) const noexcept
{
    auto const since = unanswered_since();
    auto const command_timeout = parts_.runtime.options().command_timeout;
    return {
        .is_held_here = is_held_here(),
        .is_connected = parts_.runtime.session_of(lock()).is_open(),
        // Strictly later: a lease that ended at the instant of joining does not show that the lock was held since.
        .was_held = last_held_ > c.joined,
        // A contender that joined without a connection has seen no reply, unless was_held says so.
        .is_in_doubt = c.joined < opened_ || (acquisition_ && acquisition_->is_in_doubt()),
        .needs_answer = c.needs_answer(now, command_timeout),
        .unanswered = since == core::never ? core::duration::zero() : now - since,
        .answer_timeout = parts_.runtime.shard_of(lock()).responses().answer_timeout(command_timeout)};
}

core::instant queued_arbiter::unanswered_since() const noexcept
{
    return acquisition_ ? acquisition_->unanswered_since() : core::never;
}

void queued_arbiter::note_held() noexcept
{
    last_held_ = parts_.runtime.recent();
}

void queued_arbiter::push(contender& c)
{
    c.home = this;
    intrusive_ptr_add_ref(&c);
    queue_.push_back(c);
    if (c.is_one_shot())
        ++one_shots_;
    if (c.owner())
        c.owner()->begins_to_wait(*this);
    // Without this deadline a single attempt could wait too long: behind the attempt of another contender, during a
    // turn of others, or for a connection. The deadline of its own command covers none of these.
    set_limit(
        c,
        c.is_one_shot() ? std::min<core::duration>(c.limit(), parts_.runtime.options().command_timeout)
                        : c.wait().value_or(core::duration::max()));
}

void queued_arbiter::set_limit(contender& c, core::duration from_joining)
{
    if (from_joining < core::duration::max())
        parts_.runtime.arm(c, c.joined + from_joining);
}

contender_ptr queued_arbiter::take(contender& c) noexcept
{
    if (c.is_entering)
        return entering_->take(c);
    queue_.erase(queue_.iterator_to(c));
    if (c.is_one_shot())
        --one_shots_;
    if (c.owner())
        c.owner()->ends_to_wait(*this);
    parts_.runtime.disarm(c);
    c.home = nullptr;
    c.asked_in = 0;
    return {&c, false};
}

void queued_arbiter::re_enter(contender& c, tenure& t)
{
    auto& g = *t.held_grant;
    auto const now = parts_.runtime.recent();
    // Nothing follows wait(), because the extension may complete within the call.
    if (needs_extension(c.terms(), now, g.valid_until(), g.reckon()))
        entering().wait(c, g);
    else
        enter(c, g, now, &t);
}

void queued_arbiter::on_extended(contender& c, grant& g, described_error const& ec)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (!c.is_entering)
        return;  // the contender was cancelled, or its wait ended, before the reply came
    entering_->on_extended(c, g, ec);
    proceed();
}

void queued_arbiter::fail_all(described_error const& ec)
{
    while (!queue_.empty())
        fail(parts_.runtime, *take(queue_.front()), ec);
    if (entering_)
        entering_->fail_all(ec);
    proceed();
}

void queued_arbiter::fail_head(described_error const& ec)
{
    if (!queue_.empty())
        fail(parts_.runtime, *take(queue_.front()), ec);
}

void queued_arbiter::complete_one_shots(described_error const& ec)
{
    for (auto c = queue_.begin(); one_shots_ > 0 && c != queue_.end();) {
        auto& current = *c++;
        if (!current.is_one_shot())
            continue;
        auto const removed = take(current);
        ec ? fail(parts_.runtime, *removed, ec) : refuse(parts_.runtime, *removed);
    }
}

// ---- the acquisition

attempt queued_arbiter::attempt_with(
    grant const& g, std::span<follower const> followers, bool is_listening) const noexcept
{
    auto const& head = queue_.front();
    return {
        .lock = head.lock(),
        .token = g.token(),
        .lease = g.lease(),
        .will_wait = has_waiting_contender(),
        .is_listening = is_listening,
        .priority = head.terms().priority,
        // A retired write is, or will be, released: the read then contends like any other.
        .cover = cover_ && !cover_->is_retired() ? cover_->token() : std::string_view(),
        .followers = followers};
}

// A contender for fewer permits than were refused gets an attempt of its own, unless another one waits before it.
void queued_arbiter::on_busy(unsigned refused)
{
    while (head() && head()->is_one_shot() && head()->lock().permits() >= refused)
        refuse(parts_.runtime, *take(*head()));
    if (head() && head()->lock().permits() >= refused)
        complete_one_shots({});
}

void queued_arbiter::on_doubt()
{
    last_held_ = core::instant::min();
    complete_one_shots(why_not_served());
}

// A handle that has another number of permits is told once for each number: that of the server holds for all.
void queued_arbiter::on_permits(std::int64_t total)
{
    auto const& asks = head() ? head()->lock() : lock();
    if (!asks.semaphore || total < 0)
        return;
    auto& rules = *asks.semaphore;
    if (rules.permits == 0 || total == rules.permits || total == rules.reported)
        return;
    rules.reported = total;
    parts_.runtime.telemetry().on_permits_differ(asks, total);
}

void queued_arbiter::on_failed(lock_spec const& lock, described_error const& ec)
{
    for (auto c = queue_.begin(); c != queue_.end();) {
        auto& current = *c++;
        // Contenders of another protocol on the same key, such as a fenced mutex beside a plain one, send other
        // commands, which the server may accept. So do contenders for other numbers of permits.
        if (current.lock().protocol == lock.protocol && current.lock().weight == lock.weight)
            fail(parts_.runtime, *take(current), ec);
    }
}

// ---- the tenures

void queued_arbiter::begin_tenure(contender& c, grant& g)
{
    auto const next = take(c);
    enter(*next, g, g.confirmed(), other_read_of(*next, parts_.runtime.recent()));
}

void queued_arbiter::enter(contender& c, grant& g, core::instant counted_from, tenure* entered)
{
    auto& runtime = parts_.runtime;
    hold const h(c.terms(), runtime.recent(), counted_from);
    auto const acquire = c.under() ? c.under()->acquire() : c.acquire;
    auto const& context = c.under() ? c.under()->context() : c.context();
    boost::intrusive_ptr<tenure> const t(
        c.make_tenure({runtime.home(), c.shared_lock(), c.owner(), h, g.fence, g.number, acquire, context, entered}));
    parts_.tenures.begin(*t, g, *this);
    admit(runtime, c, t);
    if (!entered && t->owner() && t->owner()->is_process())
        admit_reentrants(*t->owner(), *t);
}

// The tasks of a process share its one owner on purpose, so all of them that wait for the lock hold it now. Only the
// first tenure does this (`entered` is null): each of the others enters this one.
void queued_arbiter::admit_reentrants(owner_state const& owner, tenure& t)
{
    for (auto const& a : owner.waits_at(t.lock()))
        a->re_enter_all(owner, t);
}

// The contenders enter through the arbiter that has the grant. It is another one where each contender has an arbiter of
// its own; this arbiter may end while the grant goes on. The reference keeps that arbiter while its tenures change.
void queued_arbiter::re_enter_all(owner_state const& owner, tenure& t)
{
    boost::intrusive_ptr<arbiter> const has_grant(t.held_grant->home);
    for (auto c = queue_.begin(); c != queue_.end();) {
        auto& current = *c++;
        if (current.owner().get() == &owner)
            has_grant->re_enter(*take(current), t);
    }
    proceed();
}

void queued_arbiter::stop()
{
    fail_all(errc::client_stopped);
    lose_all(loss::client_stopped);
}

// ---- the connection

void queued_arbiter::on_open(std::size_t before)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    opened_ = parts_.runtime.recent();
    // Read first: the re-entries may all have ended below.
    bool const had_reentries = has_reentries();
    if (had_reentries)
        entering_->on_open();
    if (acquisition_)
        acquisition_->on_open(before);
    if (had_reentries)
        proceed();  // or an arbiter whose last contender was one of them would never end
}

void queued_arbiter::on_moved(std::size_t before)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (has_reentries() && parts_.runtime.session_of(lock()).is_open())
        entering_->on_open();
    if (acquisition_)
        acquisition_->on_moved(before);
    last_held_ = core::instant::min();
    fail_unconnected();
    proceed();
}

void queued_arbiter::on_closed()
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (acquisition_)
        acquisition_->on_closed();
    last_held_ = core::instant::min();
    if (fail_unconnected())
        proceed();
}

// A server that refuses the client has said why: fail_all() follows. Re-entries end with their extensions.
bool queued_arbiter::fail_unconnected()
{
    auto const& server = parts_.runtime.shard_of(lock());
    auto const before = queue_.size();
    if (!server.is_away() || server.refusal())
        return false;
    for (auto c = queue_.begin(); c != queue_.end();) {
        auto& current = *c++;
        if (current.requires_connection())
            engine::fail_unconnected(parts_.runtime, *take(current));
    }
    return queue_.size() != before;
}

void queued_arbiter::on_released(unsigned receivers)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    if (acquisition_)
        acquisition_->on_released(receivers);
}

}  // namespace holdfast::engine
