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

// What a session asks of the operating system.
namespace holdfast::redis {

// CLOCK_BOOTTIME: it goes on while the machine sleeps.
core::instant boot_time() noexcept;

// 128 bits of the system's generator. Throws boost::system::system_error when there are none to be had.
std::array<std::uint8_t, 16> random_bytes();

// How many forks lie between the program's start and this process.
std::uint64_t count_of_forks() noexcept;

// "host:pid", of characters that CLIENT SETNAME allows.
std::string default_client_name();

// Random numbers for jitter: small and fast, no secret. Source: S. Vigna, splitmix64.
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
