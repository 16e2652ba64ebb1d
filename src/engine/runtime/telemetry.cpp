//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/telemetry.hpp"

#include <string>
#include <utility>

#include "core/printable.hpp"
#include "engine/protocol/lock_protocol.hpp"

namespace holdfast::engine {
namespace {

auto to_ms(core::duration d) noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(d);
}

lock_event event_of(acquire_facts const& a) noexcept
{
    return {
        .name = a.lock.name,
        .label = a.label,
        .kind = a.lock.protocol->kind(),
        .acquire = a.acquire,
        .context = a.context,
        .waited = to_ms(a.waited)};
}

lock_event event_of(tenure_facts const& t) noexcept
{
    return {
        .name = t.lock.name,
        .label = t.label,
        .kind = t.lock.protocol->kind(),
        .acquire = t.acquire,
        .context = t.context};
}

}  // namespace

failure telemetry::last_failure() const
{
    std::scoped_lock const guard(failure_mutex_);
    return failure_;
}

void telemetry::remember(error_code ec, std::string_view words)
{
    std::scoped_lock const guard(failure_mutex_);
    failure_ = {ec, core::printable(words)};  // escaped, because users will probably log it
}

void telemetry::add_to(stats& sum) const
{
    sum.abandoned += meters_.abandoned;
    sum.refused += meters_.nameless.refused;
    sum.connections += meters_.connections;
    sum.connected += meters_.connected;
}

void telemetry::on_joined(acquire_facts const& a)
{
    meters_of(a.lock).waiting.add();
    if (observer_)
        observer_->on_waiting(event_of(a));
}

void telemetry::on_acquired(acquire_facts const& a, std::uint64_t fence)
{
    auto& meters = meters_of(a.lock);
    meters.waiting.add(-1);
    meters.acquired.add();
    meters.wait.add(a.waited);
    if (!observer_)
        return;
    auto event = event_of(a);
    if (fence != 0)
        event.fencing_token = fence;
    observer_->on_acquired(event);
}

void telemetry::on_busy(acquire_facts const& a)
{
    auto& meters = meters_of(a.lock);
    meters.waiting.add(-1);
    meters.busy.add();
    if (observer_)
        observer_->on_busy(event_of(a));
}

void telemetry::on_failed(acquire_facts const& a, error_code ec)
{
    auto& meters = meters_of(a.lock);
    meters.waiting.add(-1);
    meters.end_of(ec, false).add();
    if (!observer_)
        return;
    auto event = event_of(a);
    event.code = ec;
    observer_->on_failed(event);
}

// Parts count in tenures_ but not in the gauge: their grants exist on the server, and are abandoned if the client
// stops.
void telemetry::on_begun(lock_spec const& lock, bool is_part)
{
    ++tenures_;
    if (!is_part)
        meters_of(lock).held.add();
}

void telemetry::on_ended(tenure_facts const& t)
{
    --tenures_;
    if (t.is_part)
        return;
    auto& meters = meters_of(t.lock);
    meters.held.add(-1);
    meters.hold.add(t.held);
    if (!observer_)
        return;
    auto event = event_of(t);
    event.held = to_ms(t.held);
    observer_->on_released(event);
}

// Calls the observer for a part, too: no other event says which lock of a composite lease was lost.
void telemetry::on_lost(tenure_facts const& t, loss why)
{
    --tenures_;
    auto& meters = meters_of(t.lock);
    if (!t.is_part) {
        meters.held.add(-1);
        meters.hold.add(t.held);
    }
    meters.lost_by(why).add();
    if (!observer_)
        return;
    auto event = event_of(t);
    event.held = to_ms(t.held);
    event.reason = why;
    observer_->on_lost(event);
}

void telemetry::on_at_risk(tenure_facts const& t)
{
    meters_of(t.lock).at_risk.add();
    if (observer_)
        observer_->on_at_risk(event_of(t));
}

void telemetry::on_renewed(tenure_facts const& t, core::duration lag)
{
    auto event = event_of(t);
    event.lag = std::chrono::duration_cast<std::chrono::microseconds>(lag);
    observer_->on_renewed(event);
}

described_error telemetry::on_refused(error_code ec, lock_spec const& lock, std::string_view words)
{
    if (!ec)
        return {};
    // A query about the server has a lock without a name.
    auto const subject = lock.name.empty() ? "query of the server" : "lock \"" + std::string(lock.name) + "\"";
    auto line = subject + ": " + ec.message();
    if (!words.empty())
        line.append(": ").append(words);
    meters_of(lock).refused.add();
    remember(ec, line);
    log_.warning(line);
    if (observer_)
        observer_->on_refused(
            {.name = lock.name, .label = lock.label, .kind = lock.protocol->kind(), .code = ec, .message = words});
    return {ec, detail::make_error_text(words)};
}

void telemetry::on_renewed_again(lock_spec const& lock)
{
    log_.info("lock \"" + std::string(lock.name) + "\": the server accepts renewals again");
}

// Logged once until replicas acknowledge again: while a replica is missing, each grant and each renewal fails.
described_error telemetry::on_unacknowledged(lock_spec const& lock, acknowledgement const& a)
{
    meters_of(lock).unacknowledged.add();
    if (a.what == acknowledgement::kind::denied)
        return on_refused(a.error, lock, a.words);
    std::string what = "not acknowledged by replicas";
    if (!a.words.empty())
        what.append(": ").append(a.words);
    auto const line = "lock \"" + std::string(lock.name) + "\": " + what;
    remember(errc::unavailable, line);
    if (!std::exchange(is_unacknowledged_, true))
        log_.warning(line);
    return {errc::unavailable, detail::make_error_text(what)};
}

void telemetry::on_permits_differ(lock_spec const& lock, std::int64_t total)
{
    meters_of(lock).permits_differ.add();
    log_.warning(
        "semaphore \"" + std::string(lock.name) + "\": it has " + std::to_string(total)
        + " permits, the options of the handle have " + std::to_string(lock.semaphore->permits));
}

void telemetry::on_connected()
{
    meters_.connections.add();
    meters_.connected.add();
    if (observer_)
        observer_->on_connected();
}

void telemetry::on_disconnected(error_code ec, std::string_view words, bool had_connection)
{
    if (had_connection)
        meters_.connected.add(-1);
    remember(ec, words);
    if (observer_)
        observer_->on_disconnected(ec, words);
}

void telemetry::on_stopped(std::size_t releases)
{
    meters_.connected.add(-static_cast<std::int64_t>(meters_.connected));  // sessions that are stopped report no end
    // stop() deletes no key, because the bodies of the holders may still run (rule 23): the keys expire.
    auto const abandoned = tenures_ + releases;
    meters_.abandoned.add(static_cast<std::int64_t>(abandoned));
    if (abandoned > 0)
        log_.warning(
            "the client stopped without releasing " + std::to_string(abandoned)
            + (abandoned == 1 ? " lease" : " leases") + ": the keys stay until their time to live ends");
}

}  // namespace holdfast::engine
