//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_EXIT_STATUS_HPP
#define HOLDFAST_CLI_EXIT_STATUS_HPP

namespace holdfast::cli {

// The exit status of the tool, unless it is that of the command. 64, 69, 73, 74 and 75 are values of sysexits.h, 126 and
// greater ones those of the shell: scripts distinguish them from the usual values of a command.
enum exit_status : int {
    ok = 0,
    unfit = 1,          // doctor: the server is not fit for locks
    bad_usage = 64,     // EX_USAGE
    unavailable = 69,   // EX_UNAVAILABLE: Redis was not reachable, or refused the client
    write_failed = 73,  // EX_CANTCREAT: the results could not be written to standard output
    lock_lost = 74,     // EX_IOERR: the lease was lost, and the command was stopped, or ended with 0
    not_in_time = 75,   // EX_TEMPFAIL: the lock was not acquired in time
    not_executable = 126,
    not_found = 127,
    by_signal = 128,  // plus the number of the signal
};

}  // namespace holdfast::cli

#endif
