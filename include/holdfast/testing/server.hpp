//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_SERVER_HPP
#define HOLDFAST_TESTING_SERVER_HPP

#include <chrono>
#include <concepts>
#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <holdfast/config.hpp>

/// Support for tests of programs that use Holdfast.
namespace holdfast::testing {

/// A Redis server inside the test program, with functions for the faults that occur in production.
///
/// It executes the commands and Lua scripts that a Redis 7.0 executes, in memory and in real time, for all clients that
/// use its @ref config on the same execution context. Acquires, waits, renewals, losses, hand-off and fencing work as
/// in production, without a port, a process or a file. The functions below act as other clients, operators and faults.
///
/// A test needs no sleeps: the effect of a function is complete on the server when it returns. The clients detect it as
/// they do with a real server. A waiter receives the message of a @ref release at once. A lock that becomes free
/// without a message (@ref expire, @ref drop) is acquired at the next attempt, at the latest after
/// `config::poll_interval`. A holder detects at its next renewal, after `config::lease / 3`, that its key is missing.
/// So tests of losses should use a short lease time: `auto cfg = server.config(); cfg.lease = 300ms;`.
///
/// **Names** are the names of locks, with `config::key_prefix` before them if there is one: of a @ref mutex,
/// @ref reentrant_lock, @ref fair_lock or @ref read_write_lock. The functions with names do not suit a
/// @ref semaphore, a @ref latch and an @ref election, which have other keys: let a second client act on those.
///
/// **Lifetimes:** the server may be destroyed before its clients, which keep the model alive; new clients with the same
/// config get a new, empty server. It must not outlive its execution context.
///
/// **Thread safety:** distinct objects: safe. Shared objects: safe, except for destruction. Each call takes effect at
/// once and as a whole, between two commands of clients.
///
/// **Linking:** the library of this header is the CMake target `holdfast::testing`. It needs Lua 5.1, and makes
/// `memory://` URLs available to the clients of the program.
///
/// **Errors:** no function fails. A function for a lock that is free does nothing, except @ref hold.
///
/// **Time** is real, and @ref advance adds to it. Timers of the program itself, such as `asio::steady_timer`, do not
/// notice that.
///
/// **Not modelled:** replication, cluster, eviction, access rules. Test those with Redis.
///
/// **Example**
/// @code
/// boost::asio::io_context ioc;
/// holdfast::testing::server redis(ioc);
/// auto cfg = redis.config();
/// cfg.lease = 300ms;
/// holdfast::client client(ioc, cfg);
/// client.run(boost::asio::detached);
///
/// redis.hold("nightly");                             // another program holds it
/// co_await run_nightly_job(client);                  // must report "busy"
/// redis.release("nightly");
/// auto job = co_await start_nightly_job(client);
/// redis.drop("nightly");                             // an operator deleted the key
/// co_await job.stopped();                            // must stop within 100 ms
/// @endcode
class server {
public:
    /// Why a server refuses commands; the text of its error begins with the word in brackets.
    enum class refusal : unsigned char {
        out_of_memory,  ///< [OOM] commands that need memory
        disk_error,     ///< [MISCONF] commands that write
        no_replicas,    ///< [NOREPLICAS] commands that write
        read_only,      ///< [READONLY] commands that write: the server has become a replica
        loading,        ///< [LOADING] nearly every command: the server reads its data after a start
        busy,           ///< [BUSY] nearly every command: another script runs for long
        not_permitted,  ///< [NOPERM] commands of locks
        moved,          ///< [MOVED] commands of locks: the server is a node of a cluster
    };

    /// What a server knows after a restart.
    enum class memory : unsigned char {
        kept,  ///< its keys, as with an append-only file that is written at once
        lost,  ///< nothing
    };

    /// Starts a server for clients on the execution context of that executor.
    explicit server(boost::asio::any_io_executor);

    /// The same for an execution context, such as `boost::asio::io_context`.
    template <class Context>
        requires std::convertible_to<Context&, boost::asio::execution_context&>
    explicit server(Context& context) : server(boost::asio::any_io_executor(context.get_executor())) {}

    server(server const&) = delete;
    server& operator=(server const&) = delete;

    /// Closes no connection; see *Lifetimes*.
    ~server();

    /// A configuration whose `url` leads to this server. All other options have their defaults, and may be changed.
    holdfast::config config() const;

    /// Ends the lock's time to live, as if its holder had not renewed it: deletes the key, without a message.
    void expire(std::string_view name);

    /// Lets another program acquire the lock, and hold it until @ref release, @ref expire or @ref drop. The present
    /// holder loses it, and detects that at its next renewal.
    void hold(std::string_view name);

    /// Releases the lock for its holder, and publishes the unlock message.
    void release(std::string_view name);

    /// Deletes the lock's key, without a message, as an operator's DEL does or a restart without persistence. Deletes
    /// also the other keys of a reader, a waiting writer, and the queue of a fair lock.
    void drop(std::string_view name);

    /// Stops the execution of commands; connections stay open. The server executes the commands of the clients after
    /// @ref resume, also those of connections that a client has closed by then. Idempotent.
    void pause();

    /// Executes the commands that have arrived, and goes on. Idempotent.
    void resume();

    /// Closes all connections. The clients connect again, after a short pause.
    void disconnect();

    /// Ends the process of the server and starts another one: closes all connections, and forgets scripts and
    /// subscriptions. Commands that waited for @ref resume are lost. The clients connect again, after a short pause. A
    /// @ref red_lock does not count the new process for `red_options::max_lease`.
    void restart(memory keys);

    /// Refuses commands from now on, until @ref accept. They are not executed. Idempotent.
    void refuse(refusal why);

    /// Refuses nothing any more. Idempotent.
    void accept();

    /// From now on everything that the server sends arrives after this time, replies and messages, in order. 0: at
    /// once. With `config::command_timeout` or more, clients take the server for silent.
    void delay(std::chrono::milliseconds);

    /// The next command of a lock is executed, and the server closes its connection in place of the reply: the client
    /// does not know the outcome. After n calls this happens to n commands.
    void lose_reply();

    /// Adds to the time of the server and of all its clients, as if so much time had passed in which no process ran:
    /// keys whose time to live has ended expire, leases whose validity has ended are lost. The effect on the server and
    /// on `lease::valid()` is complete when the function returns; the timers of the clients, such as the ends of waits
    /// and renewals, are due afterwards. Must not be negative.
    void advance(std::chrono::milliseconds);

    /// Whether a reader or a writer holds the lock, or another program by @ref hold.
    bool is_locked(std::string_view name) const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace holdfast::testing

#endif
