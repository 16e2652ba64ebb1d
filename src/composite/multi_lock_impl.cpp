//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/multi_lock_impl.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/redirect_error.hpp>

#include "composite/composite_account.hpp"
#include "composite/composite_lease.hpp"
#include "composite/coordinate.hpp"
#include "operations/pause.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;

using acquired = outcome_of<lease>;
using lease_handler = handler_at<void(error_code, lease)>;

// One acquire of a multi_lock. Each round begins without any lock: so two multi_locks in opposite orders cannot
// deadlock. It waits for the member that could not be locked in the round before, if there was one, and then tries the
// others. This is the algorithm of std::lock, with a wait in place of the first lock(); H. Hinnant, "Dining
// Philosophers Rebooted", 2013.
class gathering {
public:
    gathering(std::shared_ptr<multi_lock_impl const> of, std::shared_ptr<client_state> clock, acquire_request const& r)
        : lock_(std::move(of)),
          clock_(std::move(clock)),
          request_(as_part(r)),
          account_(clock_, lock_, r),
          deadline_(r.wait ? clock_->now() + *r.wait : core::never),
          held_(lock_->members().size())
    {}

    composite_lock const& lock() const noexcept { return *lock_; }

    // The first round tries all members at once, because most locks are free. Then take() receives the results.
    void try_all(attempts_handler);
    void take(attempt_ends);
    // The result of the acquire after a round; none: another round is needed. Counts the acquire if there is a result.
    std::optional<acquired> acquire_result();

    // Further rounds, until there is a result. A cancelled acquire is counted by the destructor of account_.
    asio::awaitable<acquired> go_on();

private:
    asio::awaitable<void> wait_for_missing();
    asio::awaitable<void> try_others();
    asio::awaitable<void> back_off();

    std::optional<acquired> classify();
    acquired end(acquired);
    void begin_round();
    core::duration remaining() const noexcept;
    void note(std::size_t member, error_code, lease);
    bool is_complete() const noexcept;
    lease result();
    // In the last millisecond the remaining wait, in whole milliseconds, is zero. That would mean one attempt, which
    // ends only with the servers' replies.
    bool is_over() const noexcept { return deadline_ != core::never && deadline_ - clock_->now() < 1ms; }
    acquired failure() const;
    error_code obstacle_of_round() const;

    std::shared_ptr<multi_lock_impl const> const lock_;
    std::shared_ptr<client_state> const clock_;
    acquire_request const request_;
    composite_account account_;
    core::instant const deadline_;

    std::vector<lease> held_;             // by member; empty lease: not held
    std::optional<std::size_t> missing_;  // the first member that could not be locked in this round
    bool was_busy_ = false;               // in this round: another contender holds a member
    error_code out_of_reach_;             // in this round: why a member could not be reached
    error_code failed_;                   // an error that waiting would not cure
    unsigned late_ = 0;                   // rounds in a row in which a lease ended before the last one was granted
    unsigned misses_ = 0;                 // rounds without a result
};

void gathering::try_all(attempts_handler h)
{
    try_each_launch{lock_->members(), request_, remaining(), true}.start(std::move(h));
}

// The results are those of the members that were not held before the attempts, in their order.
void gathering::take(attempt_ends ends)
{
    auto end = ends.begin();
    for (std::size_t i = 0; end != ends.end(); ++i)
        if (held_[i].empty()) {
            note(i, end->ec, std::move(end->got));
            ++end;
        }
}

std::optional<acquired> gathering::acquire_result()
{
    auto result = classify();
    if (result)
        return end(std::move(*result));
    return std::nullopt;
}

acquired gathering::end(acquired result)
{
    account_.end(std::get<error_code>(result), !std::get<lease>(result).empty());
    return result;
}

