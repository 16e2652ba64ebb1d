//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_READ_WRITE_LOCK_HPP
#define HOLDFAST_READ_WRITE_LOCK_HPP

#include <memory>
#include <string_view>
#include <utility>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>

namespace holdfast {

/// The readers' side of a @ref read_write_lock: many hold it at once, while nobody writes. A lease of it has no fencing
/// token. `is_locked()`: readers hold the lock, and no writer does.
class read_lock : public detail::lock_base<acquire_options, try_options> {
private:
    friend class read_write_lock;
    explicit read_lock(std::shared_ptr<detail::lock_impl const> s) noexcept : lock_base(std::move(s)) {}
};

/// The writers' side of a @ref read_write_lock: one holds it, and nobody reads, but for reads of the same owner.
/// `is_locked()`: a writer holds the lock.
class write_lock : public detail::lock_base<acquire_options, try_options> {
private:
    friend class read_write_lock;
    explicit write_lock(std::shared_ptr<detail::lock_impl const> s) noexcept : lock_base(std::move(s)) {}
};

/// Many readers or one writer. `read()` and `write()` are locks: with `acquire()`, `try_acquire()`, `with_lock` ...
///
/// @par Owners
/// With an owner, either side is re-entered by it, counted in the client; and
/// - who writes may read, too: such a read belongs to that owner alone until the write is released, and remains then;
/// - `lease.downgrade()` makes a write a read, and nobody writes in between (needs no owner);
/// - who reads cannot write: acquiring the write lock ends with errc::would_deadlock, at once. Release the read first.
///
/// Without an owner each acquire is a contender of its own, and a task that holds one side and waits for the other waits
/// for itself. So does a task that reads twice without an owner when a writer comes in between.
///
/// @par Who goes first
/// `rw_options::prefer`; each bound holds among clients of this library that answer within 20 ms when they are woken, and
/// while leases are released or expire:
/// - `arrival`: in turns. From the first refused try of a waiting writer on no new reader enters: it waits for those who
///   read. Readers that wait when a writer leaves enter together, before the next writer does: a reader waits for one
///   writer, and for those who read before that. Of several writers any may be next, with one turn of readers in between.
/// - `writers`: as `arrival`, but readers have no turns: they wait until no writer waits, perhaps for ever. A writer waits
///   for those who read; of several any may be next.
/// - `readers`: a reader waits for the writer that holds the lock. Writers wait until nobody reads, perhaps for ever.
///
/// Writers of one process pass the lock on as those of a @ref mutex do, within `config::local_handoff`, and count as one
/// writer here. Readers of one process enter without asking the server for up to `local_handoff.max_time` after it was asked
/// last, unless a writer of this process waits. A writer that waits leaves a mark; should its process die, the mark keeps
/// new readers out for two `config::poll_interval`, at least a second, and who waits finds out within another.
///
/// @par On the server
/// The format of RedissonReadLock and RedissonWriteLock: a HASH under the name with the field "mode" and a field for each
/// holder, and for each reader a key "{name}:<holder>:rwlock_timeout:1" that lasts as long as its lease. Redisson's clients
/// and ours exclude and wake each other. Readers of one process that ask for the same lease share one field. Besides, the
/// marks of those who wait: "holdfast_writer_waiting:{name}" and "holdfast_readers_waiting:{name}", which Redisson does not
/// know: its readers pass waiting writers.
///
/// A read of ours is valid for at most `rw_options::peer_watchdog` after the server confirmed it last, whatever its lease,
/// because Redisson's readers shorten what they share with us. So a fixed read, too, is confirmed now and then.
///
/// @par force_release, holders
/// Of either side they speak of the whole lock: `force_release()` takes it away from all, `holders()` lists all, `writer`
/// says of whom.
///
/// @par Example
/// @code
/// holdfast::read_write_lock doc{client, "doc:1", me, {.prefer = holdfast::preference::writers}};
/// auto reader = co_await doc.read().acquire();
/// co_await reader.release();
/// auto writer = co_await doc.write().acquire();
/// auto after = co_await writer.downgrade();   // nobody wrote in between
/// @endcode
class read_write_lock {
public:
    using options = rw_options;

    /// Sends nothing. A bad name is told by the operations, as errc::invalid_name.
    ///
    /// @throws std::invalid_argument naming an option that is out of range.
    read_write_lock(client const&, std::string_view name, options = {});

    /// The same for one owner.
    ///
    /// @throws std::invalid_argument also when the owner was made by another client.
    read_write_lock(client const&, std::string_view name, holdfast::owner, options = {});

    /// The two sides. Cheap copies; may outlive this handle.
    read_lock read() const { return read_; }
    write_lock write() const { return write_; }

    /// The lock's name, without the client's prefix. Valid as long as a copy of this handle lives.
    std::string_view name() const noexcept;

private:
    read_lock read_;
    write_lock write_;
};

}  // namespace holdfast

#endif
