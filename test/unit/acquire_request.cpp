//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every option of an acquire reaches the implementation, also through with_lock without a wait time.

#include <catch2/catch_test_macros.hpp>

#include <holdfast/detail/acquire_request.hpp>

namespace holdfast::test {
namespace acquire_request_test {

using namespace std::chrono_literals;

template <class Options>
void check_common(Options const& o)
{
    for (auto const& request : {detail::to_request(o), detail::to_request(detail::without_wait(o))}) {
        CHECK(request.lease == 1s);
        CHECK(request.renew);
        CHECK(request.max_hold == 3s);
        CHECK(request.require_connection);
    }
    CHECK(detail::to_request(o).wait == 4s);
    CHECK_FALSE(detail::to_request(detail::without_wait(o)).wait);
}

TEST_CASE("a request has all options of an acquire", "[acquire_request]")
{
    try_options const o{
        .wait = 4s, .lease = 1s, .renew = true, .max_hold = 3s, .at_least = 2s, .require_connection = true};
    check_common(o);
    CHECK(detail::to_request(o).at_least == 2s);
    CHECK(detail::to_request(detail::without_wait(o)).at_least == 2s);
}

TEST_CASE("a request has all options of a fair acquire", "[acquire_request]")
{
    fair_try_options const o{
        .wait = 4s,
        .lease = 1s,
        .renew = true,
        .max_hold = 3s,
        .at_least = 2s,
        .priority = 7,
        .require_connection = true};
    check_common(o);
    CHECK(detail::to_request(o).at_least == 2s);
    CHECK(detail::to_request(detail::without_wait(o)).at_least == 2s);
    CHECK(detail::to_request(o).priority == 7);
    CHECK(detail::to_request(detail::without_wait(o)).priority == 7);
}

TEST_CASE("a request has all options of an acquire of permits", "[acquire_request]")
{
    permit_try_options const o{
        .wait = 4s,
        .lease = 1s,
        .renew = true,
        .max_hold = 3s,
        .at_least = 2s,
        .weight = 5,
        .require_connection = true};
    check_common(o);
    CHECK(detail::to_request(o).at_least == 2s);
    CHECK(detail::to_request(detail::without_wait(o)).at_least == 2s);
    CHECK(detail::to_request(o).weight == 5);
    CHECK(detail::to_request(detail::without_wait(o)).weight == 5);
}

TEST_CASE("a request has all options of a campaign", "[acquire_request]")
{
    campaign_options const o{.wait = 4s, .lease = 1s, .max_hold = 3s, .priority = 7, .require_connection = true};
    auto const request = detail::to_request(o);
    CHECK(request.wait == 4s);
    CHECK(request.lease == 1s);
    CHECK(request.renew);
    CHECK(request.max_hold == 3s);
    CHECK(request.priority == 7);
    CHECK(request.require_connection);
}

}  // namespace acquire_request_test
}  // namespace holdfast::test
