//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/reentries.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

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

// After an answer that says nothing, from a server that is there.
constexpr core::duration pause = std::chrono::milliseconds(100);

}  // namespace

class reentries::extension final : public core::pooled<extension>, public extension_waiter {
public:
    extension(arbiter& home, contender& who, grant& g) : home_(&home), who_(&who), grant_(&g) {}

    void extended(error_code ec) override
    {
        std::unique_ptr<extension> const self(this);
        home_->on_extended(*who_, *grant_, ec);
    }

private:
    boost::intrusive_ptr<arbiter> home_;
    boost::intrusive_ptr<contender> who_;
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
    // A contender that asks again has still not been answered.
    c.extension_asked = std::min(c.extension_asked, parts_.runtime.recent());
    if (auto const last = last_moment(c); last < core::never)
        parts_.runtime.arm(c, last);
    parts_.watchdog.extend(g, nullptr, c.terms().lease, new extension(home_, c, g));
}

boost::intrusive_ptr<contender> reentries::take(contender& c) noexcept
{
    waiting_.erase(waiting_.iterator_to(c));
    parts_.runtime.disarm(c);
    c.home = nullptr;
    c.is_entering = false;
    return {&c, false};
}

// One attempt ends when the server has answered, or would have to have answered.
core::instant reentries::last_moment(contender const& c) const
{
    if (!c.is_one_shot())
        return c.wait() ? c.joined + *c.wait() : core::never;
    return c.joined + std::min<core::duration>(c.limit(), parts_.runtime.options().command_timeout);
}

void reentries::on_extended(contender& c, grant& g, error_code ec)
{
    if (ec == errc::unavailable && !c.is_one_shot()) {
        if (parts_.runtime.session().is_open())
            parts_.runtime.arm(c, std::min(last_moment(c), parts_.runtime.now() + pause));
        return;  // else the next epoch asks again
    }
    auto const who = take(c);
    who->extension_asked = core::never;
    if (!ec)
        enter(*who, g);
    else if (ec == errc::lease_lost)
        parts_.host.contend(*who);
    else
        fail(parts_.runtime, *who, ec);
}

// The hold through which it was to enter may have ended, while another one of its owner lasts.
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
    auto const who = take(c);
    if (now < last_moment(*who))
        parts_.host.contend(*who);
    else if (classify(*who, now) == core::wait_outcome::busy)
        refuse(parts_.runtime, *who);
    else
        fail(parts_.runtime, *who, errc::unavailable);
}

core::wait_outcome reentries::classify(contender const& c, core::instant now) const
{
    auto const command_timeout = parts_.runtime.options().command_timeout;
    return core::classify_wait(
        {.is_connected = parts_.runtime.session().is_open(),
         .needs_answer = c.needs_answer(now, command_timeout),
         .unanswered = now - c.extension_asked,
         .answer_timeout = parts_.runtime.responses().answer_timeout(command_timeout)});
}

void reentries::on_open()
{
    decltype(waiting_) before;
    before.swap(waiting_);
    while (!before.empty()) {
        auto& c = before.front();
        before.pop_front();
        waiting_.push_back(c);
        parts_.host.contend(*take(c));
    }
}

void reentries::fail_all(error_code ec)
{
    while (!waiting_.empty())
        fail(parts_.runtime, *take(waiting_.front()), ec);
}

}  // namespace holdfast::engine
