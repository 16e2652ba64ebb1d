//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "program.hpp"

#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace demo {
namespace {

// Runs between fork and exec, where memory must not be allocated.
[[noreturn]] void become(char** words, int in, int out, int failures, pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    int const nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(in < 0 ? nothing : in, STDIN_FILENO);
    ::dup2(out < 0 ? nothing : out, STDOUT_FILENO);
    if (::getppid() == parent)
        ::execvp(words[0], words);
    int const why = errno;
    [[maybe_unused]] auto const written = ::write(failures, &why, sizeof why);
    ::_exit(127);
}

}  // namespace

program::program(std::vector<std::string> words, int in, int out)
{
    std::vector<char*> pointers;
    for (auto& w : words)
        pointers.push_back(w.data());
    pointers.push_back(nullptr);

    int failures[2];
    if (::pipe2(failures, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    auto const parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0)
        become(pointers.data(), in, out, failures[1], parent);
    ::close(failures[1]);
    int why = 0;
    bool const failed = pid_ < 0 || ::read(failures[0], &why, sizeof why) > 0;
    ::close(failures[0]);
    if (failed) {
        kill();
        throw std::system_error(why, std::generic_category(), "cannot run " + words.front());
    }
}

program::~program()
{
    kill();
}

void program::send(int signal) const noexcept
{
    if (pid_ > 0)
        ::kill(pid_, signal);
}

void program::kill() noexcept
{
    send(SIGKILL);
    if (pid_ > 0)
        ::waitpid(std::exchange(pid_, -1), nullptr, 0);
}

}  // namespace demo
