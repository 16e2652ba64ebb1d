//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/descendants.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace holdfast::cli {
namespace {

// A child that is not permitted to be killed has set another user.
struct attempts {
    bool any_succeeded = false;
    bool any_failed = false;

    void kill(pid_t child) noexcept { (::kill(child, SIGKILL) == 0 ? any_succeeded : any_failed) = true; }
};

// The file has the numbers of the children, each with a space behind it. The end of the buffer may cut a number.
void kill_listed(int fd, attempts& all) noexcept
{
    pid_t number = 0;
    char buffer[512];
    for (auto n = ::read(fd, buffer, sizeof buffer); n > 0; n = ::read(fd, buffer, sizeof buffer))
        for (auto const* c = buffer; c != buffer + n; ++c)
            if (*c != ' ')
                number = number * 10 + (*c - '0');
            else
                all.kill(std::exchange(number, 0));
}

}  // namespace

void adopt_descendants() noexcept
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

bool kill_children() noexcept
{
    int const fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    attempts all;
    kill_listed(fd, all);
    ::close(fd);
    // The kernel may leave out children while others end: an empty list says nothing.
    return all.any_succeeded || !all.any_failed;
}

}  // namespace holdfast::cli
