//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/release/release_schedule.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine {
namespace {

using kind = release_step::kind;

}  // namespace

// `server_refused` (OOM, for example) and a refusal without an error (BUSY) pass.
bool is_permanent(error_code refusal) noexcept
{
    return refusal && refusal != errc::server_refused && refusal != errc::wrong_type;
}

release_schedule::release_schedule(core::instant queued, core::duration command_timeout, bool has_waiter) noexcept
    : queued_(queued), waiter_deadline_(queued + command_timeout), is_awaited_(has_waiter)
{}

release_step release_schedule::begin(bool is_open) noexcept
{
    if (state_ != state::waiting)
        return {};
    return is_open ? send() : wait_until(waiter_deadline_);
}

// A release that is under way was sent in this epoch already: the commands of the last epoch have their outcomes.
release_step release_schedule::on_open() noexcept
{
    return is_idle() ? send_again() : release_step{};
}

release_step release_schedule::on_due(release_facts const& f) noexcept
{
    // Before resume(), whose step may complete the waiter, too.
    bool const ends_wait = end_wait(f.now);
    auto step = is_idle() ? resume(f) : watch_deadline();
    if (ends_wait)
        step.ends_wait = errc::unavailable;
    return step;
}

// A repeated release that finds no token is a success: an earlier one deleted it (rule 7).
release_step release_schedule::on_applied(bool found) noexcept
{
    if (state_ != state::under_way)
        return {};
    return end(found || is_in_doubt_ ? error_code() : errc::lease_lost);
}

release_step release_schedule::on_refused(error_code ec, release_facts const& f) noexcept
{
    if (state_ != state::under_way)
        return {};
    // The key is of another type, so the token was deleted.
    if (ec == errc::wrong_type)
        return end(errc::lease_lost);
    // An operator may act before the key expires, or a proxy may have spoken for a server that it could not reach.
    bool const ends_wait = is_permanent(ec) && std::exchange(is_awaited_, false);
    auto step = repeat(f);
    if (ends_wait)
        step.ends_wait = ec;
    return step;
}

release_step release_schedule::on_moved(release_facts const& f) noexcept
{
    if (state_ != state::under_way)
        return {};
    return f.is_open ? send_again() : wait_until(limited(f.expiry, f.now));
}

release_step release_schedule::on_unanswered(release_facts const& f) noexcept
{
    if (state_ != state::under_way)
        return {};
    is_in_doubt_ = true;
    return repeat(f);
}

release_step release_schedule::stop() noexcept
{
    return state_ == state::ended ? release_step{} : end(errc::client_stopped);
}

core::instant release_schedule::pause_end(core::instant now, std::uint64_t random) noexcept
{
    return limited(now + pauses_.next(random), now);
}

release_step release_schedule::send() noexcept
{
    state_ = state::under_way;
    return {.what = kind::send};
}

release_step release_schedule::send_again() noexcept
{
    auto step = send();
    if (is_awaited_)
        step.due = waiter_deadline_;
    return step;
}

release_step release_schedule::resume(release_facts const& f) noexcept
{
    if (f.now >= f.expiry)
        return end(errc::unavailable);
    return f.is_open ? send_again() : wait_until(limited(f.expiry, f.now));
}

// Without a connection a pause is of no use: on_open() sends the release.
release_step release_schedule::repeat(release_facts const& f) noexcept
{
    if (f.now >= f.expiry)
        return end(errc::unavailable);
    if (!f.is_open)
        return wait_until(limited(f.expiry, f.now));
    state_ = state::pausing;
    return {.what = kind::pause};
}

release_step release_schedule::wait_until(core::instant due) noexcept
{
    state_ = state::waiting;
    return {.what = kind::arm, .due = due};
}

// An epoch may have opened in a pause: the deadline was then that of the pause, and the waiter's was not armed.
release_step release_schedule::watch_deadline() const noexcept
{
    return is_awaited_ ? release_step{.what = kind::arm, .due = waiter_deadline_} : release_step{};
}

release_step release_schedule::end(error_code ec) noexcept
{
    state_ = state::ended;
    is_awaited_ = false;
    return {.what = kind::end, .outcome = ec};
}

// Returns whether the waiter completes now, which is true once.
bool release_schedule::end_wait(core::instant now) noexcept
{
    return now >= waiter_deadline_ && std::exchange(is_awaited_, false);
}

// Never in the past, where the deadline of a waiter may lie.
core::instant release_schedule::limited(core::instant due, core::instant now) const noexcept
{
    return std::max(is_awaited_ ? std::min(due, waiter_deadline_) : due, now);
}

}  // namespace holdfast::engine
