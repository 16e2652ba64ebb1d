//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_ARGUMENTS_HPP
#define HOLDFAST_CLI_ARGUMENTS_HPP

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tool/exit_status.hpp"

// tool: the command line tool `holdfast`. It is a user of the library: it includes the public headers, and of the
// sources only core/printable.hpp and, of operations, command_query.hpp, server_query.hpp and lock_survey.hpp.
// Everything in it runs on the main thread.
namespace holdfast::cli {

enum class lock_kind { mutex, reentrant, fair, read, write };

// The reaction to the loss of the lease: SIGTERM to the command, SIGKILL, or none.
enum class loss_action { term, kill, ignore };

// Permits of a semaphore instead of a lock.
struct permit_arguments {
    std::optional<unsigned> permits;  // with which the semaphore is created; none: a lock
    unsigned weight = 1;
    bool fair = false;
    bool numbered = false;
    bool with_redisson = false;
};

struct run_arguments {
    std::string name;
    std::vector<std::string> command;
    std::optional<std::chrono::milliseconds> wait;  // none: no limit; zero: one attempt
    std::chrono::milliseconds lease{30'000};        // the lease time; the lease is renewed
    std::chrono::milliseconds kill_after{10'000};   // from SIGTERM to SIGKILL
    lock_kind kind = lock_kind::mutex;
    loss_action on_loss = loss_action::term;
    std::optional<int> priority;                        // only of a fair lock; none: the default
    std::optional<std::chrono::milliseconds> at_least;  // how long the lock stays taken from the grant on
    bool fencing = true;
    permit_arguments semaphore = {};
    std::optional<std::string> value;  // of a candidate, who leads instead of holding a lock; none: a lock
    bool again = false;                // after a loss it stands for election again
    int busy_exit = not_in_time;
    bool quiet = false;     // no word of a lock that is held, or of a connection that comes back
    bool pass_url = false;  // the command's environment has HOLDFAST_URL
};

struct status_arguments {
    std::string name;
    bool json = false;
};

struct release_arguments {
    std::string name;
};

struct permits_arguments {
    std::string name;
    std::optional<unsigned> set;        // the new number of permits
    std::optional<std::string> revoke;  // the holder whose permits are taken away, as the tool shows its id
    bool json = false;
};

struct leader_arguments {
    std::string name;
    bool json = false;
    bool watch = false;  // print each change, until a signal
};

struct list_arguments {
    std::string pattern = "*";
    bool json = false;
    bool watch = false;                         // print it again and again, until a signal
    std::chrono::milliseconds interval{2'000};  // between two scans
};

struct doctor_arguments {
    std::string name = "holdfast:doctor";  // the name of the lock of its tests begins with it
    std::chrono::milliseconds lease{
        30'000};  // the lease time of the locks, with which it compares the failover of a cluster
    bool json = false;
};

struct dashboard_arguments {
    std::string pattern = "*";
    std::string listen = "127.0.0.1:8077";
    std::vector<std::string> hosts;  // names under which browsers may reach it
    std::string token_file;
    std::chrono::milliseconds interval{1'000};  // between two looks at a lock, at least
    bool allow_release = false;
};

// How a server is reached.
struct server_address {
    std::string url;
    std::string ca_file = {};  // of TLS; empty: the authorities of the system
};

struct arguments {
    // At least one; several only with run_arguments and status_arguments, for a red_lock.
    std::vector<server_address> servers;
    std::variant<
        run_arguments,
        status_arguments,
        release_arguments,
        permits_arguments,
        leader_arguments,
        list_arguments,
        doctor_arguments,
        dashboard_arguments>
        command;
};

// Returns the parsed arguments. Returns the exit status if there is nothing to do: help was printed, or the usage is
// wrong and an error message was printed.
std::variant<arguments, int> parse_arguments(int argc, char const* const* argv);

}  // namespace holdfast::cli

#endif
