//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/machine.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <utility>

#include <boost/system/system_error.hpp>

namespace holdfast::redis {

void replace_sockets() noexcept;

namespace {

// The only state that all clients of a process share. A fork copies every object, so an object cannot detect that it is
// in a child. pthread_atfork() calls a handler in the child, but without an argument by which it could find the objects
// to change.
std::atomic<std::uint64_t> forks{0};

// All sockets that a child must not have. The mutex is locked during a fork, so that the list is complete in the child.
constinit std::mutex sockets_mutex;
constinit unshared_socket* first_socket = nullptr;

void before_fork()
{
    sockets_mutex.lock();
}

void after_fork_in_parent()
{
    sockets_mutex.unlock();
}

// It may call only what is safe in the handler of a signal: another thread may have had any mutex at the fork.
void after_fork_in_child()
{
    forks.fetch_add(1, std::memory_order_relaxed);
    replace_sockets();
    sockets_mutex.unlock();
}

// At the first call. Forks before it need no handler: there is no socket, and no caller that has counted.
void handle_forks() noexcept
{
    [[maybe_unused]] static int const registered = ::pthread_atfork(
        before_fork, after_fork_in_parent, after_fork_in_child);
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
    handle_forks();
    return forks.load(std::memory_order_relaxed);
}

unshared_socket::unshared_socket(lookup l, void* owner) : lookup_(l), owner_(owner)
{
    handle_forks();
    std::scoped_lock const guard(sockets_mutex);
    next_ = std::exchange(first_socket, this);
    if (next_)
        next_->previous_ = this;
}

unshared_socket::~unshared_socket()
{
    std::scoped_lock const guard(sockets_mutex);
    (previous_ ? previous_->next_ : first_socket) = next_;
    if (next_)
        next_->previous_ = previous_;
}

// The descriptor is closed first: a process that has as many as it may gets the other socket then.
void replace_sockets() noexcept
{
    for (auto* s = first_socket; s; s = s->next_) {
        auto const at = s->lookup_(s->owner_);
        if (at < 0)
            continue;
        ::close(at);
        auto const idle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (idle < 0 || idle == at)
            continue;
        ::dup3(idle, at, O_CLOEXEC);
        ::close(idle);
    }
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
