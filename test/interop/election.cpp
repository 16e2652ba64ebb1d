//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A fair lock of Redisson stands for election beside candidates of Holdfast.

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "interop/meeting.hpp"
#include "support/child.hpp"

namespace holdfast::test {
namespace {

TEST_CASE("Redisson's fair lock leads without a term, and waits in the queue of the candidates", "[interop][election]")
{
    auto& m = the_meeting();
    auto const name = new_name();
    lock_id const theirs{"fair", name}, ours{"election", name};
    auto const leader = [&] { return m.holdfast().call("leader", ours).text(); };
    CHECK(leader() == "nobody");
    REQUIRE(is_grant(m.redisson().acquire(theirs, 1)));
    CHECK(leader() == "mute");
    CHECK(m.holdfast().acquire(ours, 1, one_attempt).text() == "busy");
    auto const leads = m.holdfast().acquire(ours, 1);
    auto const length = [&] { return m.server().command({"LLEN", "redisson_lock_queue:{" + name + "}"}).integer; };
    REQUIRE(wait_until([&] { return length() == 1; }));
    auto const next = m.redisson().acquire(theirs, 2);
    REQUIRE(wait_until([&] { return length() == 2; }));
    CHECK(m.redisson().release(theirs, 1).text() == "released");
    CHECK(is_grant(leads));
    CHECK(leader() == "here");
    CHECK_FALSE(next.is_over());
    CHECK(m.holdfast().release(ours, 1).text() == "released");
    CHECK(is_grant(next));
    CHECK(leader() == "mute");
    CHECK(m.redisson().release(theirs, 2).text() == "released");
    CHECK(leader() == "nobody");
}

}  // namespace
}  // namespace holdfast::test
