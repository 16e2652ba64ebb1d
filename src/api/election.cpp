//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/election.hpp>
#include <holdfast/lead.hpp>

#include "core/bounds.hpp"
#include "core/lock_name.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "handle/mapped_handler.hpp"
#include "operations/leader_state.hpp"
#include "operations/leader_watch.hpp"
#include "operations/lock_query.hpp"
#include "operations/single_lease.hpp"
#include "operations/single_lock.hpp"
#include "operations/value_limit.hpp"

namespace holdfast {
namespace detail {

struct leadership_access {
    static lease& lease_of(leadership& l) noexcept { return l.held_; }
    static leadership make(lease l) noexcept { return leadership(std::move(l)); }
    static std::shared_ptr<lock_impl const> const& impl_of(election const& e) noexcept { return e.state_; }
};

namespace {

single_lock::traits election_traits(
    std::string_view key, election_options const& o, std::function<bool()> const& healthy)
{
    auto companions = core::fair_companions(key);
    companions.push_back(core::prefixed("holdfast_leader", key));
    return {
        .protocol = engine::election_protocol(),
        .channel = core::unlock_channel(key),
        .counter = core::fence_key(key),
        .companions = std::move(companions),
        .waiter_timeout = core::bounded(o.candidate_timeout),
        .candidacy = std::make_shared<engine::candidacy>(engine::candidacy{
            .channel = core::prefixed("holdfast_election", key),
            .leader_channel = core::prefixed("holdfast_candidates", key),
            .healthy = healthy,
            .settle = o.settle})};
}

// As for a fair lock.
std::shared_ptr<single_lock const> make_election(
    client const& c, std::string_view name, election_options const& o, std::function<bool()> const& healthy)
{
    if (o.candidate_timeout < std::chrono::seconds(1))
        throw std::invalid_argument("candidate_timeout: must be at least 1 s");
    if (o.settle < o.settle.zero() || o.settle > std::chrono::hours(12))
        throw std::invalid_argument("settle: must be 0 to 12 h");
    return single_lock::make(c, name, nullptr, [&](std::string_view key) { return election_traits(key, o, healthy); });
}

class current_query final : public query<std::optional<leader>> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override { engine::read_leader(to, *this, lock(), form); }
    std::optional<leader> read(engine::reply const& r) override
    {
        return read_leader_state(r, engine().runtime().tokens().id()).now;
    }
};

}  // namespace

// The lock of an election, with the value of one campaign.
std::shared_ptr<lock_impl const> candidate_of(
    std::shared_ptr<lock_impl const> const& of, std::string_view value, int priority)
{
    auto const& e = single_lock_behind(of);
    return std::make_shared<single_lock const>(e.origin, e.lock.with_candidate(value, priority), nullptr, e.name_flaw);
}

candidate make_candidate(election const& e, std::string_view value, int priority)
{
    return candidate(candidate_of(leadership_access::impl_of(e), value, priority));
}

leadership to_leadership(lease l) noexcept
{
    return leadership_access::make(std::move(l));
}

lease take_lease(leadership& l) noexcept
{
    return std::move(leadership_access::lease_of(l));
}

void start_campaign(handler_at<void(error_code, leadership)> h, lock_ptr of, std::string value, acquire_request request)
{
    auto to = map_handler<lease>(std::move(h), [](auto handler, described_error ec, lease l) {
        std::move(handler)(std::move(ec), to_leadership(std::move(l)));
    });
    start_acquire(std::move(to), candidate_of(of, value, request.priority), request);
}

void start_current(handler_at<void(error_code, std::optional<leader>)> h, lock_ptr of)
{
    launch_query<current_query>(single_lock_behind(of), std::move(h));
}

void start_proclaim(handler_at<void(error_code)> h, lease_ptr of, std::string value)
{
    if (!of)
        return complete_early<>(std::move(h), errc::empty_lease);
    // Not recorded as the client's last failure: the client may have ended.
    if (auto const what = value_error(value); !what.empty())
        return complete_early<>(std::move(h), named({errc::invalid_option, make_error_text(what)}, of->name()));
    // The lease of an election is always that of one server.
    static_cast<single_lease&>(*of).proclaim(std::move(value), std::move(h));
}

void start_asked_to_yield(handler_at<void(error_code, yield_reason)> h, lease_ptr of)
{
    if (!of)
        return complete_early<yield_reason>(std::move(h), errc::empty_lease, {});
    static_cast<single_lease&>(*of).asked_to_yield(std::move(h));
}

asio::any_io_executor executor_of(std::shared_ptr<leader_watch_impl> const& of) noexcept
{
    return of ? of->executor() : asio::any_io_executor(asio::system_executor());
}

void start_next_leader(handler_at<void(error_code, std::optional<leader>)> h, std::shared_ptr<leader_watch_impl> of)
{
    if (of)
        of->next(std::move(h));
    else
        complete_early<std::optional<leader>>(std::move(h), errc::empty_lease, {});
}

}  // namespace detail

election::election(client const& c, std::string_view name, options o, std::function<bool()> healthy)
    : state_(detail::make_election(c, name, o, healthy))
{}

std::string_view election::name() const noexcept
{
    return state_->name();
}

leader_watch election::observe() const
{
    return leader_watch(std::make_shared<detail::leader_watch_impl>(detail::single_lock_behind(state_)));
}

}  // namespace holdfast
