//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_GUARDIAN_HPP
#define HOLDFAST_CLI_GUARDIAN_HPP

#include <signal.h>
#include <sys/types.h>

namespace holdfast::cli {

// The guardian is a process between the tool and the command: a child of the tool and the parent of the command. It
// outlives a tool that is killed, and ends the job then: the command and all its descendants. They cannot get away from
// it, because it adopts those whose parents have ended. It also ends the job of a tool that was stopped, when the lease has
// ended that this tool does not renew.
//
//   tool ---- guardian ---- command ---- ...
//
// It is connected to the tool by a socket, whose other end only the tool has. So the end of the tool is the end of that
// stream. It blocks all signals and has a process group of its own: neither the terminal, nor a signal to the group of the
// tool or of the command, ends or stops it.

// What the tool tells the guardian.
struct order {
    enum kind : int {
        send_signal,   // to the command, or to its process group
        end_job,       // by SIGKILL
        leave,         // ends the guardian, and nothing else
        expect_end,    // without another order the guardian ends the job in this time
        watch_no_end,  // the tool ends the job itself
    } what;
    int number;  // of the signal; of expect_end: milliseconds
};

// What the guardian tells the tool.
struct notice {
    enum kind : int {
        started,
        failed,     // number: the errno of exec. The guardian ends
        expired,    // the lease: the guardian ends the job
        ended,      // the command; number: as waitpid() gives it
        all_ended,  // the command and all its descendants, except those that may not be killed
    } what;
    int number;
};

// The command, in the form that exec needs. All memory was allocated before the fork.
struct guarded_command {
    char** arguments;
    char** environment;
    sigset_t const& mask;
    bool leads_group;     // the command has a process group of its own
    bool dies_with_tool;  // otherwise the end of the tool ends only the guardian
    int ends_in;          // as if the guardian had received expect_end; -1: it does not watch the end of the lease
    int kill_after;       // milliseconds between SIGTERM and SIGKILL where the guardian ends the job of a stopped tool
};

// The life of the guardian, after the fork. `channel` is its end of a socket of packets.
[[noreturn]] void guard(guarded_command const&, int channel) noexcept;

}  // namespace holdfast::cli

#endif
