//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/machine.hpp"

#include <atomic>
#include <cerrno>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>

namespace holdfast::redis {
namespace {

// The only state that all clients of a process share. A fork copies every object, so an object cannot detect that it is
// in a child. pthread_atfork() calls a handler in the child, but without an argument by which it could find the objects
// to change.
std::atomic<std::uint64_t> forks{0};

void count_fork()
{
    forks.fetch_add(1, std::memory_order_relaxed);
}

bool may_be_in_client_name(char c)
{
    return c > ' ' && c <= '~';
}

}  // namespace

core::instant boot_time() noexcept
{
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return core::instant(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

std::array<std::uint8_t, 16> random_bytes()
{
    std::array<std::uint8_t, 16> bytes;
    // getrandom() may return fewer bytes, or be interrupted by a signal.
    for (std::size_t have = 0; have < bytes.size();) {
        auto const n = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
        if (n >= 0)
            have += static_cast<std::size_t>(n);
        else if (errno != EINTR)
            throw boost::system::system_error(errno, boost::system::system_category(), "getrandom");
    }
    return bytes;
}

std::uint64_t count_of_forks() noexcept
{
    // Registered at the first call. Forks before it need not count: no caller has an older value to compare with.
    [[maybe_unused]] static int const registered = ::pthread_atfork(nullptr, nullptr, count_fork);
    return forks.load(std::memory_order_relaxed);
}

std::string default_client_name()
{
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0 || host.front() == '\0')
        host = {"localhost"};
    std::string name(host.data());
    for (char& c : name)
        c = may_be_in_client_name(c) ? c : '_';
    return name + ":" + std::to_string(::getpid());
}

}  // namespace holdfast::redis
