//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_MACHINE_HPP
#define HOLDFAST_REDIS_MACHINE_HPP

#include <array>
#include <cstdint>
#include <string>

#include "core/clock.hpp"

// The functions of the operating system that a session needs.
namespace holdfast::redis {

// CLOCK_BOOTTIME, which continues while the machine sleeps (rule 2). std::chrono::steady_clock does not. Any thread.
core::instant boot_time() noexcept;

// 128 bits from the generator of the operating system. Throws boost::system::system_error if it fails: a token from
// weaker random numbers could be that of another client.
std::array<std::uint8_t, 16> random_bytes();

// The number of forks between the start of the program and this process. Any thread.
std::uint64_t count_of_forks() noexcept;

// A socket that a fork must not share. The child has a copy of the descriptor, and the reactor of its parent may still
// wait for it: what the child reads is lost for its parent, and what it writes reaches the parent's server. So another
// socket, which is connected to nothing, takes its place in the child before fork() returns there.
//
// It is a member of the owner of the socket, the last one: another thread may fork as soon as it is constructed.
class unshared_socket {
public:
    // Returns the descriptor; -1: no socket is open. Called in the child.
    using lookup = int (*)(void* owner) noexcept;

    unshared_socket(lookup, void* owner);
    ~unshared_socket();
    unshared_socket(unshared_socket const&) = delete;
    unshared_socket& operator=(unshared_socket const&) = delete;

private:
    friend void replace_sockets() noexcept;

    lookup const lookup_;
    void* const owner_;
    unshared_socket* next_ = nullptr;
    unshared_socket* previous_ = nullptr;
};

// "host:pid", with '_' for each character that CLIENT SETNAME does not allow.
std::string default_client_name();

// Random numbers for jitter: small and fast, not for secrets. Source: S. Vigna, splitmix64.
class jitter_source {
public:
    explicit jitter_source(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

}  // namespace holdfast::redis

#endif
