//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/probe_names.hpp"

#include <cstdio>
#include <random>

namespace holdfast::cli {

std::string random_digits()
{
    std::random_device source;
    char text[24];
    std::snprintf(text, sizeof text, "%08x%08x", static_cast<unsigned>(source()), static_cast<unsigned>(source()));
    return text;
}

// As the library makes them (docs/operations.md): a name with a hash tag is used as it is. A valid name has braces only
// around a hash tag.
probe_names names_for(std::string_view prefix, std::string_view random)
{
    auto const key = std::string(prefix).append(":").append(random);
    auto const tag = key.find('{') != key.npos ? key : "{" + key + "}";
    return {
        .key = key,
        .companions =
            {"holdfast_fence:" + tag,
             "redisson_lock_token:" + tag,
             "redisson_lock_queue:" + tag,
             "redisson_lock_timeout:" + tag,
             "holdfast_lock_waiters:" + tag,
             "holdfast_lock_priority:" + tag,
             "holdfast_writer_waiting:" + tag,
             "holdfast_readers_waiting:" + tag,
             tag + ":x:rwlock_timeout:1",
             tag + ":timeout"},
        .channels = {"redisson_lock__channel:" + tag, "redisson_rwlock:" + tag, "redisson_sc:" + tag},
        .fence = "holdfast_fence:" + tag};
}

}  // namespace holdfast::cli
