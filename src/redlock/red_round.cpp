//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/red_round.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/redirect_error.hpp>

#include "composite/composite_lease.hpp"
#include "composite/coordinate.hpp"
#include "operations/pause.hpp"
#include "operations/raise_fence.hpp"
#include "operations/single_lock.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;

// A function, because GCC 12 calls the destructor of an aggregate twice if a co_await expression makes it.
auto raise(lease& l, std::uint64_t fence)
{
    return initiate<void(error_code, bool)>(raise_fence_launch{{lease_access::impl_of(l)}, fence}, asio::deferred);
}

// Ends a group of operations when enough servers have confirmed: a silent minority does not delay the acquire.
struct enough_confirmations {
    std::size_t needed;

    asio::cancellation_type_t operator()(error_code ec, bool stands) noexcept
    {
        return !ec && stands && --needed == 0 ? asio::cancellation_type::all : asio::cancellation_type::none;
    }
};

// Runs the operations in parallel. Those without a reply at `limit`, or when `enough` ends the group, complete with
// operation_aborted.
template <class Operation, class Condition>
auto all_until(
    core::instant limit,
    Condition enough,
    std::vector<Operation> operations,
    std::shared_ptr<client_state> const& clock,
    asio::any_io_executor const& here)
{
    auto all = asio::experimental::make_parallel_group(all_on(here, std::move(operations)))
                   .async_wait(enough, asio::deferred);
    return asio::experimental::make_parallel_group(
        std::move(all), asio::bind_executor(here, pause_until(clock, limit)));
}

}  // namespace

red_round::red_round(
    std::shared_ptr<red_lock_impl const> of, std::shared_ptr<client_state> clock, std::vector<lease> kept)
    : lock_(std::move(of)),
      clock_(std::move(clock)),
      began_(clock_->now()),
      collected_(std::make_shared<round_replies>(lock_, began_, std::move(kept)))
{}

// Unless its lease was taken, a grant that arrives from now on is released.
red_round::~red_round()
{
    if (collected_)
        collected_->refuse();
}

asio::awaitable<void> red_round::run(acquire_request const& request, core::instant deadline)
{
    node_timeout_ = lock_->node_timeout(request.lease.value_or(clock_->options().lease));
    co_await request_grants(request, limit(deadline));
    bool const cancelled = co_await is_cancelled();
    if (cancelled)
        co_return;
    count();
    if (is_won() && lock_->options().fencing)
        co_await confirm_fence(limit(deadline));
}

// The end of an exchange that begins now. If the caller's deadline leaves less than node_timeout, servers that work may
// not reply in time, and a missing reply is no evidence.
core::instant red_round::limit(core::instant deadline) noexcept
{
    auto const full = clock_->after(node_timeout_);
    is_cut_short_ = is_cut_short_ || deadline < full;
    return std::min(full, deadline);
}

round_result red_round::result() const noexcept
{
    auto const silent = static_cast<std::size_t>(
        std::ranges::count(replies_, node_reply::kind::silent, &node_reply::outcome));
    return classify(reply_counts{lock_->quorum(), granted_, busy_, silent, is_cut_short_});
}

// The only possible error is operation_aborted, and run() checks for a cancellation.
asio::awaitable<void> red_round::request_grants(acquire_request const& request, core::instant limit)
{
    error_code cancelled;
    auto const within = std::max<core::duration>(limit - clock_->now(), 0ms);
    co_await try_each(
        collected_->targets(),
        request,
        within,
        false,
        collected_,
        asio::redirect_error(asio::use_awaitable, cancelled));
    replies_ = collected_->take_replies();
}

// The identity of each server was read after its grant, so it is that of the process that granted, or of a later one,
// which is younger and counts even less.
void red_round::count()
{
    for (auto& v : replies_) {
        // Grants are checked again: while the round waited for other replies, or the process was paused,
        // validity may have ended.
        if (!v.held.empty())
            v.check(*lock_, began_);
        granted_ += v.outcome == node_reply::kind::granted;
        busy_ += v.outcome == node_reply::kind::busy;
        if (v.outcome != node_reply::kind::granted)
            v.held = lease();
    }
    // The acquire fails if so many servers cannot count in any round that no majority is left. Waiting would not help.
    auto const errors = permanent_errors();
    if (replies_.size() - errors.size() < lock_->quorum())
        failed_ = errors.front();
    if (failed_ && std::ranges::any_of(replies_, [this](node_reply const& v) { return v.hides_its_age(*lock_); })) {
        auto const what = "no majority: " + describe();
        clock_->remember(failed_, in_quotes(lock_->name()) + ": " + what);
        failed_.text = make_error_text(what);
    }
    if (has_one_server_twice())
        failed_ = refuse("members: two of them are on one server");
    if (auto const node = shared_node(); !node.empty())
        failed_ = refuse("members: two of them are in one Redis Cluster, that of " + node);
}