// Unless all members are held, it destroys the leases, which releases them. It does so before anything waits: with one
// lock held while another is waited for, multi_locks could deadlock.
std::optional<acquired> gathering::classify()
{
    // As for a single lock (rule 3). Only rounds in a row count: a waiting acquire with single late
    // rounds, far apart, goes on.
    constexpr unsigned most_late = 3;
    if (is_complete())
        return acquired(error_code(), result());
    // The attempt on a member is cancelled when another one is held. That one may be released in time for its second
    // attempt and be granted after all. The round has no missing member then, but it is not complete: the server works,
    // so the result is busy, not unavailable.
    bool const was_called_off = !missing_ && std::ranges::any_of(held_, &lease::empty);
    was_busy_ = was_busy_ || was_called_off;
    held_.clear();
    late_ = missing_ || was_called_off ? 0 : late_ + 1;
    if (late_ == most_late)
        failed_ = errc::unavailable;
    if (failed_ || is_over())
        return failure();
    return std::nullopt;
}

lease gathering::result()
{
    return lease_access::make(lease_ptr(new composite_lease({lock_, std::move(held_), account_.begin_hold()})));
}

asio::awaitable<acquired> gathering::go_on()
{
    // After each step a cancellation is checked by hand, and the loop is left with the leases still in held_: their
    // destructors release them.
    co_await be_cancelled_by_hand();
    for (;;) {
        co_await back_off();
        bool cancelled = co_await is_cancelled();
        if (!cancelled && is_over())
            co_return end(failure());
        begin_round();
        if (!cancelled && missing_)
            co_await wait_for_missing();
        cancelled = co_await is_cancelled();
        if (!cancelled && !missing_)
            co_await try_others();
        cancelled = co_await is_cancelled();
        if (cancelled)
            co_return acquired(asio::error::operation_aborted, lease());
        if (auto end = acquire_result())
            co_return std::move(*end);
    }
}

void gathering::begin_round()
{
    held_ = std::vector<lease>(lock_->members().size());
    was_busy_ = false;
    out_of_reach_ = {};
}

// Waits for one member, without holding any other. A member without a time limit ends as unavailable only if it came
// too late three times in a row (rule 3): another round would not cure that.
asio::awaitable<void> gathering::wait_for_missing()
{
    auto const member = *std::exchange(missing_, std::nullopt);
    auto request = request_;
    if (request.wait)
        request.wait = std::chrono::floor<std::chrono::milliseconds>(remaining());
    error_code ec;
    auto got = co_await detail::acquire(
        lock_->members()[member], request, asio::redirect_error(asio::use_awaitable, ec));
    if (ec == errc::unavailable && !request.wait)
        failed_ = ec;
    note(member, ec, std::move(got));
}

asio::awaitable<void> gathering::try_others()
{
    lock_list wanted;
    for (std::size_t i = 0; i < held_.size(); ++i)
        if (held_[i].empty())
            wanted.push_back(lock_->members()[i]);
    if (wanted.empty())
        co_return;
    error_code ec;
    auto ends = co_await try_each(
        std::move(wanted), request_, remaining(), true, asio::redirect_error(asio::use_awaitable, ec));
    take(std::move(ends));
}

// One deadline limits all rounds together. A single attempt is not limited: it ends when the servers have replied.
core::duration gathering::remaining() const noexcept
{
    bool const is_bounded = deadline_ != core::never && request_.wait != 0ms;
    return is_bounded ? std::max<core::duration>(deadline_ - clock_->now(), 0ms) : core::duration::max();
}

void gathering::note(std::size_t member, error_code ec, lease got)
{
    if (!got.empty()) {
        held_[member] = std::move(got);
        return;
    }
    if (ec == asio::error::operation_aborted)
        return;  // cancelled because another member could not be locked: not a reason of its own
    missing_ = missing_.value_or(member);  // the next round waits for this one
    was_busy_ = was_busy_ || !ec;
    if (ec == errc::unavailable || ec == errc::no_quorum)
        out_of_reach_ = ec;
    else if (ec)
        failed_ = ec;
}

