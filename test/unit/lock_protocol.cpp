//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/protocol/lock_protocol.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace lock_protocol_test {

TEST_CASE(
    "the commands of a read_write_lock look at other keys than their own, those of other kinds do not", "[protocol]")
{
    CHECK_FALSE(read_protocol().is_confined());
    CHECK_FALSE(write_protocol().is_confined());
    for (auto const* const p :
         {&mutex_protocol(false),
          &mutex_protocol(true),
          &reentrant_protocol(false),
          &reentrant_protocol(true),
          &fair_protocol(),
          &semaphore_protocol(false),
          &semaphore_protocol(true),
          &numbered_semaphore_protocol()})
        CHECK(p->is_confined());
}

// A key that a script computes is built from a prefix, by concatenation.
TEST_CASE("only the scripts of a read_write_lock compute keys", "[protocol]")
{
    auto const computes_keys = [](script const& s) { return s.text.find(":rwlock_timeout:") != s.text.npos; };
    for (auto const& s : scripts::all) {
        CAPTURE(s.name);
        bool const is_of_read_write = s.name.starts_with("read_") || s.name.starts_with("write_");
        CHECK((!computes_keys(s) || is_of_read_write));
    }
}

TEST_CASE("each script that publishes has another text for sharded messages", "[protocol]")
{
    for (auto const& s : scripts::all) {
        CAPTURE(s.name);
        bool const publishes = s.text.find("'publish'") != s.text.npos;
        CHECK((s.sharded.text != s.text) == publishes);
        CHECK((s.sharded.sha1 != s.sha1) == publishes);
        CHECK(s.sharded.text.find("'publish'") == s.text.npos);
    }
}

// DEL frees all elements of a value before the server executes the next command, UNLINK frees them on another thread.
TEST_CASE("no script deletes a key with a command that frees a value of many elements at once", "[protocol]")
{
    for (auto const& s : scripts::all) {
        CAPTURE(s.name);
        CHECK(s.text.find("'del'") == s.text.npos);
        CHECK(s.text.find("\"del\"") == s.text.npos);
    }
}

}  // namespace lock_protocol_test
}  // namespace holdfast::engine
