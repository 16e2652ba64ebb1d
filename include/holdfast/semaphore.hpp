//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SEMAPHORE_HPP
#define HOLDFAST_SEMAPHORE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// The permits of a @ref semaphore. Permits whose lease time has passed count as free.
struct permit_count {
    unsigned total = 0;     ///< free and held
    unsigned held = 0;      ///< by leases
    std::int64_t free = 0;  ///< negative after the number was lowered below that of the held ones
};

namespace detail {

BOOST_SYMBOL_VISIBLE void start_permits(handler_at<void(error_code, permit_count)>, lock_ptr);
BOOST_SYMBOL_VISIBLE void start_set_permits(handler_at<void(error_code, permit_count)>, lock_ptr, unsigned permits);
BOOST_SYMBOL_VISIBLE void start_add_permits(handler_at<void(error_code, permit_count)>, lock_ptr, int by);
BOOST_SYMBOL_VISIBLE void start_revoke(handler_at<void(error_code, bool)>, lock_ptr, std::string holder);

}  // namespace detail

/// A number of permits that leases share, over all processes. Each lease has one permit or several: its `weight`. At
/// any instant the weights of the valid leases add up to at most the number of permits that was set when the latest of
/// them was granted, under the assumptions of docs/safety.md.
///
/// There are no owners and no re-entry: two acquires of one task are two leases.
///
/// @par The number of permits
/// The first acquire creates the semaphore with `semaphore_options::permits`. From then on the number on the server
/// holds for all clients; `set_permits()` and `add_permits()` change it. A client whose handle has another number learns it when the
/// semaphore is busy, and writes a warning to its log. With `permits` = 0 a handle never creates the semaphore: its
/// acquires wait until another client does.
/// @par On the server
/// The format of Redisson's RPermitExpirableSemaphore: a STRING under the name with the number of free permits, and the
/// ZSET `{name}:timeout` with a member for each permit that is held and its end. Both expire a day after the last grant
/// or renewal. Clients of Redisson and of Holdfast exclude each other if their clocks and the server's differ by less
/// than 10 s; `semaphore_options::with_redisson` says which messages they receive. While contenders wait there is the
/// ZSET `holdfast_permit_waiting:{name}`; a fair semaphore has two other keys then. A numbered one has the HASH
/// `holdfast_permit_numbers:{name}` and the fencing counter `holdfast_fence:{name}`: see docs/semaphore.md.
/// @par Cost
/// One script acquires the permits of a lease, or those of several waiters of the process, which together ask for up to
/// 100 permits, and one releases them; those of one iteration of the event loop are released together, and those that
/// are due are renewed together. All waiters of a process share one subscription and one attempt at a time. A release
/// of k permits wakes at most k processes, unless handles have `semaphore_options::with_redisson`. Each lease of a fair
/// or numbered semaphore is released by a script of its own. In a fair semaphore each waiter has a subscription of its
/// own; as in a @ref fair_lock, one script refreshes all waiters of a client, each third of `waiter_timeout` or each
/// `config::poll_interval`, whichever is shorter.
/// @par Order
/// Waiters of one process are served in order of arrival: one that asks for many permits is not overtaken by those of
/// its process behind it. Between processes there is no order: waiters for many permits may wait for long where others
/// ask for few. Of the processes that wait, those whose first waiter asks for the fewest are notified first.
///
/// With `semaphore_options::fair` the order is that of arrival over all processes. Free permits are kept for the first
/// waiter until it can have all that it asks for, so no waiter starves. A waiter whose process has died is
/// removed after `waiter_timeout` at the latest. A lease is never handed off within a process. Clients of Redisson, and
/// handles without `fair`, pass the queue, and their releases do not notify it.
/// @par Numbers and fencing
/// With `semaphore_options::numbered` each lease has a `number()`, from 1 to the number of permits, that no other valid
/// lease has: a worker's id, a slot, a device. It also has a `fencing_token()`, which grows over all grants. A fencing
/// token alone cannot tell a stale holder from the rightful holders of other permits, so a resource keeps the greatest
/// token for each number. Each grant is a script of its own, which looks at all numbers, and no grant is handed off.
/// @par One attempt
/// `try_acquire()` without `wait` completes with an empty lease also if contenders of this process wait before it; of a
/// fair semaphore, if any contender waits.
/// @par Queries
/// `is_locked()` sends one GETRANGE and completes with true if no permit is free; permits whose lease time has passed
/// count as held until another contender needs them. `force_release()` takes the permits of all holders away. `holders()` has
/// one entry for each lease, with its weight.
/// @par Errors
/// As every lock. errc::invalid_option also if `weight` is 0, above 4095 or greater than the number of permits, also if
/// that was lowered while the contender waited; if `weight` is not 1 and the semaphore is numbered; and if the lease
/// time exceeds 12 h. A semaphore cannot be a member of a @ref multi_lock or @ref red_lock.
///
/// @par Example
/// @code
/// holdfast::semaphore gpus{client, "gpus", {.permits = 8}};
/// auto lease = co_await gpus.acquire({.weight = 4});
/// @endcode
class BOOST_SYMBOL_VISIBLE semaphore : public detail::lock_base<permit_options, permit_try_options> {
public:
    /// The options of the semaphore.
    using options = semaphore_options;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    ///
    /// @throws std::invalid_argument if `waiter_timeout` is less than 1 s, and if `numbered` is set together with
    /// `fair` or with more than 128 permits.
    semaphore(client const&, std::string_view name, options);

