//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/red_round.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/redirect_error.hpp>

#include "composite/composite_lease.hpp"
#include "composite/coordinate.hpp"
#include "operations/lock_query.hpp"
#include "operations/pause.hpp"
#include "operations/raise_fence.hpp"
#include "operations/single_lock.hpp"
#include "redlock/lease_repair.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;

// Whether a later round may have another answer.
bool passes(described_error const& e) noexcept
{
    return e.code == errc::server_refused;
}

// Ends the exchange when enough servers have confirmed: a silent minority does not delay the acquire.
struct enough_confirmations {
    std::size_t needed;

    bool operator()(described_error const& ec, bool stands) noexcept { return !ec && stands && --needed == 0; }
};

}  // namespace

red_round::red_round(
    std::shared_ptr<red_lock_impl const> of,
    std::shared_ptr<client_state> clock,
    std::vector<lease> kept,
    std::shared_ptr<attempts_under_way> open)
    : lock_(std::move(of)),
      clock_(std::move(clock)),
      began_(clock_->now()),
      collected_(std::make_shared<round_replies>(lock_, began_, std::move(kept), std::move(open)))
{}

// Unless its lease was taken, a grant that arrives from now on is released.
red_round::~red_round()
{
    if (collected_)
        collected_->refuse();
}

task<void> red_round::run(acquire_request const& request, core::instant deadline)
{
    request_ = request;
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
    return classify(reply_counts{lock_->quorum(), granted_, busy_, silent, is_cut_short_ && !is_cut_off()});
}

bool red_round::is_cut_off() const noexcept
{
    auto const connected = std::ranges::count(replies_, false, &node_reply::is_cut_off);
    return static_cast<std::size_t>(connected) < lock_->quorum();
}

// The only possible error is operation_aborted, and run() checks for a cancellation. If earlier attempts are under way on
// all servers, their clients stand still: they are silent in this round, too.
task<void> red_round::request_grants(acquire_request const& request, core::instant limit)
{
    auto clocks = clients_of(lock_->members());
    auto targets = collected_->targets();
    error_code cancelled;
    auto const within = std::max<core::duration>(limit - clock_->now(), 0ms);
    if (targets.empty())
        co_await pause_here(std::move(clocks), {.until = limit});
    else
        co_await try_each(
            std::move(targets),
            request,
            within,
            false,
            std::move(clocks),
            collected_,
            asio::redirect_error(use_task, cancelled));
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
    // If some of them refuse only to write now, the round fails.
    auto const errors = refusals();
    auto const passing = static_cast<std::size_t>(std::ranges::count_if(errors, passes));
    if (auto const lasting = errors.size() - passing; replies_.size() - lasting < lock_->quorum())
        failed_ = *std::ranges::find_if_not(errors, passes);
    else if (replies_.size() - errors.size() < lock_->quorum())
        failed_ = *std::ranges::find_if(errors, passes);
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

// The errors of servers that do not count in this round, and of those that cannot count in a later one.
std::vector<described_error> red_round::refusals() const
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
task<void> red_round::confirm_fence(core::instant limit)
{
    std::uint64_t greatest = 0;
    for (auto const& v : replies_)
        greatest = std::max(greatest, v.held.fencing_token().value_or(0));
    std::vector<question<initiation<void(error_code, bool), lease_ptr, std::uint64_t>>> writes;
    std::vector<node_reply*> of;
    for (auto& v : replies_)
        if (v.outcome == node_reply::kind::granted) {
            auto const& held = lease_access::impl_of(v.held);
            writes.push_back({make_initiation(start_raise_fence, held, greatest), held->client()});
            of.push_back(&v);
        }
    enough_confirmations const enough{lock_->quorum()};
    time_limit const within{.until = limit};
    auto const ended = co_await ask<bool>(std::move(writes), enough, clients_of(lock_->members()), within);
    for (std::size_t i = 0; i < of.size(); ++i) {
        auto const& a = ended.of[i];
        if (!a || std::get<described_error>(*a) || !std::get<bool>(*a) || !of[i]->held.valid()) {
            of[i]->outcome = node_reply::kind::unfenced;
            --granted_;
        }
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
// strands. From then on the lease owns the collector, and its end refuses late grants. A lease with a fixed time is not
// repaired: a server that restarts meanwhile does not count before it ends.
lease red_round::take_lease(std::unique_ptr<composite_hold> hold)
{
    std::vector<lease> all;
    round_replies::member_list members(replies_.size());
    for (std::size_t i = 0; i < replies_.size(); ++i)
        if (auto& held = replies_[i].held; !held.empty()) {
            members[i] = lease_access::impl_of(held);
            all.push_back(std::move(held));
        }
    bool const is_renewed = to_terms(request_, clock_->options()).renewed;
    boost::intrusive_ptr<lease_repair> const repair(
        is_renewed ? new lease_repair(lock_, request_, began_, collected_) : nullptr);
    boost::intrusive_ptr<composite_lease> const won(
        new composite_lease({lock_, std::move(all), std::move(hold), fence_, collected_}));
    auto l = lease_access::make(won);
    std::exchange(collected_, nullptr)->hand_over_to(won, std::move(members), repair);
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
