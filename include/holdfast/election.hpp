//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ELECTION_HPP
#define HOLDFAST_ELECTION_HPP

#include <chrono>
#include <cstdint>
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
#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// Who leads, as the server records it.
struct leader {
    std::string id;          ///< "<client's uuid>:<n>", or the text that another library wrote
    std::string value;       ///< what the leader wants to be known of it
    std::uint64_t term = 0;  ///< the fencing token of the leadership; 0: the holder wrote none, as another library's
    bool self = false;       ///< this client leads
    std::chrono::system_clock::time_point since{};  ///< the begin of the term, by the server's clock

    /// Whether all members are equal.
    friend bool operator==(leader const&, leader const&) = default;
};

/// Why a leader is asked to resign. It decides itself when it does.
enum class yield_reason : unsigned char {
    better_candidate,  ///< a candidate of higher priority comes next
    unhealthy,         ///< the health predicate of the election returned false
    client_stopping,   ///< `client::shutdown()` was called
};

namespace detail {

// A candidate: the lock of an election, with the value of one campaign. lead() acquires it like any other lock.
class BOOST_SYMBOL_VISIBLE candidate : public lock_base<campaign_options, campaign_options> {
public:
    explicit candidate(std::shared_ptr<lock_impl const> state) noexcept : lock_base(std::move(state)) {}
};

struct BOOST_SYMBOL_VISIBLE campaign_launch : lock_launch {
    std::string value;
    acquire_request request;
    void start(handler_at<void(error_code, leadership)>) &&;
};

struct BOOST_SYMBOL_VISIBLE current_launch : lock_launch {
    void start(handler_at<void(error_code, std::optional<leader>)>) &&;
};

struct BOOST_SYMBOL_VISIBLE proclaim_launch : lease_launch {
    std::string value;
    void start(handler_at<void(error_code)>) &&;
};

struct BOOST_SYMBOL_VISIBLE yield_launch : lease_launch {
    void start(handler_at<void(error_code, yield_reason)>) &&;
};

struct BOOST_SYMBOL_VISIBLE next_leader_launch {
    std::shared_ptr<leader_watch_impl> of;
    asio::any_io_executor get_executor() const noexcept;
    void start(handler_at<void(error_code, std::optional<leader>)>) &&;
};

struct leadership_access;

}  // namespace detail

/// A won election: the lease of its lock, whose fencing token is the term. It ends with the object: the destructor
/// queues the resignation. What is said of @ref lease about validity, renewal, lifetimes and thread safety holds here,
/// too.
class [[nodiscard("an unbound leadership ends at once"), gnu::visibility("default")]] leadership
{
public:
    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// An empty leadership.
    leadership() noexcept = default;

    /// Leaves an empty leadership behind.
    leadership(leadership &&) noexcept = default;

    /// Queues the resignation of `*this`, as the destructor does.
    leadership& operator=(leadership&&) noexcept = default;

    /// Queues the resignation and returns, unless it is empty. Never blocks, throws or allocates.
    ~leadership() = default;

    /// As `lease::get_executor()`.
    executor_type get_executor() const noexcept
    {
        return held_.get_executor();
    }

    /// The same as `valid()`.
    explicit operator bool() const noexcept
    {
        return valid();
    }

    /// Whether no other client leads, as `lease::valid()`. False as soon as the clock has passed `valid_until()`.
    bool valid() const noexcept
    {
        return held_.valid();
    }

    /// Whether it is empty: default-constructed, moved from, or resigned, or somebody else leads.
    bool empty() const noexcept
    {
        return held_.empty();
    }

    /// As `lease::valid_until()`.
    std::chrono::steady_clock::time_point valid_until() const noexcept
    {
        return held_.valid_until();
    }

    /// The term: greater than that of every leader before. Pass it to each resource that the leader writes, and let the
    /// resource refuse smaller ones: nothing else stops a leader whose process was paused. 0 if it is empty.
    std::uint64_t term() const noexcept
    {
        return held_.fencing_token().value_or(0);
    }

    /// The lease of the election's lock.
    lease const& held() const noexcept
    {
        return held_;
    }

    /// Changes the value of this leader, under the same term. Observers receive it.
    ///
    /// @par On the server
    /// One script, which changes the value only while this leader holds the lock.
    /// @par Completion
    /// When the server has confirmed it, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::lease_lost: the leadership was lost
    /// - errc::unavailable: no reply within `config::command_timeout`, and the value may have been changed; or the server
    ///   cannot execute the script now
    /// - errc::invalid_option: the value has more than 4096 bytes
    /// - errc::empty_lease: the leadership was empty
    /// - errc::wrong_type, errc::server_refused, errc::not_permitted, errc::protocol, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto proclaim(std::string_view value, Token && token = {})
    {
        return detail::initiate<void(error_code)>(begin_proclaim(value), std::forward<Token>(token));
    }

