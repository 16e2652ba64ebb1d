//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/quorum.hpp"

#include <chrono>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::test {
namespace quorum_test {

TEST_CASE(
    "the result of an operation on a composite lease follows from its members' results and the quorum", "[quorum]")
{
    error_code const ok;
    error_code const lost = errc::lease_lost;
    error_code const stopped = errc::client_stopped;
    error_code const silent = errc::unavailable;
    struct {
        std::vector<error_code> ends;
        std::size_t quorum;
        error_code expected;
    } const rows[] = {
        {{ok, ok}, 2, ok},
        {{ok, lost, ok}, 2, ok},
        {{ok, stopped, stopped}, 1, ok},
        {{ok, silent}, 2, silent},
        {{ok, silent, lost}, 2, silent},  // a majority may still hold it
        {{ok, lost}, 2, lost},
        {{silent, lost, lost}, 2, lost},
        {{ok, stopped}, 2, stopped},
        {{stopped, stopped}, 2, stopped},
        {{ok, stopped, lost}, 2, lost},  // the worse of the two
        {{errc::empty_lease, errc::empty_lease}, 2, errc::empty_lease},
    };
    for (auto const& row : rows)
        CHECK(detail::classify(row.ends, row.quorum) == row.expected);
}

TEST_CASE("a composite lease is valid as long as a quorum of its members is", "[quorum]")
{
    using time_point = std::chrono::steady_clock::time_point;
    auto const at = [](int s) { return time_point(std::chrono::seconds(s)); };
    struct {
        std::vector<time_point> ends;
        std::size_t quorum;
        time_point expected;
    } rows[] = {
        {{at(7)}, 1, at(7)},
        {{at(7), at(7)}, 2, at(7)},
        {{at(9), at(7), at(8)}, 3, at(7)},
        {{at(9), at(7), at(8)}, 2, at(8)},
        {{at(7), at(9), at(9)}, 2, at(9)},
        {{at(9)}, 2, time_point()},
        {{}, 1, time_point()},
    };
    for (auto& row : rows)
        CHECK(detail::quorum_end(row.ends, row.quorum) == row.expected);
}

}  // namespace quorum_test
}  // namespace holdfast::test
