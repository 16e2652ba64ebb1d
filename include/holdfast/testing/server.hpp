//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_SERVER_HPP
#define HOLDFAST_TESTING_SERVER_HPP

#include <concepts>
#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <holdfast/config.hpp>

/// Help for testing programs that use Holdfast.
namespace holdfast::testing {

/// A Redis server inside the test program, with switches for what goes wrong in production.
///
/// It executes the same commands and the same Lua scripts as a Redis 7.0, in memory, in real time, for all clients
/// that use its @ref config on the same execution context: acquiring, waiting, renewal, loss, hand-off and fencing
/// work as in production, without a port, a process or a file. The members below play the rest of the world.
///
/// A test needs no sleeps: what a member does has happened on the server when it returns, and the clients learn of it
/// as from a real server. A client that waits for a lock is told of a @ref release at once; that a lock is free
/// without a message (@ref expire, @ref drop) it finds out when it asks again, at the latest after
/// `config::poll_interval`. A holder finds out that its lock is gone when it renews: after `config::lease / 3`.
/// So tests of loss are quick with a short lease: `auto cfg = server.config(); cfg.lease = 300ms;`.
///
/// **Names** are the ones given to the locks, with `config::key_prefix` before them if there is one.
///
/// **Lifetimes:** the server may be destroyed before the clients: they keep what they use of it, and new clients of
/// the same config get a new, empty server. It must not outlive its execution context.
///
/// **Thread safety:** all members may be called from any thread at any time, on one object too: each takes effect at
/// once and as a whole, between two commands of clients.
///
/// **Not modelled:** persistence, replication, cluster, eviction, access control, delays. Test those against Redis.
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
/// redis.hold("nightly");                             // somebody else has it
/// co_await run_nightly_job(client);                  // must report "busy"
/// redis.release("nightly");
/// auto job = co_await start_nightly_job(client);
/// redis.drop("nightly");                             // an operator deleted the key
/// co_await job.stopped();                            // must notice within 100 ms
/// @endcode
class server {
public:
    /// Starts a server for clients on the context of that executor.
    ///
    /// **Errors:** throws `std::runtime_error` if Holdfast was built without `HOLDFAST_MEMORY`.
    explicit server(boost::asio::any_io_executor);

    /// The same for a context, such as `boost::asio::io_context`.
    template <class Context>
        requires std::convertible_to<Context&, boost::asio::execution_context&>
    explicit server(Context& context) : server(boost::asio::any_io_executor(context.get_executor())) {}

    server(server const&) = delete;
    server& operator=(server const&) = delete;

    /// Disconnects nobody; see *Lifetimes*.
    ~server();

    /// A configuration whose `url` leads to this server; all else has its default and may be changed.
    holdfast::config config() const;

    /// The lock's time to live is over, as when its holder was silent for too long: the key goes, nobody is told.
    /// Nothing happens if nobody holds it.
    void expire(std::string_view name);

    /// Somebody outside this program takes the lock and keeps it until @ref release, @ref expire or @ref drop. Takes
    /// it away from its present holder, who learns of that at the next renewal. Works for each kind of lock.
    void hold(std::string_view name);

    /// The holder, whoever it is, gives the lock back, and the server tells those who wait for it.
    /// Nothing happens if nobody holds it.
    void release(std::string_view name);

    /// The key is deleted behind the holder's back, as by an operator's DEL or a restart without persistence; nobody
    /// is told. A reader's and a fair lock's other keys go with it.
    void drop(std::string_view name);

    /// The server stops to work, connections stay open: what clients send is executed after @ref resume, unless they
    /// gave the connection up by then. Idempotent.
    void pause();

    /// The server goes on. Idempotent.
    void resume();

    /// Closes all connections. Clients connect again at once.
    void disconnect();

    /// True if somebody holds the lock, in any mode.
    bool is_locked(std::string_view name) const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace holdfast::testing

#endif
