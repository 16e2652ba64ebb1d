//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/signal_source.hpp"

#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

#include <boost/asio/use_awaitable.hpp>

namespace holdfast::cli {
namespace {

// The signals that users and supervisors send to a command.
constexpr int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

bool is_ignored(int number) noexcept
{
    struct sigaction action {};
    return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The kernel queues a blocked signal even if it is ignored, and the tool would pass it on: so ignored signals are not
// in the set.
sigset_t wanted_signals() noexcept
{
    sigset_t set;
    sigemptyset(&set);
    for (int const number : forwarded)
        if (!is_ignored(number))
            sigaddset(&set, number);
    return set;
}

int open_descriptor(sigset_t const& wanted, sigset_t& original)
{
    ::signal(SIGCHLD, SIG_DFL);  // if it were ignored, the kernel would discard the exit statuses of children
    auto blocked = wanted;
    sigaddset(&blocked, SIGPIPE);  // a write to a closed standard error must not end the tool, and with it the renewal
    ::sigprocmask(SIG_BLOCK, &blocked, &original);
    int const fd = ::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0)
        throw std::system_error(errno, std::generic_category(), "signalfd");
    return fd;
}

}  // namespace

signal_source::signal_source(boost::asio::any_io_executor const& executor)
    : descriptor_(executor, open_descriptor(wanted_signals(), original_))
{}

signal_source::~signal_source()
{
    ::sigprocmask(SIG_SETMASK, &original_, nullptr);
}

boost::asio::awaitable<received_signal> signal_source::next()
{
    for (;;) {
        // Read before the wait: signals may have come while no caller waited.
        signalfd_siginfo info{};
        auto const size = ::read(descriptor_.native_handle(), &info, sizeof info);
        if (size == sizeof info)
            co_return received_signal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
        co_await descriptor_.async_wait(descriptor_.wait_read, boost::asio::use_awaitable);
    }
}

bool ends_the_wait(int number) noexcept
{
    return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

}  // namespace holdfast::cli
