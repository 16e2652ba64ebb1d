//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "ballot.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/redirect_error.hpp>

#include "bundle.hpp"
#include "coordinate.hpp"
#include "lock_state.hpp"
#include "pause.hpp"
#include "raise_fence.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;

// Functions, since GCC 12 destroys an aggregate that is made in a co_await expression twice.
auto ask_run(std::shared_ptr<client_state> c)
{
    return initiate<void(error_code, server_run)>(server_run_launch{std::move(c)}, asio::deferred);
}

auto raise(std::shared_ptr<lockable const> const& member, lease& l, std::uint64_t fence)
{
    auto const of = std::static_pointer_cast<lock_state const>(member);
    return initiate<void(error_code, bool)>(raise_fence_launch{of, lease_access::tenure_of(l), fence}, asio::deferred);
}

// All of them at once: their errors and results, those that had no answer at `limit` with operation_aborted.
template <class Operation>
auto all_until(
    core::instant limit,
    std::vector<Operation> operations,
    std::shared_ptr<client_state> const& clock,
    asio::any_io_executor const& here)
{
    auto all = asio::experimental::make_parallel_group(all_on(here, std::move(operations)))
                   .async_wait(asio::experimental::wait_for_all(), asio::deferred);
    return asio::experimental::make_parallel_group(
        std::move(all), asio::bind_executor(here, pause_until(clock, limit)));
}

bool is_transient(error_code ec) noexcept
{
    return ec == errc::unavailable || ec == asio::error::operation_aborted;
}

}  // namespace

ballot::ballot(std::shared_ptr<red_state const> of, std::shared_ptr<client_state> clock, std::vector<lease> kept)
    : lock_(std::move(of)), clock_(std::move(clock)), began_(clock_->now()), nodes_(lock_->members().size())
{
    for (std::size_t i = 0; i < kept.size(); ++i)
        nodes_[i].held = std::move(kept[i]);
}

asio::awaitable<void> ballot::cast(acquire_request const& request, core::instant deadline)
{
    node_timeout_ = lock_->node_timeout(request.lease.value_or(clock_->options().lease));
    auto const end = limit(deadline);
    co_await ask_for_grants(request, end);
    bool cancelled = co_await is_cancelled();
    if (cancelled)
        co_return;
    co_await ask_runs(end);
    cancelled = co_await is_cancelled();
    if (cancelled)
        co_return;
    count();
    if (is_won() && lock_->options().fencing)
        co_await spread_fence(limit(deadline));
}

core::instant ballot::limit(core::instant deadline) const noexcept
{
    return std::min(clock_->now() + node_timeout_, deadline);
}

// The servers that nothing is held on yet.
asio::awaitable<void> ballot::ask_for_grants(acquire_request const& request, core::instant limit)
{
    lockables asked;
    std::vector<node*> of;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].held.empty()) {
            asked.push_back(lock_->members()[i]);
            of.push_back(&nodes_[i]);
        }
    if (asked.empty())
        co_return;
    error_code cancelled;
    auto const within = std::max<core::duration>(limit - clock_->now(), 0ms);
    auto ends = co_await try_each(
        std::move(asked), request, within, false, asio::redirect_error(asio::use_awaitable, cancelled));
    for (std::size_t i = 0; i < ends.size(); ++i)
        note(*of[i], ends[i].ec, std::move(ends[i].got));
}

void ballot::note(node& n, error_code ec, lease got)
{
    n.why = ec;
    n.held = std::move(got);
    if (!ec && n.held.empty())
        n.said = vote::busy;
    else if (ec && !is_transient(ec))
        n.said = vote::refused;
}

// What the servers are; asked behind the grant, so that it is said of the process that granted, or of a later one.
asio::awaitable<void> ballot::ask_runs(core::instant limit)
{
    std::vector<decltype(ask_run(clock_))> questions;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        auto const c = lock_->members()[i]->home();
        nodes_[i].run = c ? c->known_run() : server_run();
        if (!c || nodes_[i].run.epoch != 0)
            continue;
        questions.push_back(ask_run(c));
        asked.push_back(i);
    }
    if (questions.empty())
        co_return;
    auto const here = co_await asio::this_coro::executor;
    auto ended = co_await all_until(limit, std::move(questions), clock_, here)
                     .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (std::size_t i = 0; i < asked.size(); ++i)
        note_run(asked[i], std::get<2>(ended)[i], std::move(std::get<3>(ended)[i]));
}