// The acquire adds the name of the lock to the text.
described_error red_round::refuse(std::string const& what) const
{
    lock_->refuse(*clock_, what);
    return {errc::invalid_option, make_error_text(what)};
}

// The errors of servers that cannot count in any later round.
std::vector<described_error> red_round::permanent_errors() const
{
    std::vector<described_error> all;
    for (auto const& v : replies_)
        if (v.outcome == node_reply::kind::refused)
            all.push_back(v.why);
        else if (v.hides_its_age(*lock_))
            all.emplace_back(errc::not_permitted);
    return all;
}

// By run id: two clients with different URLs may be connected to one server, whose failure would
// be that of two members.
bool red_round::has_one_server_twice() const
{
    for (auto v = replies_.begin(); v != replies_.end(); ++v)
        if (std::any_of(
                replies_.begin(), v, [&](auto const& other) { return is_same_server(v->server, other.server); }))
            return true;
    return false;
}

// Two clients of one cluster may have their locks at different primaries of it, which fail together. Clients that have
// not connected yet are checked by a later round.
std::string red_round::shared_node() const
{
    engine::primary_records::node_list all;
    for (auto const* l : lock_->nodes()) {
        auto const c = l->home();
        auto const of_client = c ? c->nodes() : nullptr;
        if (!of_client)
            continue;
        for (auto const& [id, address] : *of_client)
            if (!all.emplace(id, address).second)
                return address + " (" + id + ")";
    }
    return {};
}

// The round is won only if a majority confirms: any later majority shares a server with that one, so the tokens
// increase. The lease of a server that did not confirm is kept nevertheless: it still excludes others on that server.
// Validity is checked after the exchange, which takes time.
asio::awaitable<void> red_round::confirm_fence(core::instant limit)
{
    std::uint64_t greatest = 0;
    for (auto const& v : replies_)
        greatest = std::max(greatest, v.held.fencing_token().value_or(0));
    std::vector<decltype(raise(replies_.front().held, greatest))> writes;
    std::vector<node_reply*> of;
    for (std::size_t i = 0; i < replies_.size(); ++i)
        if (replies_[i].outcome == node_reply::kind::granted) {
            writes.push_back(raise(replies_[i].held, greatest));
            of.push_back(&replies_[i]);
        }
    auto const here = co_await asio::this_coro::executor;
    auto const ended = co_await all_until(limit, enough_confirmations{lock_->quorum()}, std::move(writes), clock_, here)
                           .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    // <0> and <1> are the orders of completion of the two groups; <2> and <3> are the errors and results of the writes.
    for (std::size_t i = 0; i < of.size(); ++i)
        if (std::get<2>(ended)[i] || !std::get<3>(ended)[i] || !of[i]->held.valid()) {
            of[i]->outcome = node_reply::kind::unfenced;
            --granted_;
        }
    fence_ = greatest;
}

std::size_t red_round::busy_node() const noexcept
{
    return static_cast<std::size_t>(
        std::ranges::find(replies_, node_reply::kind::busy, &node_reply::outcome) - replies_.begin());
}

std::string red_round::describe(bool only_obstacles) const
{
    std::string all;
    for (std::size_t i = 0; i < replies_.size(); ++i) {
        bool const is_obstacle = replies_[i].outcome != node_reply::kind::granted
                                 && replies_[i].outcome != node_reply::kind::busy;
        if (only_obstacles && !is_obstacle)
            continue;
        all.append(all.empty() ? "server " : "; server ").append(std::to_string(i + 1)).append(": ");
        all.append(replies_[i].describe());
    }
    return all;
}

// The order matters: the lease exists before the collector gets it, because late grants join it at once, on other
// strands. From then on the lease owns the collector, and its end refuses late grants.
lease red_round::take_lease(std::unique_ptr<composite_hold> hold)
{
    std::vector<lease> all;
    for (auto& v : replies_)
        if (!v.held.empty())
            all.push_back(std::move(v.held));
    boost::intrusive_ptr<composite_lease> const won(
        new composite_lease({lock_, std::move(all), std::move(hold), fence_, collected_}));
    auto l = lease_access::make(won);
    std::exchange(collected_, nullptr)->hand_over_to(won);
    return l;
}

// Refuses first: a grant that arrives between the two steps must not be kept.
void red_round::give_back() noexcept
{
    collected_->refuse();
    for (auto& v : replies_)
        v.held = lease();
}

}  // namespace holdfast::detail
