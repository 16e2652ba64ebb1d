//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/watch/watch.hpp"

#include <algorithm>
#include <utility>

#include "core/memory_end.hpp"
#include "core/turn_taking.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;

// After an answer that is none, and where the server permits no subscription.
constexpr core::duration usual_pause = 1s;

}  // namespace

watch::watch(std::shared_ptr<lock_spec const> lock, std::string_view channel) noexcept
    : lock_(std::move(lock)), channel_(channel)
{}

runtime& watch::runtime() const noexcept
{
    return parts_->runtime;
}

void watch::join(engine_parts const& p)
{
    parts_ = &p;
    refresh();
}

void watch::leave() noexcept
{
    core::run_or_end([this] { parts_->subscriptions.leave(channel_, *this); });
    parts_->runtime.disarm(*this);
    parts_ = nullptr;
}

void watch::refresh()
{
    auto& at = runtime().shard_of(*lock_);
    is_outdated_ = true;
    if (is_under_way() || !at.is_open())
        return;
    is_outdated_ = false;
    // Before the script: a change after its answer leads to a message.
    if (!listener::is_linked())
        parts_->subscriptions.join(*lock_, channel_, *this);
    asked_ = at.id();
    self_ = this;
    send(at.session());
}

void watch::on_reply(answer const& a)
{
    auto const keep = std::exchange(self_, nullptr);
    if (!is_joined())
        return watch_hook::unlink();
    arm(read(runtime().counted(a, asked_, *lock_)));
    if (is_joined() && is_outdated_)
        refresh();
}

core::duration watch::read(answer const& a)
{
    if (a.outcome == outcome::applied) {
        parts_->subscriptions.on_served(runtime().shard_of(*lock_), channel_);
        return on_state(a.value);
    }
    if (auto const failure = classify_failure(a); failure.what == acquire_result::kind::failed)
        on_failed(runtime().telemetry().on_refused(failure.error, *lock_, a.words));
    return is_of_open_slot(a.why) ? core::open_slot_interval : usual_pause;
}

// The caller of on_state() or on_failed() may have left.
void watch::arm(core::duration changes_after)
{
    if (!is_joined())
        return;
    auto const& options = runtime().options();
    auto const usual = changes_after < core::duration::max() ? changes_after : options.poll_interval;
    bool const notifies = runtime().session_of(*lock_).notifies();
    runtime().arm(*this, runtime().now() + (notifies ? usual : std::min(usual, usual_pause)));
}

}  // namespace holdfast::engine
