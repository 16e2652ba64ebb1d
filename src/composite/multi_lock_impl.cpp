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
#include "composite/multi_round.hpp"
#include "core/memory_end.hpp"
#include "operations/pause.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;

using acquired = outcome_of<lease>;
using lease_handler = handler_at<void(error_code, lease)>;

// What the attempts of a round have shown.
struct findings {
    member_counts counts;
    std::optional<std::size_t> missing = {};  // the first member that could not be locked
    described_error failure = {};             // the last error that waiting does not cure
    described_error silence = {};             // the last error of a member that could not be reached
    described_error cut_off = {};             // the last error of a member without a connection, where one is required
};

// An attempt that was cancelled because another member could not be locked shows nothing.
void note(findings& f, std::size_t member, attempt_end const& end)
{
    f.counts.granted += !end.got.empty();
    f.counts.valid += end.got.valid();
    if (!end.got.empty() || end.ec.code == asio::error::operation_aborted)
        return;
    f.missing = f.missing.value_or(member);
    bool const is_cut_off = end.ec.code == asio::error::not_connected;
    bool const is_silent = is_cut_off || end.ec.code == cond::retry_later;
    f.counts.busy += !end.ec;
    f.counts.unreachable += is_silent;
    f.counts.failed += end.ec.code.failed() && !is_silent;
    if (end.ec)
        (is_cut_off ? f.cut_off : is_silent ? f.silence : f.failure) = end.ec;
}

findings evaluate(attempt_ends const& ends)
{
    findings f{.counts = {.members = ends.size()}};
    for (std::size_t i = 0; i < ends.size(); ++i)
        note(f, i, ends[i]);
    return f;
}

// One acquire of a multi_lock. Each round begins without any lock: so two multi_locks in opposite orders cannot
// deadlock. It waits for the member that could not be locked in the round before, if there was one, and then tries the
// others. This is the algorithm of std::lock, with a wait in place of the first lock(); H. Hinnant, "Dining
// Philosophers Rebooted", 2013.
class gathering {
public:
    gathering(std::shared_ptr<composite_lock const> of, composite_lock::start s)
        : lock_(std::move(of)),
          clock_(std::move(s.clock)),
          request_(as_part(s.request)),
          account_(clock_, lock_, s.request, std::move(s.context)),
          deadline_(deadline_of(*clock_, s.request.wait)),
          is_part_(s.request.is_part)
    {}

    std::shared_ptr<composite_lock const> const& lock() const noexcept { return lock_; }

    // The first round tries all members at once, because most locks are free. Then end_round() gets the results.
    void try_all(attempts_handler);
    // Ends a round with the results of its attempts, by member. Returns the result of the acquire, and counts it; none:
    // another round is needed.
    std::optional<acquired> end_round(attempt_ends);

    // Further rounds, until there is a result. A cancelled acquire is counted by the destructor of account_.
    task<acquired> go_on();

private:
    task<attempt_ends> attempt();
    task<attempt_end> wait_for(std::size_t member);
    task<void> back_off();

    lease lease_of(attempt_ends);
    acquired end(described_error, lease = {});
    described_error obstacle_of(multi_round, findings const&) const;
    core::duration remaining() const noexcept;
    bool is_over() const noexcept { return detail::is_over(deadline_, *clock_); }

    std::shared_ptr<composite_lock const> const lock_;
    std::shared_ptr<client_state> const clock_;
    acquire_request const request_;
    composite_account account_;
    core::instant const deadline_;
    bool const is_part_;  // of another composite lock

    std::optional<std::size_t> missing_;  // the member for which the next round waits
    described_error obstacle_;            // why the last round was not won; success: another contender holds a member
    bool is_given_up_ = false;            // the wait for a member has failed, and another one would
    unsigned late_ = 0;                   // late rounds in a row
    unsigned misses_ = 0;                 // rounds without a result
};

void gathering::try_all(attempts_handler h)
{
    start_try_each(std::move(h), {lock_->members(), request_, remaining(), true, clients_of(lock_->members())});
}

// Unless the round is won, the leases are destroyed, which releases them, before anything waits: with one lock held
// while another is waited for, multi_locks could deadlock.
std::optional<acquired> gathering::end_round(attempt_ends ends)
{
    auto const found = evaluate(ends);
    auto const round = is_given_up_ ? multi_round::failed : classify(found.counts);
    if (round == multi_round::won)
        return end({}, lease_of(std::move(ends)));
    ends.clear();
    missing_ = found.missing;
    obstacle_ = obstacle_of(round, found);
    late_ = late_in_a_row(late_, round);
    if (found.cut_off && !found.failure)
        return end({unconnected_error(is_part_, errc::unavailable), found.cut_off.text});
    return is_last_round(round, late_, is_over()) ? std::optional(end(obstacle_)) : std::nullopt;
}

lease gathering::lease_of(attempt_ends ends)
{
    std::vector<lease> held;
    for (auto& e : ends)
        held.push_back(std::move(e.got));
    return lease_access::make(lease_ptr(new composite_lease({lock_, std::move(held), account_.begin_hold()})));
}

// In a late round all members were granted, but a lease ended before the last grant.
described_error gathering::obstacle_of(multi_round round, findings const& f) const
{
    auto const is_stopped = [](auto const& member) {
        auto const c = member->home();
        return !c || c->is_stopped();
    };
    if (round == multi_round::busy)
        return {};
    if (f.failure)
        return f.failure;
    if (std::ranges::any_of(lock_->members(), is_stopped))
        return errc::client_stopped;
    return f.silence ? f.silence : described_error(errc::unavailable);
}

