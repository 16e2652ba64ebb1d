//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/child_run.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::test::oracle {

pid_t run_in_child(std::function<void()> const& f, standard_error errors)
{
    std::fflush(nullptr);
    auto const child = ::fork();
    if (child < 0)
        throw std::runtime_error("fork");
    if (child > 0)
        return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (auto const s : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
        ::signal(s, SIG_DFL);
    if (errors == standard_error::dropped && std::getenv("HOLDFAST_ORACLE_VERBOSE") == nullptr) {
        [[maybe_unused]] auto const* const quiet = std::freopen("/dev/null", "w", stderr);
    }
    f();
    std::fflush(nullptr);
    ::_exit(0);
}

std::optional<finding> wait_for_child(pid_t child, unsigned time_limit)
{
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return finding{"no_livelock", "ran for " + std::to_string(time_limit) + " s of real time"};
    if (WIFSIGNALED(status))
        return finding{"does_not_crash", std::string("died of ") + ::strsignal(WTERMSIG(status))};
    if (WEXITSTATUS(status) != 0)
        return finding{"does_not_crash", "exit status " + std::to_string(WEXITSTATUS(status))};
    return std::nullopt;
}

}  // namespace holdfast::test::oracle
