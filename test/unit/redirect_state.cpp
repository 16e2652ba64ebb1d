//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/redirect_state.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace redirect_state_test {

using enum redirect_state;
using event = redirect_event;

constexpr redirect_transition take(redirect_state s)
{
    return {s, true};
}

constexpr redirect_transition stay(redirect_state s)
{
    return {s, false};
}

TEST_CASE("redirect: MOVED of the primary is followed, but not twice between two maps", "[router][cluster]")
{
    CHECK(next(mapped, event::moved) == take(redirected));
    CHECK(next(upheld, event::moved) == take(redirected));
    CHECK(next(redirected, event::moved) == stay(disputed));
    CHECK(next(disputed, event::moved) == stay(disputed));
}

TEST_CASE("redirect: MOVED stands against a map that names its sender", "[router][cluster]")
{
    CHECK(next(redirected, event::map_sender) == stay(upheld));
    CHECK(next(upheld, event::map_sender) == stay(upheld));
}

TEST_CASE("redirect: any other map decides", "[router][cluster]")
{
    for (auto const s : {mapped, redirected, upheld, disputed})
        CHECK(next(s, event::map_other) == take(mapped));
    CHECK(next(mapped, event::map_sender) == take(mapped));
}

TEST_CASE("redirect: the next map decides when the node that MOVED has named is in doubt", "[router][cluster]")
{
    CHECK(next(redirected, event::doubted) == stay(disputed));
    CHECK(next(upheld, event::doubted) == stay(disputed));
    CHECK(next(disputed, event::doubted) == stay(disputed));
    CHECK(next(mapped, event::doubted) == stay(mapped));
    CHECK(next(disputed, event::map_sender) == take(mapped));
}

}  // namespace redirect_state_test
}  // namespace holdfast::engine