    /// Reads how many permits there are, and how many are held.
    ///
    /// @par On the server
    /// One script that only reads.
    /// @par Completion
    /// With the numbers, all 0 if the semaphore does not exist, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: the keys are not those of a semaphore
    /// - errc::unavailable: as `is_locked()`
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`.
    template <token_for<void(error_code, permit_count)> Token = default_token>
    [[nodiscard]] auto permits(Token&& token = {}) const
    {
        return detail::initiate(detail::start_permits, std::forward<Token>(token), impl());
    }

    /// Sets the number of permits for all clients. Leases that are held keep their permits: after the number was
    /// lowered nothing is granted until enough were released. It also creates the semaphore, and repairs one whose keys
    /// were changed by others. Setting the same number twice has the effect of setting it once. A contender that asks
    /// for more permits than the new number completes with errc::invalid_option, so with 0 every contender does.
    ///
    /// @par On the server
    /// One script.
    /// @par Completion
    /// With the numbers as they were before, of which `total` and `free` are 0 if there was no semaphore, or with an
    /// error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::invalid_option: `permits` is greater than 128, and the handle is `numbered`
    /// - errc::wrong_type: the keys are not those of a semaphore
    /// - errc::unavailable: no reply within `config::command_timeout`, and the number may have been set; or the server
    ///   cannot execute the script now
    /// - errc::server_refused: the server refuses to write
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    template <token_for<void(error_code, permit_count)> Token = default_token>
    [[nodiscard]] auto set_permits(unsigned permits, Token&& token = {}) const
    {
        return detail::initiate(detail::start_set_permits, std::forward<Token>(token), impl(), permits);
    }

    /// Adds `by` to the number of permits, for all clients; a negative one lowers it, to 0 if less is left. Other clients
    /// may change the number at the same time: no change is lost. A numbered semaphore gets at most 128 permits. A
    /// semaphore that does not exist is created, as if it had `semaphore_options::permits`. Otherwise as `set_permits()`.
    ///
    /// @par On the server
    /// One script, which is sent once: two calls count twice.
    /// @par Completion
    /// With the numbers after the change, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::invalid_option: `by` is 0
    /// - errc::wrong_type: the keys are not those of a semaphore
    /// - errc::unavailable: no reply within `config::command_timeout`, and the number may have been changed; or the server
    ///   cannot execute the script now
    /// - errc::server_refused: the server refuses to write
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    /// @par Example
    /// @code
    /// co_await gpus.add_permits(8);   // a new machine
    /// co_await gpus.add_permits(-8);  // it is taken out of service, when leases have been released
    /// @endcode
    template <token_for<void(error_code, permit_count)> Token = default_token>
    [[nodiscard]] auto add_permits(int by, Token&& token = {}) const
    {
        return detail::initiate(detail::start_add_permits, std::forward<Token>(token), impl(), by);
    }

    /// Takes the permits of one lease away, whoever has it, for a holder that does not end: `force_release()` takes those
    /// of all. Its client learns of it with its next renewal, and the lease is lost. Waiters are notified.
    ///
    /// `holder_id` is the `holder::id` that `holders()` gives: "<client's uuid>:<n>", or the 16 bytes of a permit of
    /// Redisson. Any other text names no holder, a part of an id included: the UUID of a client takes nothing away.
    ///
    /// @par On the server
    /// One script.
    /// @par Completion
    /// With true if that holder had permits, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::invalid_option: `holder_id` is empty
    /// - errc::wrong_type: the keys are not those of a semaphore
    /// - errc::unavailable: no reply within `config::command_timeout`, and the permits may have been taken away; or the
    ///   server cannot execute the script now
    /// - errc::server_refused: the server refuses to write
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    /// @par Example
    /// @code
    /// for (auto const& h : co_await gpus.holders())
    ///     if (h.label == "trainer-7")
    ///         co_await gpus.revoke(h.id);
    /// @endcode
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto revoke(std::string_view holder_id, Token&& token = {}) const
    {
        return detail::initiate(detail::start_revoke, std::forward<Token>(token), impl(), std::string(holder_id));
    }
};

}  // namespace holdfast

#endif
