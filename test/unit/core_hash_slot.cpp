//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/hash_slot.hpp"

namespace holdfast::core {
namespace core_hash_slot_test {

// The slots that CLUSTER KEYSLOT of Redis 7.0 returns.
TEST_CASE("hash slots are those that Redis computes", "[cluster]")
{
    struct {
        std::string_view key;
        int slot;
    } constexpr table[] = {
        {"123456789", 12739},
        {"foo", 12182},
        {"bar", 5061},
        {"hello", 866},
        {"", 0},
        {"{user1000}.following", 3443},
        {"{user1000}.followers", 3443},
        {"user1000", 3443},
    };
    for (auto const& row : table) {
        CAPTURE(row.key);
        CHECK(hash_slot(row.key) == row.slot);
    }
}

TEST_CASE("the hash tag is the text between the first braces, unless it is empty", "[cluster]")
{
    CHECK(hash_slot("a{tag}b") == hash_slot("tag"));
    CHECK(hash_slot("{a}{b}") == hash_slot("a"));
    CHECK(hash_slot("foo{{bar}}zap") == hash_slot("{bar"));
    CHECK(hash_slot("foo{}{bar}") != hash_slot("bar"));
    CHECK(hash_slot("foo{bar") != hash_slot("bar"));
}

}  // namespace core_hash_slot_test
}  // namespace holdfast::core
