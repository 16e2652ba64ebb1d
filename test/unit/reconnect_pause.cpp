//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/reconnect_pause.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::session {
namespace reconnect_pause_test {

using namespace std::chrono_literals;

TEST_CASE("reconnect pause: the pauses of each cause grow by themselves", "[session]")
{
    reconnect_pause p;
    CHECK(p.next(end_cause::lost, 0) == 25ms);
    CHECK(p.next(end_cause::lost, 0) == 50ms);
    CHECK(p.next(end_cause::credentials, 0) == 50ms);
    CHECK(p.next(end_cause::credentials, 0) == 100ms);
    CHECK(p.next(end_cause::permanent, 0) == 500ms);
    CHECK(p.next(end_cause::permanent, 0) == 1s);
    CHECK(p.next(end_cause::lost, 0) == 100ms);
}

TEST_CASE("reconnect pause: the pauses have a limit", "[session]")
{
    reconnect_pause p;
    for (int i = 0; i < 20; ++i)
        for (auto const why : {end_cause::lost, end_cause::permanent, end_cause::credentials})
            p.next(why, 0);
    CHECK(p.next(end_cause::lost, 0) == 1s);
    CHECK(p.next(end_cause::permanent, 0) == 2500ms);
    CHECK(p.next(end_cause::credentials, 0) == 2500ms);
}

TEST_CASE("reconnect pause: an accepted client resets all but the pauses after lost connections", "[session]")
{
    reconnect_pause p;
    for (auto const why : {end_cause::lost, end_cause::permanent, end_cause::credentials})
        p.next(why, 0);
    p.on_open();
    CHECK(p.next(end_cause::permanent, 0) == 500ms);
    CHECK(p.next(end_cause::credentials, 0) == 50ms);
    CHECK_FALSE(p.ended_early());
    p.on_end_after(999ms);
    CHECK(p.ended_early());
    CHECK(p.next(end_cause::lost, 0) == 50ms);
    p.on_end_after(1s);
    CHECK_FALSE(p.ended_early());
    CHECK(p.next(end_cause::lost, 0) == 25ms);
}

}  // namespace reconnect_pause_test
}  // namespace holdfast::session
