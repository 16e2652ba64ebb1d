//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "quorum.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::test {
namespace {

TEST_CASE("what the ends of operations on the members mean for the lease of several", "[quorum]")
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
        {{ok, silent, lost}, 2, silent},  // a majority may have it yet
        {{ok, lost}, 2, lost},
        {{silent, lost, lost}, 2, lost},
        {{ok, stopped}, 2, stopped},
        {{stopped, stopped}, 2, stopped},
        {{ok, stopped, lost}, 2, lost},  // the worse of the two
        {{errc::empty_lease, errc::empty_lease}, 2, errc::empty_lease},
    };
    for (auto const& row : rows)
        CHECK(detail::judge(row.ends, row.quorum) == row.expected);
}

}  // namespace
}  // namespace holdfast::test
