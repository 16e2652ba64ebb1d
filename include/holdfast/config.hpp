//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CONFIG_HPP
#define HOLDFAST_CONFIG_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast {

class credentials_handler;
struct credentials_request;
class observer;

/// A function that yields the user and the password for a connection, for servers whose passwords change; see
/// `config::credentials` and <holdfast/credentials.hpp>. It completes by calling the handler once, inside the call or
/// later, on any thread. @ref coroutine_provider makes one of a coroutine.
using credentials_provider = std::function<void(credentials_request, credentials_handler)>;

/// Limits of the hand-off, in which a grant passes between contenders of one client without a round trip (see
/// docs/architecture.md). They also limit how long readers of one client join a grant without a reply of the server.
struct handoff {
    /// Hand-offs in a row before other processes get a turn. 0: no hand-off, the client sends every release.
    unsigned max_count = 32;

    /// Time since the server granted the lock after which other processes get a turn. Must not be negative.
    std::chrono::milliseconds max_time{10};
};

/// Options for `rediss://`, `rediss+cluster://` and `rediss+sentinel://`. The client verifies the server's certificate
/// and host name, unless `insecure_skip_verify` is set, and sends the name (SNI), unless there are several sentinels
/// and no `server_name`. The constructor of @ref client reads the files.
struct tls_options {
    /// PEM file with the certificates of trusted authorities. Empty: those of the system.
    std::string ca_file = {};

    /// PEM file with the client's certificate chain. Empty: the client has no certificate. Needs `private_key_file`.
    std::string certificate_file = {};

    /// PEM file with the client's private key, which must not be encrypted. Needs `certificate_file`.
    std::string private_key_file = {};

    /// The name, or the address, for which the certificate of the server must be issued. Empty: the host of the URL; in
    /// a cluster, for each node the host name that the cluster announces, otherwise the address; with sentinels, for
    /// each of them and for the master one of the hosts of the URL.
    std::string server_name = {};

    /// Accepts every certificate. An attacker on the network can then read the password and hold every lock.
    bool insecure_skip_verify = false;
};

/// Where a node of a cluster can be reached.
struct node_endpoint {
    std::string host;        ///< a name or an address; must not be empty
    std::uint16_t port = 0;  ///< must not be 0
};

/// Which messages announce the releases in a Redis Cluster.
enum class sharded_messages {
    automatic,  ///< sharded ones (`SPUBLISH`, `SSUBSCRIBE`) at nodes whose version is 7.0 or newer, otherwise plain ones
    yes,        ///< sharded ones
    no,         ///< plain ones (`PUBLISH`, `SUBSCRIBE`), which every node passes on to all nodes
};

/// The severity of a line that is passed to `config::log`.
enum class log_level { debug, info, warning, error };

/// Options of a client. If one is invalid, the constructor of @ref client throws `std::invalid_argument`, whose message
/// begins with the name of the option.
struct config {
    /// The address of the server:
    /// - `redis://[[user]:password@]host[:6379][/db]`, `rediss://` the same over TLS
    /// - `redis+cluster://[[user]:password@]h1[:6379][,h2...]`: a Redis Cluster; the hosts are any of its nodes, from
    ///   which the client learns of the others; `rediss+cluster://` the same over TLS
    /// - `unix:///path/to/socket[?db=0]` (credentials as `unix://user:password@/path`)
    /// - `redis+sentinel://[[user]:password@]h1[:26379][,h2...]/master-name[/db]`, and behind it the credentials of the
    ///   sentinels: `[?[sentinel_username=...&]sentinel_password=...]`; `rediss+sentinel://` the same over TLS
    /// - `memory://` or `memory://NAME`: an in-process server for tests, in a program that is linked with the CMake
    ///   target `holdfast::testing`; clients of one execution context that give the same non-empty NAME share it
    ///
    /// Special characters of a user or a password are written as `%` and two hexadecimal digits. The default database
    /// is 0.
    /// A password over `redis://` to a host that is not loopback is sent unencrypted; use `rediss://`.
    std::string url = "redis://localhost:6379";

