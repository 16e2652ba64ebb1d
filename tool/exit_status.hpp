//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_EXIT_STATUS_HPP
#define HOLDFAST_CLI_EXIT_STATUS_HPP

namespace holdfast::cli {

// What the tool ends with when it is not the command's own status. 64, 69, 74 and 75 are those of sysexits.h, 126 and
// up those of the shell.
enum exit_status : int {
    ok = 0,
    unfit = 1,         // doctor: the server is not fit for locks
    bad_usage = 64,    // EX_USAGE
    unavailable = 69,  // EX_UNAVAILABLE: Redis was not reachable, or refused us
    lock_lost = 74,    // EX_IOERR: the lease was lost and the command was stopped
    not_in_time = 75,  // EX_TEMPFAIL: the lock was not had in time
    not_executable = 126,
    not_found = 127,
    by_signal = 128,  // plus its number
};

}  // namespace holdfast::cli

#endif
