//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ELECTION_HPP
#define HOLDFAST_ELECTION_HPP

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/fair_lock.hpp>
#include <holdfast/leader_watch.hpp>
#include <holdfast/leadership.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

namespace detail {

// A candidate: the lock of an election, with the value of one campaign. lead() acquires it like any other lock.
class BOOST_SYMBOL_VISIBLE candidate : public lock_base<campaign_options, campaign_options> {
public:
    explicit candidate(std::shared_ptr<lock_impl const> state) noexcept : lock_base(std::move(state)) {}
};

BOOST_SYMBOL_VISIBLE void start_campaign(
    handler_at<void(error_code, leadership)>, lock_ptr, std::string value, acquire_request);
BOOST_SYMBOL_VISIBLE void start_current(handler_at<void(error_code, std::optional<leader>)>, lock_ptr);

}  // namespace detail

/// The election of a leader among candidates, over all processes. At most one leadership is valid at a time, under the
/// assumptions of docs/safety.md.
///
/// A candidate that waits has a place in a queue: the candidates lead in the order in which they arrived, or by
/// priority. A leader whose process has died is followed when its lease time is over; one that resigns, at once.
///
/// @par On the server
/// The lock is a fenced @ref fair_lock of the same name, so Redisson's RFairLock can stand for election, too, as a
/// leader without term and value. Besides, the HASH `holdfast_leader:{name}` records the leader, its term and its
/// value, for a day, which each renewal prolongs; it counts only while that leader holds the lock. The channel
/// `holdfast_election:{name}` tells observers that the state has changed.
/// @par Thread safety
/// A handle is an immutable value: it is cheap to copy, and any thread may use it.
/// @par Lifetimes
/// It may be destroyed while its operations are under way; leaderships and watches may outlive it.
/// @par Cost
/// As a fair lock: one script for a leadership, one to resign, one for a renewal; the record is part of them. A
/// candidate waits as a waiter of a fair lock.
///
/// @par Example
/// @code
/// holdfast::election boss{client, "boss"};
/// auto me = co_await boss.campaign("10.0.0.7:9000");
/// while (me && more_work())      // ends on loss
///     co_await write(storage, me.term());
/// co_await me.resign();          // throws errc::lease_lost after a loss
/// @endcode
class BOOST_SYMBOL_VISIBLE election {
public:
    /// The options of the election.
    using options = election_options;
    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    ///
    /// `healthy` is the health predicate: whether this process can lead. While it returns false, a candidate of this
    /// handle has no place in the queue, and `leadership::asked_to_yield()` completes with `yield_reason::unhealthy`.
    /// It is called on the client's strand, one call at a time, when a campaign or `asked_to_yield()` begins, and after
    /// each third of the lease time while one of them waits; it must not block. An exception that it throws counts as
    /// false. Without a predicate a process is always healthy. It exists as long as a copy of this handle, an operation
    /// or a leadership.
    ///
    /// @throws std::invalid_argument if `candidate_timeout` is less than 1 s, or `settle` is negative or more than 12
    /// h.
    election(client const&, std::string_view name, options = {}, std::function<bool()> healthy = {});

    /// The client's executor; the system executor if the client was destroyed or its execution context has ended.
    executor_type get_executor() const noexcept { return detail::executor_of(state_); }

    /// The name, without the client's prefix. The view is valid while a copy of this handle exists.
    std::string_view name() const noexcept;

    /// Stands for election, and leads when it is the first of the candidates and nobody leads. Observers receive
    /// `value`, for example an address: at most 4096 bytes. It is copied in this call.
    ///
    /// @par On the server
    /// As `fair_lock::acquire()` or, with `wait`, `fair_lock::try_acquire()`; the same script records the leader. While
    /// the health predicate returns false: nothing.
    /// @par Completion
    /// With the leadership when the lock is granted. If the leader before did not resign, and there is a settle time
    /// (`election_options::settle`): when that time is over. A candidate that loses the lock meanwhile stands again.
    /// With success and an *empty* leadership if `wait` is over before, because somebody else leads or comes first, the
    /// settle time is not over, or the health predicate returned false.
    /// @par Errors
    /// As `fair_lock::acquire()` or, with `wait`, `fair_lock::try_acquire()`, without errc::owner_in_use;
    /// errc::invalid_option also if the value is too long, errc::wrong_type also if the record of the leader is of
    /// another type.
    /// @par Cancellation
    /// Terminal, partial, total, in every phase: completes at once with `operation_aborted` and leaves nothing on the
    /// server, as `fair_lock::acquire()`.
    template <token_for<void(error_code, leadership)> Token = default_token>
    [[nodiscard]] auto campaign(std::string_view value, campaign_options how, Token&& token = {}) const
    {
        return detail::initiate(
            detail::start_campaign, std::forward<Token>(token), state_, std::string(value), detail::to_request(how));
    }

    /// The same with default options: the wait has no limit.
    template <token_for<void(error_code, leadership)> Token = default_token>
    [[nodiscard]] auto campaign(std::string_view value, Token&& token = {}) const
    {
        return campaign(value, campaign_options{}, std::forward<Token>(token));
    }

    /// Reads who leads. The result may be out of date when the handler runs.
    ///
    /// @par On the server
    /// One script that only reads.
    /// @par Completion
    /// With the leader, without a value if nobody leads, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: a key of the election is of another type
    /// - errc::unavailable: as `fair_lock::is_locked()`
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`.
    template <token_for<void(error_code, std::optional<leader>)> Token = default_token>
    [[nodiscard]] auto current(Token&& token = {}) const
    {
        return detail::initiate(detail::start_current, std::forward<Token>(token), state_);
    }

    /// Reads the candidates that wait, in the order in which they will lead. On the server, completion, errors and
    /// cancellation: as `fair_lock::waiters()`.
    template <token_for<void(error_code, std::vector<waiter>)> Token = default_token>
    [[nodiscard]] auto candidates(Token&& token = {}) const
    {
        return detail::initiate(detail::start_waiters, std::forward<Token>(token), state_);
    }

    /// Ends the leadership of whoever leads, although it has not resigned: for operators, when a leader hangs. That
    /// leader learns of the loss when it renews the next time; its term is smaller than that of the next leader.
    ///
    /// @par On the server
    /// One script, which deletes the lock, so that the record counts no more, and notifies the next candidate and the
    /// observers.
    /// @par Completion
    /// With whether anybody led, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// As `fair_lock::force_release()`.
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto force_release(Token&& token = {}) const
    {
        return detail::initiate(detail::start_force_release, std::forward<Token>(token), state_);
    }

    /// Makes a @ref leader_watch, which observes who leads. Sends nothing until `leader_watch::next()` is called.
    ///
    /// @par Example
    /// @code
    /// auto watch = boss.observe();
    /// for (;;)
    ///     if (auto const now = co_await watch.next())
    ///         connect(now->value);
    /// @endcode
    leader_watch observe() const;

private:
    friend struct detail::leadership_access;

    std::shared_ptr<detail::lock_impl const> state_;
};

}  // namespace holdfast

#endif
