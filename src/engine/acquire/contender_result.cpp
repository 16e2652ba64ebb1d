//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/contender_result.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include "engine/hold/owner_state.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

acquire_facts facts_of(contender const& c, core::instant now)
{
    return {
        .lock = c.lock(),
        .label = label_of(c.owner()),
        .acquire = c.acquire,
        .context = c.context().get(),
        .waited = now - c.joined};
}

void count_failed(runtime& r, contender const& c, error_code ec)
{
    auto const facts = facts_of(c, r.now());
    if (c.is_counted())
        r.telemetry().on_failed(facts, ec);
}

}  // namespace

void count_joined(runtime& r, contender& c)
{
    if (!c.is_counted())
        return;
    c.acquire = r.telemetry().next_acquire();
    r.telemetry().on_joined(facts_of(c, c.joined));
}

void admit(runtime& r, contender& c, boost::intrusive_ptr<tenure> t)
{
    if (c.is_counted())
        // recent(): a clock read costs time on the path of each acquire, and the caller has just read the clock.
        r.telemetry().on_acquired(facts_of(c, r.recent()), t->fence());
    c.granted(std::move(t));
}

void refuse(runtime& r, contender& c)
{
    auto const facts = facts_of(c, r.now());
    if (c.is_counted())
        r.telemetry().on_busy(facts);
    c.busy();
}

void fail(runtime& r, contender& c, detail::described_error ec)
{
    count_failed(r, c, ec);
    c.failed(std::move(ec));
}

void fail_unconnected(runtime& r, contender& c)
{
    error_code const ec = c.terms().is_part ? error_code(boost::asio::error::not_connected) : errc::unavailable;
    fail(r, c, {ec, r.why_silent(c.lock())});
}

void call_off(runtime& r, contender& c)
{
    count_failed(r, c, boost::asio::error::operation_aborted);
    c.be_over();
}

}  // namespace holdfast::engine
