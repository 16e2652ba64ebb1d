//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "interop/peer_process.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <unistd.h>

#include "support/child_program.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto answer_time_limit = 60s;

struct ends {
    int ours;
    int theirs;
};

ends make_pipe(bool we_write)
{
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("peer_process: no pipe");
    return we_write ? ends{fds[1], fds[0]} : ends{fds[0], fds[1]};
}

// Starts a program that is killed when this process ends.
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

std::string number(std::chrono::milliseconds d)
{
    return std::to_string(d.count());
}

}  // namespace

peer_process::peer_process(std::string name, std::vector<std::string> const& words) : name_(std::move(name))
{
    ::signal(SIGPIPE, SIG_IGN);  // a peer may be killed
    auto const input = make_pipe(true);
    auto const output = make_pipe(false);
    input_ = input.ours;
    output_ = output.ours;
    pid_ = start(words, input.theirs, output.theirs);
    ::close(input.theirs);
    ::close(output.theirs);
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
    auto const& greeting = wait_for(0).text;  // "ready CLIENT_ID"
    client_id_ = greeting.substr(greeting.find(' ') + 1);
}

peer_process::~peer_process()
{
    kill();
    ::close(input_);
    ::close(output_);
}

peer_process::request peer_process::acquire(lock_id const& lock, int thread, terms t)
{
    return begin(
        "acquire " + lock.kind + " " + lock.name + " " + std::to_string(thread) + " " + number(t.lease) + " "
        + number(t.wait));
}

peer_process::request peer_process::release(lock_id const& lock, int thread)
{
    return call("release", lock, thread);
}

peer_process::request peer_process::call(std::string const& verb, lock_id const& lock, int thread)
{
    return begin(verb + " " + lock.kind + " " + lock.name + " " + std::to_string(thread));
}

peer_process::request peer_process::begin(std::string const& words)
{
    auto const line = std::to_string(++last_id_) + " " + words + "\n";
    if (::write(input_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        throw std::runtime_error(name_ + " does not listen");
    return {*this, last_id_};
}

peer_process::answer const* peer_process::find(int id)
{
    read_what_came();
    auto const found = answers_.find(id);
    return found == answers_.end() ? nullptr : &found->second;
}

peer_process::answer const& peer_process::wait_for(int id)
{
    auto const end = clock::now() + answer_time_limit;
    while (true) {
        if (auto const* const said = find(id))
            return *said;
        if (has_ended_ || clock::now() > end)
            throw std::runtime_error(name_ + (has_ended_ ? " has ended" : " does not answer"));
        pollfd waits{output_, POLLIN, 0};
        ::poll(&waits, 1, 100);
    }
}

void peer_process::read_what_came()
{
    std::array<char, 4096> buffer;
    ssize_t n = 0;
    while ((n = ::read(output_, buffer.data(), buffer.size())) > 0)
        unfinished_.append(buffer.data(), static_cast<std::size_t>(n));
    has_ended_ = n == 0;
    for (std::size_t end; (end = unfinished_.find('\n')) != unfinished_.npos; unfinished_.erase(0, end + 1))
        take(unfinished_.substr(0, end));
}

void peer_process::take(std::string const& line)
{
    std::istringstream words(line);
    int id = 0;
    std::int64_t at = 0;
    std::string text;
    if (!(words >> id >> at) || !std::getline(words >> std::ws, text))
        throw std::runtime_error(name_ + " says: " + line);
    answers_[id] = {clock::time_point(std::chrono::nanoseconds(at)), text};
}

void peer_process::signal(int number)
{
    signal_program(pid_, number);
}

void peer_process::kill()
{
    end_program(pid_);
    pid_ = -1;
}

}  // namespace holdfast::test