    /// Waits for the loss of the leadership; as `lease::lost()`. It succeeds with the reason of the loss, in time to stop
    /// the work.
    template <token_for<void(error_code, loss)> Token = default_token>
    [[nodiscard]] auto lost(Token && token = {}) const
    {
        return held_.lost(std::forward<Token>(token));
    }

    /// Waits until this leader should resign in favour of another one. It is a request, no loss: the leader may finish its
    /// work, or go on.
    ///
    /// With a health predicate, it also asks that predicate: at the beginning, and after each third of the lease time.
    ///
    /// @par On the server
    /// A subscription, and a script that reads the priority of the next candidate: at the beginning, when a candidate of
    /// higher priority comes, on a new connection, and at least once in `config::poll_interval`; once a second if the
    /// server permits no subscription.
    /// @par Completion
    /// With *success* and the reason, so that in `co_await (work() || me.asked_to_yield(asio::use_awaitable))` the operator
    /// cancels the work. At once if the next candidate is preferred already.
    /// @par Errors
    /// - errc::released: the leader resigned first
    /// - errc::lease_lost: the leadership was lost
    /// - errc::empty_lease: the leadership was empty
    /// - errc::wrong_type, errc::not_permitted, errc::protocol: the candidates cannot be read
    /// - errc::client_stopped: the client was stopped or destroyed, or its execution context has ended
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`; the leadership stays as it is.
    /// @par Lifetimes
    /// The leadership may be moved meanwhile. If it is destroyed, the operation completes with errc::released.
    template <token_for<void(error_code, yield_reason)> Token = default_token>
    [[nodiscard]] auto asked_to_yield(Token && token = {}) const
    {
        return detail::initiate<void(error_code, yield_reason)>(begin_yield(), std::forward<Token>(token));
    }

    /// Ends the leadership. It is empty from this call on. The observers and the next candidate are notified; completion,
    /// errors and cancellation are those of `lease::release()`.
    ///
    /// @par On the server
    /// One script, which deletes the record of the leader, releases the lock, and publishes both messages.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto resign(Token && token = {})
    {
        return held_.release(std::forward<Token>(token));
    }

private:
    friend struct detail::leadership_access;

    explicit leadership(lease held) noexcept : held_(std::move(held)) {}
    BOOST_SYMBOL_VISIBLE detail::proclaim_launch begin_proclaim(std::string_view) const;
    BOOST_SYMBOL_VISIBLE detail::yield_launch begin_yield() const;

    lease held_;
};

/// Observes who leads. Made by `election::observe()`.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: unsafe.
/// @par Lifetimes
/// It may outlive the election and the client; `next()` completes with errc::client_stopped then. If it is destroyed
/// while `next()` waits, that completes with `operation_aborted`.
class BOOST_SYMBOL_VISIBLE leader_watch {
public:
    /// Leaves a watch behind whose next() completes with errc::empty_lease.
    leader_watch(leader_watch&&) noexcept = default;

    /// Destroys what `*this` observed.
    leader_watch& operator=(leader_watch&&) noexcept = default;

    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// The client's executor; the system executor if the client was destroyed or its execution context has ended.
    executor_type get_executor() const noexcept { return detail::next_leader_launch{impl_}.get_executor(); }

    /// Waits until another state than the last one is known: another leader, another value, or nobody. The first call
    /// completes as soon as the state is known. States between two calls are skipped: the latest one counts. The term
    /// never goes back.
    ///
    /// @par On the server
    /// From the first call on until the watch is destroyed: one subscription for all watches of this client and election,
    /// and a script that reads the state: after each message, when the leader's lease time ends unless it was renewed, and on
    /// a new connection; while nobody leads, once in `config::poll_interval`. Once a second if the server permits no
    /// subscription.
    /// @par Completion
    /// With the leader; without a value if nobody leads. An outage of the server is no error: the last state stands until
    /// another one is known.
    /// @par Errors
    /// - errc::wrong_type: a key of the election is of another type
    /// - errc::invalid_option: another `next()` of this watch waits
    /// - errc::empty_lease: the watch was moved from
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. The watch goes on.
    template <token_for<void(error_code, std::optional<leader>)> Token = default_token>
    [[nodiscard]] auto next(Token&& token = {})
    {
        return detail::initiate<void(error_code, std::optional<leader>)>(
            detail::next_leader_launch{impl_}, std::forward<Token>(token));
    }

private:
    friend class election;

    explicit leader_watch(std::shared_ptr<detail::leader_watch_impl> i) noexcept : impl_(std::move(i)) {}

    std::shared_ptr<detail::leader_watch_impl> impl_;
};

/// The election of a leader among candidates, over all processes. At most one leadership is valid at a time, under the
/// assumptions of docs/safety.md.
///
/// A candidate that waits has a place in a queue: the candidates lead in the order in which they arrived, or by priority.
/// A leader whose process has died is followed when its lease time is over; one that resigns, at once.
///
/// @par On the server
/// The lock is a fenced @ref fair_lock of the same name, so Redisson's RFairLock can stand for election, too, as a leader
/// without term and value. Besides, the HASH `holdfast_leader:{name}` records the leader, its term and its value, for a
/// day, which each renewal prolongs; it counts only while that leader holds the lock. The channel
/// `holdfast_election:{name}` tells observers that the state has changed.
/// @par Cost
/// As a fair lock: one script for a leadership, one to resign, one for a renewal; the record is part of them. A candidate
/// waits as a waiter of a fair lock.
///
/// @par Example
/// @code
/// holdfast::election boss{client, "boss"};
/// auto me = co_await boss.campaign("10.0.0.7:9000");
/// while (me)
///     co_await write(storage, me.term());
/// co_await me.resign();
/// @endcode
class BOOST_SYMBOL_VISIBLE election {
public:
    /// The options of the election.
    using options = election_options;
    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    ///
    /// `healthy` is the health predicate: whether this process can lead. While it returns false, a candidate of this handle
    /// has no place in the queue, and `leadership::asked_to_yield()` completes with `yield_reason::unhealthy`. It is called
    /// on the client's executor, when a campaign begins and after each third of the lease time, and must not block. An
    /// exception that it throws counts as false. Without a predicate a process is always healthy.
    ///
    /// @throws std::invalid_argument if `candidate_timeout` is less than 1 s, or `settle` is negative or more than 12 h.
    election(client const&, std::string_view name, options = {}, std::function<bool()> healthy = {});

    /// The client's executor; the system executor if the client was destroyed or its execution context has ended.
    executor_type get_executor() const noexcept { return detail::lock_launch{state_}.get_executor(); }

    /// The name, without the client's prefix. The view is valid while a copy of this handle exists.
    std::string_view name() const noexcept;

    /// Stands for election, and leads when it is the first of the candidates and nobody leads. Observers receive `value`,
    /// for example an address: at most 4096 bytes.
    ///
    /// @par On the server
    /// As `fair_lock::acquire()` or, with `wait`, `fair_lock::try_acquire()`; the same script records the leader. While the
    /// health predicate returns false: nothing.
    /// @par Completion
    /// With the leadership: with `election_options::settle`, so long after the grant if a leader before it did not resign.
    /// With success and an *empty* leadership if `wait` is over, and somebody else leads, that time is not over, or the
    /// health predicate returned false. If the lock is lost in that time, the candidate stands again.
    /// @par Errors
    /// As `fair_lock::acquire()` and `try_acquire()`; errc::invalid_option also if the value is too long.
    /// @par Cancellation
    /// Terminal, partial, total, in every phase: completes at once with `operation_aborted` and leaves nothing on the
    /// server, as `fair_lock::acquire()`.
    template <token_for<void(error_code, leadership)> Token = default_token>
    [[nodiscard]] auto campaign(std::string_view value, campaign_options options, Token&& token = {}) const
    {
        return detail::initiate<void(error_code, leadership)>(
            detail::campaign_launch{{state_}, std::string(value), detail::to_request(options)},
            std::forward<Token>(token));
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
        return detail::initiate<void(error_code, std::optional<leader>)>(
            detail::current_launch{{state_}}, std::forward<Token>(token));
    }

    /// Reads the candidates that wait, in the order in which they will lead. As `fair_lock::waiters()`.
    template <token_for<void(error_code, std::vector<waiter>)> Token = default_token>
    [[nodiscard]] auto candidates(Token&& token = {}) const
    {
        return detail::initiate<void(error_code, std::vector<waiter>)>(
            detail::waiters_launch{{state_}}, std::forward<Token>(token));
    }

    /// Ends the leadership of whoever leads, although it has not resigned: for operators, when a leader hangs. That leader
    /// learns of the loss when it renews the next time; its term is smaller than that of the next leader.
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
        return detail::initiate<void(error_code, bool)>(
            detail::force_release_launch{{state_}}, std::forward<Token>(token));
    }

    /// Observes who leads. Sends nothing until `leader_watch::next()` is called.
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
