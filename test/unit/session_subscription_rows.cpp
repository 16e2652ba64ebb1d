//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "session/subscription_rows.hpp"

namespace holdfast::session {
namespace session_subscription_rows_test {

using change = subscription_rows::change;
using names = std::vector<std::string>;

TEST_CASE("the guard of a row shows which channels were not confirmed", "[session]")
{
    subscription_rows rows;
    rows.add(change::subscribe, {"a", "b", "c"});
    CHECK((rows.confirm(change::subscribe, "c") && rows.confirm(change::subscribe, "a")));
    CHECK(rows.end_row() == names{"b"});
}

TEST_CASE("a confirmation belongs to the oldest row, and counts once", "[session]")
{
    subscription_rows rows;
    CHECK_FALSE(rows.confirm(change::subscribe, "a"));
    rows.add(change::subscribe, {"a"});
    rows.add(change::subscribe, {"a", "b"});
    CHECK_FALSE(rows.confirm(change::subscribe, "b"));
    CHECK(rows.confirm(change::subscribe, "a"));
    CHECK_FALSE(rows.confirm(change::subscribe, "a"));
    CHECK(rows.end_row().empty());
    CHECK(rows.end_row() == names{"a", "b"});
}

TEST_CASE("the end of a subscription was requested only if its row is the oldest one", "[session]")
{
    subscription_rows rows;
    rows.add(change::subscribe, {"b"});
    rows.add(change::unsubscribe, {"a"});
    CHECK_FALSE(rows.confirm(change::unsubscribe, "a"));
    CHECK(rows.end_row() == names{"b"});
    CHECK(rows.confirm(change::unsubscribe, "a"));
    // A channel that was not subscribed needs nothing.
    CHECK(rows.end_row().empty());
}

}  // namespace session_subscription_rows_test
}  // namespace holdfast::session
