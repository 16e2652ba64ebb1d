//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/lock_name.hpp"
#include "tool/probe_names.hpp"

namespace holdfast::cli {
namespace doctor_probe_names_test {

// The library's own names, for a name without a hash tag and one with it.
TEST_CASE("doctor names: keys and channels are those of the library", "[doctor]")
{
    for (auto const* prefix : {"order:1", "{tenant}:1"}) {
        auto const n = names_for(prefix, "ab");
        CHECK(n.key == std::string(prefix) + ":ab");
        CHECK(n.fence == core::fence_key(n.key));
        CHECK(
            n.channels
            == std::vector<std::string>{
                core::unlock_channel(n.key), core::rw_channel(n.key), core::permit_channel(n.key)});
        auto wanted = core::rw_companions(n.key);
        wanted.back() += "x:rwlock_timeout:1";  // of the holder x
        for (auto const* list : {"redisson_lock_queue", "redisson_lock_timeout", "holdfast_lock_waiters"})
            wanted.push_back(core::prefixed(list, n.key));
        wanted.push_back(core::prefixed("holdfast_lock_priority", n.key));
        wanted.push_back(core::suffixed(n.key, "timeout"));
        wanted.push_back(core::fence_key(n.key));
        wanted.push_back(core::redisson_fence_key(n.key));
        CHECK(std::ranges::is_permutation(n.companions, wanted));
    }
}

}  // namespace doctor_probe_names_test
}  // namespace holdfast::cli
