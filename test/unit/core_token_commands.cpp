//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/token_commands.hpp"

namespace holdfast::core {
namespace core_token_commands_test {

using namespace std::chrono_literals;
using state = token_commands::state;

constexpr instant start{};

struct event {
    enum class kind { sent, answered, unknown, barrier };
    event::kind what;
    duration when = {};
};

constexpr event sent{event::kind::sent};
constexpr event answered(duration when)
{
    return {event::kind::answered, when};
}
constexpr event unknown(duration when)
{
    return {event::kind::unknown, when};
}
constexpr event barrier(duration when)
{
    return {event::kind::barrier, when};
}

token_commands after(std::vector<event> const& scenario)
{
    token_commands c;
    for (auto const& e : scenario)
        switch (e.what) {
            case event::kind::sent: c.on_sent(); break;
            case event::kind::answered: c.on_answered(start + e.when, true); break;
            case event::kind::unknown: c.on_answered(start + e.when, false); break;
            case event::kind::barrier: c.on_barrier(start + e.when); break;
        }
    return c;
}

TEST_CASE("a sent command may be executed until it is answered or a new epoch opens", "[token_commands]")
{
    struct {
        char const* title;
        std::vector<event> scenario;
        state end;
        instant settled;
    } const table[] = {
        {"nothing was sent", {}, state::settled, instant::min()},
        {"sent", {sent}, state::pending, never},
        {"answered", {sent, answered(1s)}, state::settled, start + 1s},
        {"unknown", {sent, unknown(1s)}, state::doubtful, never},
        {"unknown, then a new epoch", {sent, unknown(1s), barrier(5s)}, state::settled, start + 5s},
        {"a later one was answered: so was this", {sent, sent, unknown(1s), answered(2s)}, state::settled, start + 2s},
        {"a later one is unknown", {sent, sent, answered(1s), unknown(2s)}, state::doubtful, never},
        {"a later one is under way", {sent, sent, answered(1s)}, state::pending, never},
        {"answered after a new epoch", {sent, unknown(1s), sent, answered(6s)}, state::settled, start + 6s},
        {"a new epoch without doubt", {sent, answered(1s), barrier(5s)}, state::settled, start + 1s},
        {"doubt, settled, doubt", {sent, unknown(1s), barrier(2s), sent, unknown(3s)}, state::doubtful, never},
    };
    for (auto const& row : table) {
        CAPTURE(row.title);
        auto const c = after(row.scenario);
        CHECK(c.current_state() == row.end);
        CHECK(c.settled() == row.settled);
    }
}

TEST_CASE("a release is given up one lease time after the last command that can have set the key", "[token_commands]")
{
    auto const lease = 30s;
    auto const margin = drift(lease);
    struct {
        char const* title;
        instant queued;
        instant settled;
        instant expiry;
    } const table[] = {
        {"all were answered before", start + 10s, start + 1s, start + 40s + margin},
        {"nothing was ever sent", start + 10s, instant::min(), start + 40s + margin},
        {"a renewal was answered after the release was queued", start + 10s, start + 12s, start + 42s + margin},
        {"a new epoch settled it", start + 10s, start + 100s, start + 130s + margin},
        {"one may still be executed", start + 10s, never, never},
    };
    for (auto const& row : table) {
        CAPTURE(row.title);
        CHECK(key_expiry(row.queued, row.settled, lease) == row.expiry);
    }
}

}  // namespace core_token_commands_test
}  // namespace holdfast::core
