//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/handoff_budget.hpp"
#include "core/lock_name.hpp"
#include "core/token.hpp"

namespace holdfast::core {
namespace core_names_test {

using namespace std::chrono_literals;

TEST_CASE("a lock name whose braces put its keys into different hash slots is invalid", "[lock_name]")
{
    for (auto* good : {"lock", "{t}:x", "x{t}y", "a}b{t}", "{a}{b}", "a b\tc", "\xff"})
        CHECK(is_valid_lock_name(good));
    for (auto* bad : {"a{b", "a}b", "{}x", "a{}b", "{", "}"})
        CHECK_FALSE(is_valid_lock_name(bad));
}

TEST_CASE("a lock name has 1 to 512 bytes, and each byte may have any value", "[lock_name]")
{
    CHECK_FALSE(is_valid_lock_name(""));
    CHECK(is_valid_lock_name(std::string(512, 'x')));
    CHECK_FALSE(is_valid_lock_name(std::string(513, 'x')));
    CHECK(is_valid_lock_name(std::string_view("\0\1\2", 3)));
}

TEST_CASE("a key that can belong to another lock is recognised by its prefix or suffix and its braces", "[lock_name]")
{
    for (auto* derived :
         {"holdfast_fence:{v}",
          "holdfast_latch:x{t}",
          "redisson_lock_queue:{q}",
          "redisson_unlock_latch:{a}:0f",
          "{s}:timeout",
          "{t}:s:timeout",
          "{w}:6f1c1d0e-0000-4000-8000-000000000003:7:rwlock_timeout:1"})
        CHECK(is_derived_key(derived));
    for (auto* other :
         {"lock",
          "{t}:x",
          "holdfast_fence",
          "holdfast_fence:v",
          "holdfast_fences:{v}",
          "job:timeout",
          "{t}timeout",
          "my:holdfast_fence:{v}",
          "rwlock_timeout:{v}"})
        CHECK_FALSE(is_derived_key(other));
}

TEST_CASE("the names of channels and of fencing counters are derived by Redisson's rule", "[lock_name]")
{
    CHECK(unlock_channel("order:42") == "redisson_lock__channel:{order:42}");
    CHECK(unlock_channel("{t}:x") == "redisson_lock__channel:{t}:x");
    CHECK(fence_key("a") == "holdfast_fence:{a}");
    CHECK(redisson_fence_key("a") == "redisson_lock_token:{a}");
}

TEST_CASE("a token consists of the client's UUID, a number and, if there is one, a label", "[token]")
{
    std::string const uuid = "00000000-0000-8000-8000-000000000000";
    CHECK(uuid_v8({}) == uuid);
    CHECK(token(uuid, 1, "").text() == uuid + ":1");
    CHECK(token(uuid, 18446744073709551615u, "tx-7").text() == uuid + ":18446744073709551615:tx-7");
}

TEST_CASE("a client's UUID has the bits of version 8 and of the variant, and keeps all others", "[token]")
{
    std::array<std::uint8_t, 16> bits;
    bits.fill(0xff);
    CHECK(uuid_v8(bits) == "ffffffff-ffff-8fff-bfff-ffffffffffff");
}

TEST_CASE("the hand-off budget is limited by a number of tenures and by a time", "[handoff_budget]")
{
    constexpr instant epoch{};
    handoff_budget b(2, 10ms);
    b.reset(epoch);
    CHECK(b.spend(epoch));
    CHECK(b.spend(epoch + 9ms));
    CHECK_FALSE(b.spend(epoch + 9ms));
    b.reset(epoch + 20ms);
    CHECK_FALSE(b.spend(epoch + 30ms));
    b.reset(epoch + 30ms);
    CHECK(b.spend(epoch + 39ms));

    handoff_budget off(0, 10ms);
    off.reset(epoch);
    CHECK_FALSE(off.spend(epoch));
}

}  // namespace core_names_test
}  // namespace holdfast::core