acquired gathering::end(described_error ec, lease got)
{
    account_.end(ec, got);
    return {std::move(ec), std::move(got)};
}

// After each step a cancellation is checked by hand. The leases of the round are destroyed then, which releases them.
task<acquired> gathering::go_on()
{
    co_await be_cancelled_by_hand();
    for (;;) {
        co_await back_off();
        bool cancelled = co_await is_cancelled();
        if (!cancelled && is_over())
            co_return end(obstacle_);
        attempt_ends ends;
        if (!cancelled)
            ends = co_await attempt();
        cancelled = co_await is_cancelled();
        if (cancelled)
            co_return acquired(asio::error::operation_aborted, lease());
        if (auto result = end_round(std::move(ends)))
            co_return std::move(*result);
    }
}

// A round: waits for the missing member, and then tries the others. If the wait fails, the others count as called off.
task<attempt_ends> gathering::attempt()
{
    auto wanted = lock_->members();
    attempt_end first;
    if (missing_) {
        first = co_await wait_for(*missing_);
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(*missing_));
    }
    attempt_ends ends(wanted.size());
    for (auto& e : ends)
        e.ec = asio::error::operation_aborted;
    bool const cancelled = co_await is_cancelled();
    error_code ec;
    if (!cancelled && !wanted.empty() && !(missing_ && first.got.empty()))
        ends = co_await try_each(
            std::move(wanted),
            request_,
            remaining(),
            true,
            clients_of(lock_->members()),
            nullptr,
            asio::redirect_error(use_task, ec));
    if (missing_)
        ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(*missing_), std::move(first));
    co_return ends;
}

// Waits for one member, without holding any other. A member without a time limit ends as unavailable only if it came
// too late three times in a row (rule 3): another round would not cure that.
task<attempt_end> gathering::wait_for(std::size_t member)
{
    auto request = request_;
    if (request.wait)
        request.wait = std::chrono::floor<std::chrono::milliseconds>(remaining());
    auto const& wanted = lock_->members()[member];
    std::vector<question<acquire_initiation>> acquires;
    acquires.push_back({make_initiation(start_acquire, wanted, request), client_of(*wanted)});
    auto const clients = clients_of(lock_->members());
    auto const here = co_await asio::this_coro::executor;
    auto const guard = guard_of(clients, here, remaining());
    first_answer const enough;
    auto ended = co_await ask<lease>(std::move(acquires), enough, clients, guard);
    attempt_end end{.ec = ended.error_of(0)};
    if (auto& a = ended.of.front())
        end.got = std::move(std::get<lease>(*a));
    is_given_up_ = end.ec.code == errc::unavailable && !request.wait;
    co_return end;
}

// One deadline limits all rounds together. A single attempt is not limited: it ends when the servers have replied.
core::duration gathering::remaining() const noexcept
{
    bool const is_bounded = deadline_ != core::never && request_.wait != 0ms;
    return is_bounded ? std::max<core::duration>(deadline_ - clock_->now(), 0ms) : core::duration::max();
}

// After the first failed round another contender simply holds a member, and the wait for that member is enough. After
// several, two multi_locks may block each other in every round: a random pause separates them. It lasts at most 2 ms at
// first, at most 64 ms later.
task<void> gathering::back_off()
{
    constexpr core::duration longest = 64ms;
    if (misses_++ == 0)
        co_return;
    auto const spread = std::min<core::duration>(longest, 1ms * (1 << std::min(misses_ - 1, 6u)));
    // Its result is ignored: if the clients have stopped, the attempts of the next round complete with that error.
    co_await pause_here(clients_of(lock_->members()), {.least = {}, .spread = spread, .until = deadline_});
}

// A free function with a parameter: the coroutine frame owns the object.
task<acquired> go_on(std::unique_ptr<gathering> all)
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

    // Already on the handler's executor: nothing there ends the process without memory, so it is done here, for all but
    // the call of the handler.
    void operator()(error_code cancelled, attempt_ends ends)
    {
        std::optional<acquired> end;
        core::run_or_end([&] { end = result_of(cancelled, std::move(ends)); });
        if (end)
            std::apply(
                [this](described_error& ec, lease& l) {
                    call_handler<lease>(std::move(to.handler), std::move(ec), std::move(l));
                },
                *end);
    }

private:
    // None: further rounds have begun. With a cancellation, the leases in `ends` are destroyed, which releases them. The
    // gathering is destroyed before the handler is called: its destructors release what is left, and count a cancelled
    // acquire.
    std::optional<acquired> result_of(error_code cancelled, attempt_ends ends)
    {
        auto const of = all->lock();
        auto end = cancelled ? std::optional<acquired>(std::in_place, cancelled, lease())
                             : all->end_round(std::move(ends));
        if (!end) {
            coordinate(std::move(to), of, go_on(std::move(all)));
            return end;
        }
        if (auto& ec = std::get<described_error>(*end); ec)
            ec = named(ec, of->name());
        all.reset();
        return end;
    }
};

}  // namespace

void multi_lock_impl::begin_acquire(lease_handler h, start s) const
{
    auto self = std::static_pointer_cast<composite_lock const>(shared_from_this());
    auto all = std::make_unique<gathering>(std::move(self), std::move(s));
    // The handler owns the gathering from here on. It may run, and destroy it, only after try_all() has returned or on
    // another thread after all attempts are launched.
    auto& first = *all;
    auto at = h.at;
    first.try_all({first_round{std::move(all), std::move(h)}, std::move(at)});
}

}  // namespace holdfast::detail
