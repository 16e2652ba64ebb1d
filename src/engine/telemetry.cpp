//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/telemetry.hpp"

#include <string>

#include "core/printable.hpp"
#include "engine/contender.hpp"
#include "engine/owner_state.hpp"
#include "engine/tenure.hpp"

namespace holdfast::engine {
namespace {

auto to_ms(core::duration d) noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(d);
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
    failure_ = {ec, core::printable(words)};  // likely to be logged
}

stats telemetry::read_stats() const
{
    stats sum;
    meters_.add_to(sum);
    composites_.add_to(sum);
    return sum;
}

void telemetry::on_joined(contender const& c)
{
    if (c.is_counted())
        meters_.waiting.add();
}

void telemetry::on_acquired(contender const& c, core::duration waited)
{
    if (!c.is_counted())
        return;
    meters_.waiting.add(-1);
    meters_.acquired.add();
    meters_.wait.add(waited);
    if (observer_)
        observer_->on_acquired({.name = c.lock().name, .label = label_of(c.owner()), .waited = to_ms(waited)});
}

void telemetry::on_busy(contender const& c, core::duration waited)
{
    if (!c.is_counted())
        return;
    meters_.waiting.add(-1);
    meters_.busy.add();
    if (observer_)
        observer_->on_busy({.name = c.lock().name, .label = label_of(c.owner()), .waited = to_ms(waited)});
}

void telemetry::on_failed(contender const& c, error_code ec, core::duration waited)
{
    if (!c.is_counted())
        return;
    meters_.waiting.add(-1);
    meters_.end_of(ec, false).add();
    if (observer_)
        observer_->on_failed(
            {.name = c.lock().name, .label = label_of(c.owner()), .waited = to_ms(waited), .code = ec});
}

void telemetry::on_begun(tenure const& t)
{
    ++tenures_;
    if (!t.conditions().is_part)
        meters_.held.add();
}

void telemetry::on_ended(tenure const& t, core::duration held)
{
    --tenures_;
    if (t.conditions().is_part)
        return;
    meters_.held.add(-1);
    meters_.hold.add(held);
    if (observer_)
        observer_->on_released({.name = t.lock().name, .label = label_of(t.owner()), .held = to_ms(held)});
}

void telemetry::on_lost(tenure const& t, core::duration held)
{
    --tenures_;
    if (!t.conditions().is_part) {
        meters_.held.add(-1);
        meters_.hold.add(held);
    }
    meters_.lost.add();
    if (observer_)
        observer_->on_lost(
            {.name = t.lock().name, .label = label_of(t.owner()), .held = to_ms(held), .reason = t.reason()});
}

void telemetry::on_at_risk(tenure const& t)
{
    meters_.at_risk.add();
    if (observer_)
        observer_->on_at_risk({.name = t.lock().name, .label = label_of(t.owner())});
}

void telemetry::on_refused(error_code ec, lock_spec const& lock, std::string_view words)
{
    if (!ec)
        return;
    std::string line = "lock \"" + std::string(lock.name) + "\": " + ec.message();
    if (!words.empty())
        line.append(": ").append(words);
    remember(ec, line);
    log_.warning(line);
    if (observer_)
        observer_->on_refused({.name = lock.name, .label = lock.label, .code = ec, .message = words});
}

void telemetry::on_renewed_again(lock_spec const& lock)
{
    log_.info("lock \"" + std::string(lock.name) + "\": renewals are accepted again");
}

void telemetry::on_batch_refused(std::string_view done, std::string_view words)
{
    std::string line("several locks may not be ");
    line.append(done).append(" by one script, each is ").append(done).append(" alone: ").append(words);
    log_.warning(line);
}

void telemetry::on_connected()
{
    if (observer_)
        observer_->on_connected();
}

void telemetry::on_disconnected(error_code ec, std::string_view words)
{
    remember(ec, words);
    if (observer_)
        observer_->on_disconnected(ec, words);
}

void telemetry::on_stopped(std::size_t releases)
{
    auto const abandoned = tenures_ + releases;
    meters_.abandoned.add(static_cast<std::int64_t>(abandoned));
    if (abandoned > 0)
        log_.warning(std::to_string(abandoned) + " grants were abandoned: their keys expire with their leases");
}

}  // namespace holdfast::engine
