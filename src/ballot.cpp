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

// A function, since GCC 12 destroys an aggregate that is made in a co_await expression twice.
auto raise(std::shared_ptr<lockable const> const& member, lease& l, std::uint64_t fence)
{
    auto const of = std::static_pointer_cast<lock_state const>(member);
    return initiate<void(error_code, bool)>(raise_fence_launch{of, lease_access::tenure_of(l), fence}, asio::deferred);
}

// Ends a group when so many servers confirmed.
struct enough_confirmations {
    std::size_t needed;

    asio::cancellation_type_t operator()(error_code ec, bool stands) noexcept
    {
        return !ec && stands && --needed == 0 ? asio::cancellation_type::all : asio::cancellation_type::none;
    }
};

// All of them at once: their errors and results; those that had no answer at `limit`, or when it was enough, with
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

ballot::ballot(std::shared_ptr<red_state const> of, std::shared_ptr<client_state> clock, std::vector<lease> kept)
    : lock_(std::move(of)),
      clock_(std::move(clock)),
      began_(clock_->now()),
      box_(std::make_shared<ballot_box>(lock_, began_, std::move(kept)))
{}

ballot::~ballot()
{
    if (box_)
        box_->refuse();
}

asio::awaitable<void> ballot::cast(acquire_request const& request, core::instant deadline)
{
    node_timeout_ = lock_->node_timeout(request.lease.value_or(clock_->options().lease));
    co_await ask_for_grants(request, limit(deadline));
    bool const cancelled = co_await is_cancelled();
    if (cancelled)
        co_return;
    count();
    if (is_won() && lock_->options().fencing)
        co_await spread_fence(limit(deadline));
}

core::instant ballot::limit(core::instant deadline) noexcept
{
    auto const full = clock_->now() + node_timeout_;
    is_cut_short_ = is_cut_short_ || deadline < full;
    return std::min(full, deadline);
}

round_result ballot::result() const noexcept
{
    auto const silent = static_cast<std::size_t>(std::ranges::count(votes_, vote::kind::silent, &vote::said));
    return classify({lock_->quorum(), granted_, busy_, silent, is_cut_short_});
}

asio::awaitable<void> ballot::ask_for_grants(acquire_request const& request, core::instant limit)
{
    error_code cancelled;
    auto const within = std::max<core::duration>(limit - clock_->now(), 0ms);
    co_await try_each_into(box_, box_->asked(), request, within, asio::redirect_error(asio::use_awaitable, cancelled));
    votes_ = box_->open();
}

// What the servers are that answered; asked behind the grant, so that it is said of the process that granted, or of a
// later one.
void ballot::count()
{
    for (auto& v : votes_) {
        if (!v.held.empty())
            v.check(*lock_, began_);
        granted_ += v.said == vote::kind::granted;
        busy_ += v.said == vote::kind::busy;
        if (v.said != vote::kind::granted)
            v.held = lease();
    }
    auto const errors = permanent_errors();
    if (votes_.size() - errors.size() < lock_->quorum())
        failed_ = errors.front();
    if (failed_ && std::ranges::any_of(votes_, [this](vote const& v) { return v.hides_its_age(*lock_); }))
        clock_->remember(failed_, in_quotes(lock_->name()) + ": no majority: " + describe());
    if (has_twins()) {
        failed_ = errc::invalid_option;
        clock_->remember(failed_, in_quotes(lock_->name()) + ": members: two of them are on one server");
    }
}

// Of the servers that will not count in any later round either.
std::vector<error_code> ballot::permanent_errors() const
{
    std::vector<error_code> all;
    for (auto const& v : votes_)
        if (v.said == vote::kind::refused)
            all.push_back(v.why);
        else if (v.hides_its_age(*lock_))
            all.push_back(errc::not_permitted);
    return all;
}

bool ballot::has_twins() const
{
    for (auto v = votes_.begin(); v != votes_.end(); ++v)
        if (std::any_of(votes_.begin(), v, [&](vote const& other) { return are_of_one_server(*v, other); }))
            return true;
    return false;
}

// A server that did not confirm it keeps its lease: the majority that did is what orders the tokens.
asio::awaitable<void> ballot::spread_fence(core::instant limit)
{
    std::uint64_t greatest = 0;
    for (auto const& v : votes_)
        greatest = std::max(greatest, v.held.fencing_token().value_or(0));
    std::vector<decltype(raise(lock_->members().front(), votes_.front().held, greatest))> writes;
    std::vector<vote*> of;
    for (std::size_t i = 0; i < votes_.size(); ++i)
        if (votes_[i].said == vote::kind::granted) {
            writes.push_back(raise(lock_->members()[i], votes_[i].held, greatest));
            of.push_back(&votes_[i]);
        }
    auto const here = co_await asio::this_coro::executor;
    auto const ended = co_await all_until(limit, enough_confirmations{lock_->quorum()}, std::move(writes), clock_, here)
                           .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (std::size_t i = 0; i < of.size(); ++i)
        if (std::get<2>(ended)[i] || !std::get<3>(ended)[i] || !of[i]->held.valid()) {
            of[i]->said = vote::kind::unfenced;
            --granted_;
        }
    fence_ = greatest;
}

std::size_t ballot::busy_node() const noexcept
{
    return static_cast<std::size_t>(std::ranges::find(votes_, vote::kind::busy, &vote::said) - votes_.begin());
}

std::string ballot::describe() const
{
    std::string all;
    for (std::size_t i = 0; i < votes_.size(); ++i) {
        all.append(all.empty() ? "server " : "; server ").append(std::to_string(i + 1)).append(": ");
        all.append(votes_[i].words());
    }
    return all;
}

std::string ballot::obstacles() const
{
    std::string all;
    for (std::size_t i = 0; i < votes_.size(); ++i)
        if (votes_[i].said != vote::kind::granted && votes_[i].said != vote::kind::busy)
            all.append(std::to_string(i + 1)).append(": ").append(votes_[i].words()).append("; ");
    return all;
}

lease ballot::win()
{
    std::vector<lease> all;
    for (auto& v : votes_)
        if (!v.held.empty())
            all.push_back(std::move(v.held));
    auto const won = std::make_shared<bundle>(lock_, std::move(all), lock_->quorum(), fence_, box_);
    std::exchange(box_, nullptr)->hand_on_to(won);
    return lease_access::make(won);
}

void ballot::give_back() noexcept
{
    box_->refuse();
    for (auto& v : votes_)
        v.held = lease();
}

}  // namespace holdfast::detail
