//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/child.hpp"

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace holdfast::bench {
namespace {

struct ends {
    int reads, writes;
};

ends make_pipe()
{
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe could be made");
    return {fds[0], fds[1]};
}

// The program inherits the standard error of this process.
pid_t start(std::vector<std::string> const& words, int input, int output)
{
    std::vector<char*> arguments;
    for (auto const& w : words)
        arguments.push_back(const_cast<char*>(w.c_str()));
    arguments.push_back(nullptr);
    auto const parent = ::getpid();
    auto const pid = ::fork();
    if (pid != 0)
        return pid;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    if (::getppid() == parent)
        ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
}

}  // namespace

child::child(std::vector<std::string> const& words)
{
    ::signal(SIGPIPE, SIG_IGN);  // it may have ended when a line is written to it
    auto const to = make_pipe();
    auto const from = make_pipe();
    input_ = to.writes;
    output_ = from.reads;
    pid_ = start(words, to.reads, from.writes);
    ::close(to.reads);
    ::close(from.writes);
}

child::~child()
{
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(input_);
    ::close(output_);
}

void child::write_line(std::string const& line)
{
    auto const text = line + "\n";
    if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw std::runtime_error("has ended");
}

std::string child::read_line(std::chrono::seconds time_limit)
{
    auto const limit = std::chrono::steady_clock::now() + time_limit;
    std::array<char, 65536> buffer;
    std::size_t end;
    while ((end = unread_.find('\n')) == unread_.npos) {
        pollfd waits{output_, POLLIN, 0};
        if (::poll(&waits, 1, 100) > 0) {
            auto const n = ::read(output_, buffer.data(), buffer.size());
            if (n <= 0)
                throw std::runtime_error("has ended");
            unread_.append(buffer.data(), static_cast<std::size_t>(n));
        } else if (std::chrono::steady_clock::now() > limit)
            throw std::runtime_error("does not answer");
    }
    auto const line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    return line;
}

std::chrono::duration<double> child::cpu_time() const
{
    clockid_t clock{};
    timespec used{};
    ::clock_getcpuclockid(pid_, &clock);
    ::clock_gettime(clock, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace holdfast::bench