    /// The name of the connections on the server (CLIENT LIST), with which log lines begin, too. Printable ASCII
    /// characters without spaces. Empty: "host:pid" on the server, "holdfast" in log lines.
    std::string name = {};

    /// Is put before the name of every lock: the key of a lock is the prefix and the name. In the keys that are derived
    /// from it, such as `holdfast_fence:{name}`, it is inside the braces, too. No braces; at most 512 bytes together
    /// with a name.
    std::string key_prefix = {};

    /// Of a cluster only: maps the address that a node announces to the one at which this client reaches it, for nodes
    /// in containers or behind address translation. Empty: the announced addresses are right.
    /// - Calls: before each connection to a node that the cluster has named: in the reply to `CLUSTER SLOTS`, or in
    ///   `MOVED` or `ASK`. Not for the hosts of the URL. If a node announces no host, `host` is that by which it was
    ///   reached.
    /// - Threads: on the client's strand, one call at a time. It must not block, nor use the client.
    /// - Errors: after an exception, and for a result without a host or a port, the client logs a warning and uses the
    ///   announced address.
    /// - TLS: certificates are verified for the announced host, not for the result; `tls_options::server_name`
    ///   overrides it.
    /// - Identity: nodes are told apart by what they announce, so the result may change from call to call.
    std::function<node_endpoint(std::string const& host, std::uint16_t port)> node_address = {};

    /// Of a cluster only: which messages announce releases. All programs that use a lock should decide alike, because a
    /// client that listens for the other kind learns of a release only at its next attempt, after `poll_interval` at
    /// the latest. So `automatic` suits clients of one cluster. `no` is for a proxy that has the version of a server
    /// but not its sharded messages, and for a cluster that is shared with a Redisson whose `shardedSubscriptionMode`
    /// is `OFF`.
    holdfast::sharded_messages sharded_messages = holdfast::sharded_messages::automatic;

    /// For `rediss://`, `rediss+cluster://` and `rediss+sentinel://` only.
    tls_options tls = {};

    /// Yields the user and the password, which the URL must not contain then. Empty: those of the URL.
    ///
    /// The client asks it before each connection, and again before the credentials end; then it authenticates the
    /// living connection anew, which interrupts nothing. It awaits one answer at a time; a cancelled question that does
    /// not end may still be running when the next one begins.
    /// - Threads: it is called on a strand of the client's executor, never inside a call of the program. It must not
    ///   block.
    /// - Limit: 10 s. A question without an answer by then is cancelled, and counts as failed.
    /// - Errors: a failed question (an error, an exception, no answer in time, an empty password, credentials that have
    ///   ended already) is repeated after a pause that grows from 0.1 s to 5 s. A living connection is kept meanwhile.
    /// - Refusal: if the server refuses the credentials, the client asks again, after the same pauses. A refusal is not
    ///   permanent: operations wait, or end with `errc::unavailable`.
    /// - Lifetime: the client keeps the function until it is destroyed and the last question has ended. A question that
    ///   is under way when the client stops is cancelled.
    /// - Secrets: no password reaches a log line, an error or a statistic, and neither does the text of an exception of
    ///   the provider, which may contain one. The message of a `boost::system::system_error`'s code is logged.
    ///
    /// They are those of the server; with sentinels, those of the master.
    credentials_provider credentials = {};

    /// Of `redis+sentinel://` and `rediss+sentinel://` only: yields the user and the password of the sentinels, which the
    /// URL must not contain then; all sentinels have the same. Empty: those of the URL.
    ///
    /// What is said of `credentials` holds, but for this: one answer serves the connections to all sentinels, until one
    /// of them refuses it or it ends. A refusal by one sentinel does not end the connections to the others, nor that to
    /// the master.
    credentials_provider sentinel_credentials = {};

