//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "bundle.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "composite.hpp"
#include "coordinate.hpp"
#include "operation.hpp"
#include "quorum.hpp"
#include "red_state.hpp"
#include "release_each.hpp"

namespace holdfast::detail {
namespace {

using std::chrono::steady_clock;

using plain_outcome = std::tuple<error_code>;

// Ends a group when so many operations succeeded: the others go on in the background, and change nothing.
struct enough_successes {
    std::size_t needed;

    asio::cancellation_type_t operator()(error_code ec) noexcept
    {
        return !ec && --needed == 0 ? asio::cancellation_type::all : asio::cancellation_type::none;
    }
};

// Ends a group when so many leases are lost.
struct enough_losses {
    std::size_t needed;

    asio::cancellation_type_t operator()(error_code ec, loss) noexcept
    {
        return !ec && --needed == 0 ? asio::cancellation_type::all : asio::cancellation_type::none;
    }
};

template <class Operation>
asio::awaitable<plain_outcome> await_all(std::vector<Operation> operations, std::size_t quorum)
{
    co_await be_cancelled_by_hand();
    auto const here = co_await asio::this_coro::executor;
    auto const ended = co_await asio::experimental::make_parallel_group(all_on(here, std::move(operations)))
                           .async_wait(enough_successes{quorum}, asio::use_awaitable);
    bool const cancelled = co_await is_cancelled();
    co_return cancelled ? error_code(asio::error::operation_aborted) : judge(std::get<1>(ended), quorum);
}

// Of a group: why the lease was lost with which so many were; none, if fewer were lost.
template <class Ended>
std::optional<loss> decisive_loss(Ended const& ended, std::size_t needed)
{
    auto const& [order, errors, reasons] = ended;
    for (auto const i : order)
        if (!errors[i] && --needed == 0)
            return reasons[i];
    return std::nullopt;
}

}  // namespace

bundle::bundle(
    std::shared_ptr<composite const> of,
    std::vector<lease> members,
    std::size_t quorum,
    std::optional<std::uint64_t> fence,
    std::shared_ptr<collector> more)
    : lock_(std::move(of)), quorum_(quorum), fence_(fence), members_(std::move(members)), more_(std::move(more))
{}

lockable const& bundle::lock() const noexcept
{
    return *lock_;
}

// Whoever was told of the loss must not find the lease held again.
void bundle::join(lease late)
{
    std::scoped_lock const guard(mutex_);
    if (judge_members() == lease_state::lost)
        return;
    lease_access::take_up(late, is_taken_up_);
    members_.push_back(std::move(late));
}

lease_state bundle::state() const noexcept
{
    std::scoped_lock const guard(mutex_);
    return judge_members();
}

lease_state bundle::judge_members() const noexcept
{
    std::size_t held = 0;
    std::size_t valid = 0;
    for (auto const& l : members_) {
        auto const s = l.state();
        held += s == lease_state::held;
        valid += s == lease_state::held || s == lease_state::at_risk;
    }
    if (valid < quorum_)
        return lease_state::lost;
    return held < quorum_ ? lease_state::at_risk : lease_state::held;
}

// Each member is asked once: two conversions of one instant to the steady clock differ by some nanoseconds, so members that
// end together, as those of one script do, would each seem to end before the other.
steady_clock::time_point bundle::valid_until() const noexcept
{
    std::scoped_lock const guard(mutex_);
    boost::container::small_vector<steady_clock::time_point, 8> ends;
    for (auto const& l : members_)
        if (l.valid())
            ends.push_back(l.valid_until());
    return quorum_end(ends, quorum_);
}

std::optional<std::uint64_t> bundle::fence_of(std::string_view member) const noexcept
{
    if (dynamic_cast<red_state const*>(lock_.get()))
        return member == lock_->name() ? fence_ : std::nullopt;
    std::scoped_lock const guard(mutex_);
    for (auto const& l : members_)
        if (auto const f = l.fencing_token(member))
            return f;
    return std::nullopt;
}

void bundle::take_up(bool taken_up) noexcept
{
    std::scoped_lock const guard(mutex_);
    is_taken_up_ = taken_up;
    for (auto& l : members_)
        lease_access::take_up(l, taken_up);
}

std::vector<lease> bundle::take() noexcept
{
    std::vector<lease> all;
    std::shared_ptr<collector> more;
    std::unique_ptr<composite_hold> hold;
    {
        std::scoped_lock const guard(mutex_);
        all.swap(members_);
        more.swap(more_);
        hold.swap(hold_);
    }
    if (more)
        more->refuse();
    return all;
}

// The operations that `start` makes of the members' leases; none when they are released.
template <class Start>
auto bundle::for_each_member(Start start)
{
    std::scoped_lock const guard(mutex_);
    std::vector<decltype(start(members_.front()))> operations;
    for (auto& l : members_)
        operations.push_back(start(l));
    return operations;
}

// Nothing is sent then: a part that was extended already could not be cut short again.
bool bundle::refuses_extension(std::chrono::milliseconds by) const
{
    auto const what = lock_->complaint_about_extension(by);
    if (auto const c = what.empty() ? nullptr : lock_->home())
        c->remember(errc::invalid_option, in_quotes(lock_->name()) + ": " + what);
    return !what.empty();
}

void bundle::extend(std::chrono::milliseconds by, handler_at<void(error_code)> h)
{
    if (refuses_extension(by))
        return complete_early<>(std::move(h), errc::invalid_option);
    auto operations = for_each_member([by](lease& l) { return l.extend(by, asio::deferred); });
    if (operations.empty())
        return complete_early<>(std::move(h), errc::empty_lease);
    coordinate(*lock_, std::move(h), await_all(std::move(operations), quorum_));
}

void bundle::lost(handler_at<void(error_code, loss)> h)
{
    if (is_released())
        return complete_early<loss>(std::move(h), errc::released, {});
    if (!lock_->home())
        return complete_early<loss>(std::move(h), {}, loss::client_stopped);
    coordinate(*lock_, std::move(h), await_loss(shared_from_this()));
}

// How many losses make one of the whole depends on how many members there are: those that joined are watched, too.
asio::awaitable<bundle::loss_outcome> bundle::await_loss(std::shared_ptr<bundle> self)
{
    co_await be_cancelled_by_hand();
    auto const here = co_await asio::this_coro::executor;
    for (;;) {
        auto watches = self->for_each_member([](lease& l) { return l.lost(asio::deferred); });
        if (watches.empty())
            co_return loss_outcome{errc::released, {}};
        auto const size = watches.size();
        auto const needed = size - self->quorum_ + 1;
        auto const ended = co_await asio::experimental::make_parallel_group(all_on(here, std::move(watches)))
                               .async_wait(enough_losses{needed}, asio::use_awaitable);
        auto const why = decisive_loss(ended, needed);
        if (why && !self->has_grown_from(size))
            co_return loss_outcome{error_code(), *why};
        bool const cancelled = co_await is_cancelled();
        if (cancelled || !why)
            co_return loss_outcome{cancelled ? error_code(asio::error::operation_aborted) : errc::released, {}};
    }
}

bool bundle::is_released() const noexcept
{
    std::scoped_lock const guard(mutex_);
    return members_.empty();
}

bool bundle::has_grown_from(std::size_t size) const noexcept
{
    std::scoped_lock const guard(mutex_);
    return members_.size() > size;
}

void bundle::release(handler_at<void(error_code)> h)
{
    auto members = take();
    if (members.empty())
        return complete_early<>(std::move(h), errc::empty_lease);
    release_each(std::move(members), quorum_, std::move(h));
}

void lease_access::take_up_all(bundle& b, bool taken_up) noexcept
{
    b.take_up(taken_up);
}

}  // namespace holdfast::detail
