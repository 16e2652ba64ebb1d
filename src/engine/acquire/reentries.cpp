//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/reentries.hpp"

#include <algorithm>
#include <cassert>
#include <memory>

#include <holdfast/error.hpp>

#include "core/pooled.hpp"
#include "engine/acquire/arbiter_host.hpp"
#include "engine/acquire/contender_result.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/hold/arbiter.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/hold/watchdog.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

// The pause after an extension whose outcome is unknown while the connection is open.
constexpr core::duration pause = std::chrono::milliseconds(100);

}  // namespace

// Refers to one extension until it completes, and deletes itself then. It keeps the arbiter, the contender and the
// grant: the contender may be cancelled, and the grant lost, before the reply comes.
class reentries::extension final : public core::pooled<extension>, public extension_waiter {
public:
    extension(arbiter& home, contender& c, grant& g) : home_(&home), contender_(&c), grant_(&g) {}

    void extended(detail::described_error ec) override
    {
        std::unique_ptr<extension> const self(this);
        home_->on_extended(*contender_, *grant_, ec);
    }

private:
    boost::intrusive_ptr<arbiter> home_;
    boost::intrusive_ptr<contender> contender_;
    boost::intrusive_ptr<grant> grant_;
};

reentries::~reentries()
{
    assert(waiting_.empty());
}

void reentries::wait(contender& c, grant& g)
{
    intrusive_ptr_add_ref(&c);
    waiting_.push_back(c);
    c.home = &home_;
    c.is_entering = true;
    // A repeated extension does not end the silence of the server: it began with the first one.
    c.extension_sent = std::min(c.extension_sent, parts_.runtime.recent());
    // Armed before the extension is sent, because that may complete within the call, and take() disarms the deadline.
    if (auto const last = last_moment(c); last < core::never)
        parts_.runtime.arm(c, last);
    // Without a tenure: the extension moves the end of no other hold of the owner.
    parts_.watchdog.extend(g, nullptr, c.terms().time_to_live(), new extension(home_, c, g));
}

boost::intrusive_ptr<contender> reentries::take(contender& c) noexcept
{
    waiting_.erase(waiting_.iterator_to(c));
    parts_.runtime.disarm(c);
    c.home = nullptr;
    c.is_entering = false;
    return {&c, false};
}

// A single attempt ends when the reply has come, or at the latest after the time in which the reply must come.
core::instant reentries::last_moment(contender const& c) const
{
    if (!c.is_one_shot())
        return c.wait() ? c.joined + *c.wait() : core::never;
    return c.joined + std::min<core::duration>(c.limit(), parts_.runtime.options().command_timeout);
}

void reentries::on_extended(contender& c, grant& g, detail::described_error const& ec)
{
    bool const is_connected = parts_.runtime.session_of(c.lock()).is_open();
    bool const gives_up = !is_connected && c.requires_connection();
    // The outcome is unknown, or the server cannot answer now: the contender waits on.
    if (ec.code == errc::unavailable && !c.is_one_shot() && !gives_up) {
        if (is_connected)
            parts_.runtime.arm(c, std::min(last_moment(c), parts_.runtime.now() + pause));
        return;  // without a connection, on_open() sends the next extension
    }
    auto const waiter = take(c);
    waiter->extension_sent = core::never;
    if (!ec)
        enter(*waiter, g);
    else if (ec.code == errc::unavailable && gives_up)
        fail_unconnected(parts_.runtime, *waiter);
    else if (ec.code == errc::lease_lost)
        parts_.host.contend(*waiter);
    else
        fail(parts_.runtime, *waiter, ec);
}

// The hold that the contender was to enter may have ended while the extension was under way, although its owner has
// another one.
void reentries::enter(contender& c, grant& g)
{
    auto* const held = c.owner()->tenure_of(c.lock(), parts_.runtime.now());
    if (held && held->held_grant == &g)
        home_.enter(c, g, g.confirmed(), held);
    else
        parts_.host.contend(c);
}

void reentries::on_due(contender& c, core::instant now)
{
    auto const waiter = take(c);
    if (now < last_moment(*waiter))
        parts_.host.contend(*waiter);
    else if (classify(*waiter, now) == core::wait_outcome::busy)
        refuse(parts_.runtime, *waiter);
    else
        fail(parts_.runtime, *waiter, {errc::unavailable, parts_.runtime.why_silent(waiter->lock())});
}

core::wait_outcome reentries::classify(contender const& c, core::instant now) const
{
    auto const command_timeout = parts_.runtime.options().command_timeout;
    auto& server = parts_.runtime.shard_of(c.lock());
    return core::classify_wait(
        {.is_connected = server.is_open(),
         .needs_answer = c.needs_answer(now, command_timeout),
         .unanswered = now - c.extension_sent,
         .answer_timeout = server.responses().answer_timeout(command_timeout)});
}

void reentries::on_open()
{
    // contend() may put a contender back into the list, so the loop runs over those that were in it before.
    decltype(waiting_) before;
    before.swap(waiting_);
    while (!before.empty()) {
        auto& c = before.front();
        before.pop_front();
        // take() expects the contender in the list.
        waiting_.push_back(c);
        parts_.host.contend(*take(c));
    }
}

void reentries::fail_all(detail::described_error const& ec)
{
    while (!waiting_.empty())
        fail(parts_.runtime, *take(waiting_.front()), ec);
}

}  // namespace holdfast::engine