// A server that may not be asked is asked once per connection.
void ballot::note_run(std::size_t at, error_code ec, server_run run)
{
    if (auto const c = lock_->members()[at]->home(); c && ec == errc::not_permitted)
        c->keep_no_run();
    nodes_[at].run = std::move(run);
}

// A grant counts if it is valid, and its server had run for long enough before it was asked.
void ballot::check(node& n) const noexcept
{
    bool const trusts = lock_->options().trust_new_nodes;
    if (!n.held.valid())
        n.said = vote::expired;
    else if (!trusts && n.run.since == core::never)
        n.said = vote::unknown_age;
    else if (!trusts && began_ - n.run.since < lock_->max_lease())
        n.said = vote::young;
    else
        n.said = vote::granted;
}

void ballot::count()
{
    std::vector<error_code> errors;
    for (auto& n : nodes_) {
        if (!n.held.empty())
            check(n);
        granted_ += n.said == vote::granted;
        busy_ += n.said == vote::busy;
        if (n.said != vote::granted)
            n.held = lease();
        if (n.said == vote::refused)
            errors.push_back(n.why);
    }
    if (nodes_.size() - errors.size() < lock_->quorum())
        failed_ = errors.front();
    if (has_twins()) {
        failed_ = errc::invalid_option;
        clock_->remember(failed_, quoted(lock_->name()) + ": members: two of them are on one server");
    }
}

bool ballot::has_twins() const
{
    auto const is_twin = [this](node const& n) {
        auto const is_same = [&](node const& other) { return other.run.id == n.run.id; };
        return !n.run.id.empty() && std::ranges::count_if(nodes_, is_same) > 1;
    };
    return std::ranges::any_of(nodes_, is_twin);
}

// A server that did not confirm it keeps its lease: the majority that did is what orders the tokens.
asio::awaitable<void> ballot::spread_fence(core::instant limit)
{
    std::uint64_t greatest = 0;
    for (auto const& n : nodes_)
        greatest = std::max(greatest, n.held.fencing_token().value_or(0));
    std::vector<decltype(raise(lock_->members().front(), nodes_.front().held, greatest))> writes;
    std::vector<node*> of;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].said == vote::granted) {
            writes.push_back(raise(lock_->members()[i], nodes_[i].held, greatest));
            of.push_back(&nodes_[i]);
        }
    auto const here = co_await asio::this_coro::executor;
    auto const ended = co_await all_until(limit, std::move(writes), clock_, here)
                           .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (std::size_t i = 0; i < of.size(); ++i)
        if (std::get<2>(ended)[i] || !std::get<3>(ended)[i] || !of[i]->held.valid()) {
            of[i]->said = vote::unfenced;
            --granted_;
        }
    fence_ = greatest;
}

std::size_t ballot::busy_node() const noexcept
{
    return static_cast<std::size_t>(std::ranges::find(nodes_, vote::busy, &node::said) - nodes_.begin());
}

std::string_view ballot::words_of(node const& n)
{
    switch (n.said) {
        case vote::granted: return "granted";
        case vote::busy: return "held by another";
        case vote::expired: return "granted too late";
        case vote::young: return "was started less than max_lease ago";
        case vote::unknown_age: return "does not say since when it runs";
        case vote::unfenced: return "did not confirm the fencing token";
        default: return "no answer";
    }
}

std::string ballot::describe() const
{
    std::string all;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        auto const& n = nodes_[i];
        all.append(all.empty() ? "server " : "; server ").append(std::to_string(i + 1)).append(": ");
        all.append(n.said == vote::refused ? n.why.message() : std::string(words_of(n)));
    }
    return all;
}

lease ballot::win()
{
    std::vector<lease> all;
    for (auto& n : nodes_)
        if (!n.held.empty())
            all.push_back(std::move(n.held));
    return lease_access::make(std::make_shared<bundle>(lock_, std::move(all), lock_->quorum(), fence_));
}

void ballot::give_back() noexcept
{
    for (auto& n : nodes_)
        n.held = lease();
}

}  // namespace holdfast::detail
