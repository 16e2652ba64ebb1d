//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/environment.hpp"

#include <cstring>
#include <utility>

namespace holdfast::redis {
namespace {

// Seeds from the operating system, so that clients that start at the same time have different jitter.
std::uint64_t random_seed()
{
    std::uint64_t seed;
    auto const bytes = random_bytes();
    std::memcpy(&seed, bytes.data(), sizeof seed);
    return seed;
}

}  // namespace

environment::environment(engine::strand const& on, std::weak_ptr<session::clock_events> clock)
    : jitter_(random_seed()), alarm_(std::make_shared<alarm>(on, std::move(clock)))
{}

}  // namespace holdfast::redis
