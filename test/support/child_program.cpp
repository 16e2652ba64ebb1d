//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/child_program.hpp"

#include <arpa/inet.h>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <random>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::test {

namespace fs = std::filesystem;

namespace {

// The second port of a cluster's node is greater by this.
constexpr std::uint16_t bus = 10'000;

// Whether nobody has that port of 127.0.0.1.
bool is_free(std::uint16_t port)
{
    int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    bool const bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return bound;
}

}  // namespace

// The kernel gives connections of other processes ports from 32768 on. A server that is started again would not get its port
// back from one of these.
std::uint16_t free_port()
{
    thread_local std::mt19937 random{std::random_device{}()};
    std::uniform_int_distribution<std::uint16_t> any(10'000, 32'767 - bus);
    for (int i = 0; i != 1000; ++i)
        if (auto const p = any(random); is_free(p))
            return p;
    throw std::runtime_error("free_port: none");
}

std::uint16_t free_port_with_bus()
{
    for (int i = 0; i != 1000; ++i)
        if (auto const p = free_port(); is_free(static_cast<std::uint16_t>(p + bus)))
            return p;
    throw std::runtime_error("free_port_with_bus: none");
}

fs::path make_folder()
{
    auto name = (fs::temp_directory_path() / "holdfast-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("make_folder: cannot create " + name);
    return name;
}

pid_t spawn(std::vector<std::string> const& words, fs::path const& output)
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
    ::signal(SIGHUP, SIG_DFL);  // a test run that was started with nohup ignores it, which a child would inherit
    int const out = ::open(output.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (::getppid() == parent)
        ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
}

void signal_program(pid_t pid, int number)
{
    if (pid > 0)
        ::kill(pid, number);
}

void end_program(pid_t pid)
{
    if (pid <= 0)
        return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

}  // namespace holdfast::test
