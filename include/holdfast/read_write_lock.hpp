//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_READ_WRITE_LOCK_HPP
#define HOLDFAST_READ_WRITE_LOCK_HPP

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>
#include <holdfast/waiter.hpp>

namespace holdfast {
namespace detail {

BOOST_SYMBOL_VISIBLE void start_waiting_writer(handler_at<void(error_code, std::optional<waiter>)>, lock_ptr);

}  // namespace detail

/// The readers' side of a @ref read_write_lock. Many readers hold it at the same time, while no writer does. Its leases
/// have no fencing token. `is_locked()` is true if readers hold the lock and no writer does.
class read_lock : public detail::lock_base<acquire_options, try_options> {
private:
    friend class read_write_lock;
    explicit read_lock(std::shared_ptr<detail::lock_impl const> s) noexcept : lock_base(std::move(s)) {}
};

/// The writers' side of a @ref read_write_lock. One writer holds it, and no reader does, except reads of the same
/// owner. `is_locked()` is true if a writer holds the lock.
class write_lock : public detail::lock_base<acquire_options, try_options> {
private:
    friend class read_write_lock;
    explicit write_lock(std::shared_ptr<detail::lock_impl const> s) noexcept : lock_base(std::move(s)) {}
};

/// Many readers or one writer. `read()` and `write()` return locks, which have `acquire()`, `try_acquire()` and the
/// other operations of a lock.
///
/// @par Owners
/// With an owner, that owner can acquire each side again while it holds it, as a @ref reentrant_lock. In addition:
/// - An owner that writes may read, too. No other reader shares that read. It remains when the write is released.
/// - `lease.downgrade()` turns a write into a read; no other contender writes in between. It needs no owner.
/// - An owner that reads cannot write: the acquire of the write completes with errc::would_deadlock, at once. Release
///   the read first.
///
/// Without an owner each acquire is a contender of its own. A task that holds one side and waits for the other waits
/// for itself. So does a task that reads twice, if a writer comes in between.
///
/// @par Order
/// By `rw_options::prefer`. The limits hold among clients of this library that react to an unlock message within 20 ms,
/// and while leases are released. A write that expires gives waiting readers no turn: the next writer may come first.
/// - `arrival`: in turns. When the first attempt of a waiting writer is refused, no new reader enters any more, and the
///   writer waits for the present readers. Readers that wait when a writer leaves enter together, before the next
///   writer: a reader waits for one writer, and for the readers before that. Of several writers any may be next, after
///   one turn of readers.
/// - `writers`: as `arrival`, but readers have no turns: they wait until no writer waits, perhaps for ever. A writer
///   waits for the present readers; of several writers any may be next.
/// - `readers`: a reader waits for the writer that holds the lock. Writers wait until there is no reader, perhaps for
///   ever.
///
/// Writers of one process hand the lock off as those of a @ref mutex do, within `config::local_handoff`, and count as
/// one writer here. Readers of one process enter without a command for `local_handoff.max_time` after the last reply of
/// the server, unless a writer of this process waits. A waiting writer leaves a mark on the server. If its process
/// dies, the mark keeps new readers out for two `config::poll_interval`, at least for one second; waiters detect its
/// end within another `poll_interval`.
///
/// @par On the server
/// The format of RedissonReadLock and RedissonWriteLock: a HASH under the name with the field "mode" and a field for
/// each holder, and for each reader a key "{name}:<holder>:rwlock_timeout:1" that lasts as long as its lease. Clients
/// of Redisson and of Holdfast exclude and wake each other. Readers of one process that request the same lease time
/// share a field. The marks of waiters, "holdfast_writer_waiting:{name}" and "holdfast_readers_waiting:{name}", are
/// unknown to Redisson: its readers overtake waiting writers.
///
/// A read is valid for at most `rw_options::peer_watchdog` after the last confirmation by the server, for any lease
/// time, because Redisson's readers shorten the time to live that they share with Holdfast. So the client also confirms
/// a read with a fixed lease, every third of that time.
///
/// @par force_release, holders
/// On either side they apply to the whole lock. `force_release()` releases it for all holders; `holders()` reads all
/// holders, and `holder::writer` is true for a writer. One holder that reads stands for all readers of its process that
/// share a field: the server does not know how many they are, because to tell it would cost each of them a command.
/// `stats::held` counts the leases of the own client.
///
/// @par Thread safety
/// A handle is an immutable value, as are its sides: any thread may use them.
///
/// @par Lifetimes
/// It may be destroyed while operations of its sides are under way and their leases are held.
///
/// @par Example
/// @code
/// holdfast::owner me = client.make_owner();
/// holdfast::read_write_lock doc{client, "doc:1", me, {.prefer = holdfast::preference::writers}};
/// auto reader = co_await doc.read().acquire();
/// co_await reader.release();
/// auto writer = co_await doc.write().acquire();
/// auto after = co_await writer.downgrade();   // no other contender wrote in between
/// @endcode
class BOOST_SYMBOL_VISIBLE read_write_lock {
public:
    /// The options of the lock.
    using options = rw_options;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    ///
    /// @throws std::invalid_argument if `peer_watchdog` is out of range; the message begins with its name.
    read_write_lock(client const&, std::string_view name, options = {});

    /// The same for one owner.
    ///
    /// @throws std::invalid_argument also if another client made the owner.
    read_write_lock(client const&, std::string_view name, holdfast::owner, options = {});

    /// The side of the readers: a cheap copy, which may outlive this handle.
    read_lock read() const { return read_; }

    /// The side of the writers: a cheap copy, which may outlive this handle.
    write_lock write() const { return write_; }

    /// The lock's name, without the client's prefix. The view is valid while a copy of this handle exists.
    std::string_view name() const noexcept;

    /// Reads who waits to write: the writer that keeps new readers out. Of several that wait the server knows only the one
    /// that set its mark last; it stands for all writers of its process. None: no writer waits, or only such as leave no
    /// mark: those of handles with `preference::readers`, and clients of Redisson. The mark of a process that has died
    /// remains for `waiter::remaining`. `waiter::waited` is not known.
    ///
    /// @par On the server
    /// One script that only reads.
    /// @par Completion
    /// With the waiter, or none, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: the mark is of another type
    /// - errc::unavailable: as `is_locked()`
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`.
    /// @par Example
    /// @code
    /// if (auto const next = co_await doc.waiting_writer())
    ///     std::cout << next->label << " waits for the readers\n";
    /// @endcode
    template <token_for<void(error_code, std::optional<waiter>)> Token = default_token>
    [[nodiscard]] auto waiting_writer(Token&& token = {}) const
    {
        return detail::initiate(detail::start_waiting_writer, std::forward<Token>(token), write_.impl());
    }

private:
    read_lock read_;
    write_lock write_;
};

}  // namespace holdfast

#endif
