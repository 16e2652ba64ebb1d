//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <boost/asio/use_awaitable.hpp>

#include "tool/exit_status.hpp"

namespace holdfast::cli {
namespace {

[[noreturn]] void fail(char const* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

// Opens the controlling terminal, if there is one; standard input and output may be redirected. With O_NOCTTY it does
// not become the controlling terminal by this.
bool has_terminal() noexcept
{
    int const fd = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0)
        ::close(fd);
    return fd >= 0;
}

// The form that exec requires, with a null pointer at the end. The words must outlive it.
std::vector<char*> pointers(std::vector<std::string>& words)
{
    std::vector<char*> result;
    for (auto& w : words)
        result.push_back(w.data());
    result.push_back(nullptr);
    return result;
}

std::string name_in(std::string const& entry)
{
    return entry.substr(0, entry.find('='));
}

// Leaves out the entries that are replaced: with two entries of one name, most programs use the first.
std::vector<std::string> environment_of(child_options const& options)
{
    auto result = options.environment;
    auto left_out = options.removed;
    for (auto const& entry : options.environment)
        left_out.push_back(name_in(entry));
    for (char** e = ::environ; *e != nullptr; ++e)
        if (std::ranges::find(left_out, name_in(*e)) == left_out.end())
            result.emplace_back(*e);
    return result;
}

struct channel {
    int ours;
    int of_guardian;
};

// Packets are whole, so neither side waits for the rest of one.
channel open_channel()
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        fail("socketpair");
    return {ends[0], ends[1]};
}

int to_number(std::chrono::milliseconds time) noexcept
{
    constexpr std::chrono::milliseconds longest{std::chrono::hours(24)};
    return static_cast<int>(std::min(time, longest).count());
}

// A tool that runs ends the job itself, in time.
int until_alarm(std::chrono::milliseconds until_end) noexcept
{
    constexpr std::chrono::milliseconds margin{500};
    return to_number(until_end) + to_number(margin);
}

// Waits until the command runs or has failed. Returns the errno of the failure, or 0.
int read_start(int fd) noexcept
{
    notice first{};
    ssize_t size = 0;
    do
        size = ::recv(fd, &first, sizeof first, 0);
    while (size < 0 && errno == EINTR);
    if (size != sizeof first)
        return ECHILD;  // somebody has killed the guardian
    return first.what == notice::started ? 0 : first.number;
}

// Returns the tool's end of the channel.
int start(guarded_command const& command, pid_t& guardian)
{
    auto const c = open_channel();
    guardian = ::fork();
    if (guardian == 0)
        guard(command, c.of_guardian);
    // The other end is closed first: with it open the read would not see the end of the guardian.
    int const failed = guardian < 0 ? errno : 0;
    ::close(c.of_guardian);
    int const why = failed != 0 ? failed : read_start(c.ours);
    if (why == 0)
        return c.ours;
    ::close(c.ours);
    if (guardian > 0)
        ::waitpid(guardian, nullptr, 0);
    errno = why;  // close() and waitpid() may have changed it
    fail("cannot execute");
}

int start(child_options const& options, pid_t& guardian)
{
    auto command = options.command;
    auto environment = environment_of(options);
    auto const arguments = pointers(command);
    auto const variables = pointers(environment);
    // The const_casts are for the signature of exec, which does not change the strings. With a terminal the command stays
    // in the group of the tool: another group would be in the background, and would be stopped when it reads from the
    // terminal.
    guarded_command const guarded{
        const_cast<char**>(arguments.data()),
        const_cast<char**>(variables.data()),
        options.signal_mask,
        !has_terminal(),
        options.dies_with_us,
        options.ends_in ? until_alarm(*options.ends_in) : -1,
        to_number(options.kill_after)};
    return start(guarded, guardian);
}

}  // namespace

child_process::child_process(boost::asio::any_io_executor const& executor, child_options const& options)
    : channel_(executor, start(options, guardian_))
{}

child_process::~child_process()
{
    bool const ends_soon = all_ended_ || !channel_.is_open();
    if (channel_.is_open())
        channel_.close();
    // Without this it would stay as a zombie. It is not waited for while the kernel cannot end a process of the job.
    ::waitpid(guardian_, nullptr, ends_soon ? 0 : WNOHANG);
}

void child_process::tell(order o) noexcept
{
    ::send(channel_.native_handle(), &o, sizeof o, MSG_NOSIGNAL);
}

void child_process::send(int signal) noexcept
{
    tell({order::send_signal, signal});
}

void child_process::end_job() noexcept
{
    tell({order::end_job, 0});
}

void child_process::expect_end(std::chrono::milliseconds in) noexcept
{
    tell({order::expect_end, until_alarm(in)});
}

void child_process::watch_no_end() noexcept
{
    tell({order::watch_no_end, 0});
}

void child_process::leave() noexcept
{
    tell({order::leave, 0});
    channel_.close();
}

void child_process::take(notice n) noexcept
{
    switch (n.what) {
        case notice::expired: expired_ = true; break;
        case notice::ended: end_ = n.number; break;
        default: all_ended_ = true;
    }
}

// If somebody has killed the guardian, the kernel has killed the command.
void child_process::listen() noexcept
{
    while (!all_ended_) {
        notice n{};
        auto const size = ::recv(channel_.native_handle(), &n, sizeof n, MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (size == sizeof n) {
            take(n);
        } else {
            end_ = end_.value_or(SIGKILL);
            all_ended_ = true;
        }
    }
}

bool child_process::has_expired() noexcept
{
    listen();
    return expired_;
}

bool child_process::poll() noexcept
{
    listen();
    return end_.has_value();
}

int child_process::exit_status() const noexcept
{
    int const status = end_.value_or(0);
    return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

bool child_process::has_survivors() noexcept
{
    listen();
    return !all_ended_;
}

boost::asio::awaitable<void> child_process::next_notice()
{
    co_await channel_.async_wait(channel_.wait_read, boost::asio::use_awaitable);
}

boost::asio::awaitable<void> child_process::end()
{
    while (!poll())
        co_await next_notice();
}

boost::asio::awaitable<void> child_process::end_of_all()
{
    while (has_survivors())
        co_await next_notice();
}

}  // namespace holdfast::cli