    /// The default lease time: how long the server keeps a grant after its last renewal. At least 100 ms.
    std::chrono::milliseconds lease{30'000};

    /// The outcome of a command without a reply for this time is unknown. A release, an extension, a query and a single
    /// attempt complete within it. It begins anew when the server replies that it does not have the script yet, and when
    /// a node of a Redis Cluster redirects the command of an extension, a query or a latch. At least 1 ms.
    std::chrono::milliseconds command_timeout{3'000};

    /// The default of `acquire_options::max_hold`: a lease that was held for this time is lost; 0: no limit. Must not
    /// be negative.
    std::chrono::milliseconds max_hold{0};

    /// A waiter makes its next attempt after this time at the latest, also if every unlock message, by which the server
    /// announces a release, is lost. At least 1 ms.
    std::chrono::milliseconds poll_interval{5'000};

    /// Limits of the hand-off inside the process.
    handoff local_handoff = {};

    /// A grant or a renewal counts only when so many replicas of the server have it, so that a failover to one of them
    /// does not lose it. 0: the reply of the server is enough. docs/acknowledgement.md says what this promises, what it
    /// costs, and against what it does not help.
    /// - On the server: the client opens a second connection to each server, on which it sends
    ///   `SET holdfast_ack:{name} "" PX 1` and `WAIT n t` after the replies that one iteration of the event loop has
    ///   read, with a `t` of a twentieth of the lease time, at least 100 ms and at most 500 ms. The access rules must
    ///   permit `+wait +set +info` and the key `holdfast_ack:{name}`.
    /// - Acquires, extensions, renewals, downgrades and re-entries complete when the replicas have them; the validity
    ///   still counts from the send. Releases and hand-offs inside the process need no acknowledgement.
    /// - A `WAIT` is answered within `t`. Without an answer, `command_timeout` and 600 ms later the second connection is
    ///   closed. That time, and that of the `WAIT` before it, are added to the `command_timeout` of an extension.
    /// - Not acknowledged: a grant is released and sought again after a pause; after the third in a row the acquire
    ///   ends with `errc::unavailable`. An extension ends with `errc::unavailable`. A renewal that is not acknowledged
    ///   does not count: the lease is at risk, and is renewed again a sixth of the lease time later.
    /// - If the access rules deny one of these commands or the key, an acquire or an extension ends with
    ///   `errc::not_permitted`.
    /// - `memory://` acknowledges everything at once.
    unsigned acknowledged_by = 0;

    /// Receives the events of the client; @ref observer states on which threads. The client keeps it alive.
    std::shared_ptr<holdfast::observer> observer = {};

    /// Maps the name of a lock to a label, by which @ref stats tells locks apart, besides their kind; for example the
    /// part of the name before the first `:`. Empty: all locks have the empty label. Few labels: each one costs about 2
    /// KB for each kind of lock, and its own time series in a monitoring system. So names must not become labels.
    /// - Calls: once for each handle that is no @ref multi_lock and no @ref red_lock, in its constructor, and once for
    ///   each acquire of those two, on the thread of the caller; several threads may call it at the same time.
    /// - Result: at most 64 printable ASCII characters. Another result, an exception, and each label after the first
    ///   `max_stats_labels` count as "other".
    std::function<std::string(std::string_view name)> stats_label = {};

    /// The number of labels; further ones count as "other". The empty label does not count.
    std::size_t max_stats_labels = 32;

    /// Receives log lines on the client's strand, one at a time, with one exception: the constructor of @ref client
    /// logs warnings on the calling thread. It must not throw; an exception is dropped. Empty: spdlog's logger
    /// "holdfast", else standard error, for warnings and errors only. A line contains no secret and no token, and no
    /// control byte: those in names and in error messages of a server are written as `\x0a`.
    std::function<void(log_level, std::string_view)> log = {};
};

}  // namespace holdfast

#endif