// A lease that was granted early may have ended before the last one was granted.
bool gathering::is_complete() const noexcept
{
    return !missing_ && !failed_ && std::ranges::all_of(held_, &lease::valid);
}

acquired gathering::failure() const
{
    if (failed_)
        return {failed_, lease()};
    return {was_busy_ ? error_code() : obstacle_of_round(), lease()};
}

// The error of a round in which no other contender held a member. If all members were granted, a lease ended before the
// last grant.
error_code gathering::obstacle_of_round() const
{
    auto const is_stopped = [](auto const& member) {
        auto const c = member->home();
        return !c || c->is_stopped();
    };
    if (std::ranges::any_of(lock_->members(), is_stopped))
        return errc::client_stopped;
    return out_of_reach_ ? out_of_reach_ : errc::unavailable;
}

// After the first failed round another contender simply holds a member, and the wait for that member is enough. After
// several, two multi_locks may block each other in every round: a random pause separates them. It lasts at most 2 ms at
// first, at most 64 ms later.
asio::awaitable<void> gathering::back_off()
{
    constexpr core::duration longest = 64ms;
    if (misses_++ == 0)
        co_return;
    auto const spread = std::min<core::duration>(longest, 1ms * (1 << std::min(misses_ - 1, 6u)));
    error_code stopped;  // ignored: in the next round the attempts complete with the same error
    co_await pause(clock_, {}, spread, deadline_, asio::redirect_error(asio::use_awaitable, stopped));
}

// A free function with a parameter: the coroutine frame owns the object.
asio::awaitable<acquired> go_on(std::unique_ptr<gathering> all)
{
    co_return co_await all->go_on();
}

// The handler of the first round, with the associated slot and executor of the user's handler. If all members are
// free, which is the usual case, the acquire needs no coroutine and no post: it completes here, on the executor
// of the user's handler.
struct first_round {
    std::unique_ptr<gathering> all;
    lease_handler to;

    using cancellation_slot_type = asio::cancellation_slot;
    cancellation_slot_type get_cancellation_slot() const noexcept
    {
        return asio::get_associated_cancellation_slot(to.handler);
    }
    using executor_type = asio::any_completion_executor;
    executor_type get_executor() const noexcept
    {
        return asio::get_associated_executor(to.handler, asio::system_executor());
    }

    // With a cancellation, the leases in `ends` are destroyed, which releases them.
    void operator()(error_code cancelled, attempt_ends ends)
    {
        if (cancelled)
            return finish(cancelled, lease());
        all->take(std::move(ends));
        if (auto end = all->acquire_result())
            return std::apply([this](error_code ec, lease& l) { finish(ec, std::move(l)); }, *end);
        auto const& lock = all->lock();
        coordinate(lock, std::move(to), go_on(std::move(all)));
    }

private:
    // Already on the handler's executor. The gathering is destroyed before the call: its destructors release what is
    // left, and count a cancelled acquire.
    void finish(error_code ec, lease l)
    {
        all.reset();
        call_handler<lease>(std::move(to.handler), ec, std::move(l));
    }
};

}  // namespace

void multi_lock_impl::acquire(lease_handler h, acquire_request const& request) const
{
    // Called once: another thread may destroy the client at any time, and a second call would return null.
    auto const clock = home();
    auto ec = precondition_error(clock);
    if (auto const* what = ec ? nullptr : detail::validation_error(request)) {
        ec = errc::invalid_option;
        clock->remember(ec, in_quotes(name()) + ": " + what);
    }
    if (ec)
        return complete_early<lease>(std::move(h), ec, {});
    auto self = std::static_pointer_cast<multi_lock_impl const>(shared_from_this());
    auto all = std::make_unique<gathering>(std::move(self), clock, request);
    // The handler owns the gathering from here on. It may run, and destroy it, only after try_all() has returned or on
    // another thread after all attempts are launched.
    auto& first = *all;
    auto at = h.at;
    first.try_all({first_round{std::move(all), std::move(h)}, std::move(at)});
}

}  // namespace holdfast::detail
