//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CONFIG_HPP
#define HOLDFAST_CONFIG_HPP

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast {

class observer;

/// How a grant passes between coroutines of one process without a round trip (see docs/architecture.md, "hand-off").
struct handoff {
    /// Hand-offs in a row before other processes get a turn. 0: every release goes to the server.
    unsigned max_count = 32;

    /// Time since the grant was won after which other processes get a turn. Must not be negative.
    std::chrono::milliseconds max_time{10};
};

/// For `rediss://`. The peer's certificate and host name are verified and SNI is sent, always.
struct tls_options {
    /// PEM file of the authorities to trust; empty: the system's.
    std::string ca_file = {};

    /// PEM file of the client's certificate chain; empty: none is presented. Needs `private_key_file`.
    std::string certificate_file = {};

    /// PEM file of the client's private key. Needs `certificate_file`.
    std::string private_key_file = {};

    /// Accepts any certificate: whoever sits on the wire reads the password and holds every lock.
    bool insecure_skip_verify = false;
};

/// Severity of a line given to `config::log`.
enum class log_level { debug, info, warning, error };

/// Options of a client. A bad one makes the constructor of @ref client throw `std::invalid_argument` naming it.
struct config {
    /// Where the server is:
    /// - `redis://[[user]:password@]host[:6379][/db]`, `rediss://` the same over TLS
    /// - `unix:///path/to/socket[?db=0]` (credentials as `unix://user:password@/path`)
    /// - `redis+sentinel://[user:password@]h1:26379,h2:26379/master-name[/db]`
    /// - `memory://` or `memory://NAME`: an in-process server for tests; clients of one execution context that give
    ///   the same non-empty NAME share it
    ///
    /// A password over `redis://` to a host that is not loopback travels in the clear; use `rediss://`.
    std::string url = "redis://localhost:6379";

    /// For CLIENT SETNAME and log lines; empty: "host:pid". No spaces or control characters.
    std::string name = {};

    /// Put before every lock's name, inside the hash tag.
    std::string key_prefix = {};

    /// For `rediss://` only.
    tls_options tls = {};

    /// Default lease: how long a grant outlives its holder's last sign of life. At least 100 ms.
    std::chrono::milliseconds lease{30'000};

    /// A command without a reply for so long is of unknown outcome. At least 1 ms.
    std::chrono::milliseconds command_timeout{3'000};

    /// The watchdog stops renewing a hold that is older; 0: never.
    std::chrono::milliseconds max_hold{0};

    /// A waiter asks again after this time at the latest, should every notification be lost. At least 1 ms.
    std::chrono::milliseconds poll_interval{5'000};

    /// In-process hand-off.
    handoff local_handoff = {};

    /// Told of what happens; see @ref observer for the threads.
    std::shared_ptr<holdfast::observer> observer = {};

    /// Receives log lines, one at a time, on the client's strand; must not throw (what it throws is dropped).
    /// Empty: spdlog's logger "holdfast", else spdlog's default logger. Secrets and tokens never appear. A line has no
    /// control bytes: those of names and of a server's words are written as `\x0a`.
    std::function<void(log_level, std::string_view)> log = {};
};

}  // namespace holdfast

#endif
