//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The terms on which a grant is held, as tables.

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/validity.hpp"
#include "engine/hold/terms.hpp"

namespace holdfast::engine {
namespace engine_terms_test {

using namespace std::chrono_literals;

constexpr core::instant start{};
constexpr core::duration unlimited = core::duration::max();

struct one_hold {
    terms wanted;
    core::duration began = 0s;  // after the start
    bool is_taken_up = true;

    hold made() const { return {wanted, start + began, start + began}; }
};

demand demand_of(std::vector<one_hold> const& holds)
{
    demand all;
    for (auto const& h : holds)
        all.add(h.made(), h.is_taken_up);
    return all;
}

constexpr terms fixed(core::duration lease, core::duration max_hold = 0s)
{
    return {.lease = lease, .max_hold = max_hold, .renewed = false};
}

constexpr terms renewed(core::duration lease, core::duration max_hold = 0s)
{
    return {.lease = lease, .max_hold = max_hold, .renewed = true};
}

constexpr terms staying(core::duration lease, core::duration at_least)
{
    return {.lease = lease, .at_least = at_least};
}

TEST_CASE("a grant lasts for at_least, a fixed hold of it only for its lease time", "[terms]")
{
    CHECK(staying(1s, 5s).time_to_live() == 5s);
    CHECK(staying(5s, 1s).time_to_live() == 5s);
    CHECK(renewed(3s).time_to_live() == 3s);
    CHECK(usable(staying(1s, 5s), 5s) == 5s);
    CHECK(usable(fixed(1s), 5s) == 1s);
    CHECK(usable(fixed(10s), 5s) == 5s);
}

TEST_CASE("a hold with at_least keeps the lock from its beginning on, others do not", "[terms]")
{
    CHECK(hold(staying(1s, 5s), start + 2s, start).kept_until() == start + 7s);
    CHECK(hold(renewed(3s), start, start).kept_until() == core::instant::min());
}

TEST_CASE("a hold ends by its own terms or with the grant, whichever is earlier", "[terms]")
{
    struct {
        char const* what;
        one_hold of;
        core::duration grant_end;
        core::duration end;
    } const rows[] = {
        {"a renewed hold lasts as long as the grant", {renewed(3s)}, 10s, 10s},
        {"a fixed hold ends with its lease time", {fixed(1s)}, 10s, 1s - 12ms},
        {"a fixed hold ends with the grant if that is earlier", {fixed(20s)}, 10s, 10s},
        {"a fixed hold counts from its own beginning", {fixed(1s), 5s}, 10s, 6s - 12ms},
        {"max_hold caps a renewed hold", {renewed(3s, 7s)}, 10s, 7s},
        {"max_hold counts from the hold's own beginning", {renewed(3s, 4s), 5s}, 10s, 9s},
        {"max_hold caps a fixed hold that is longer", {fixed(5s, 2s)}, 10s, 2s},
        {"a longer max_hold does not lengthen a fixed hold", {fixed(1s, 2s)}, 10s, 1s - 12ms},
    };
    for (auto const& r : rows) {
        INFO(r.what);
        CHECK(r.of.made().valid_until(start + r.grant_end) == start + r.end);
    }
}

TEST_CASE("a loss has the cause max_hold if and only if max_hold ended the hold", "[terms]")
{
    auto const cause = [](terms const& t, core::duration grant_end) {
        hold const h(t, start, start);
        return h.is_capped_at(h.valid_until(start + grant_end));
    };
    CHECK(cause(renewed(3s, 7s), 10s));
    CHECK_FALSE(cause(renewed(3s, 7s), 5s));
    CHECK_FALSE(cause(fixed(1s, 7s), 10s));
    CHECK_FALSE(cause(renewed(3s), 10s));
}

TEST_CASE("the time between a reported loss and the end of validity depends on the hold's own terms", "[terms]")
{
    CHECK(hold(fixed(100ms), start, start).stop_margin(unlimited) == 2ms);
    CHECK(hold(renewed(30s), start, start).stop_margin(unlimited) == 100ms);
    CHECK(hold(renewed(30s), start, start).stop_margin(500ms) == 10ms);
    CHECK(hold(renewed(30s, 500ms), start, start).stop_margin(unlimited) == 10ms);
}

TEST_CASE("the holds of a grant together decide the requested lease time and whether it is renewed", "[terms]")
{
    struct {
        char const* what;
        std::vector<one_hold> holds;
        core::duration requested;
        bool is_renewed;
        core::duration pace;
    } const rows[] = {
        {"a fixed hold requires nothing more", {{fixed(1s)}}, 0s, false, 1s},
        {"a renewed hold requires its lease time", {{renewed(3s)}}, 3s, true, 3s},
        {"the longest renewed hold decides", {{renewed(200ms)}, {renewed(30s), 1s}}, 30s, true, 30s},
        {"a longer hold that has ended is not requested", {{renewed(200ms)}}, 200ms, true, 200ms},
        {"a fixed hold does not change what is renewed", {{renewed(3s)}, {fixed(60s), 1s}}, 3s, true, 3s},
        {"an inner renewed hold renews the grant", {{fixed(1s)}, {renewed(3s), 500ms}}, 3s, true, 3s},
        {"a hold that is not taken up is watched, but not renewed", {{renewed(3s), 0s, false}}, 0s, true, 3s},
        {"nor does it lengthen the others",
         {{renewed(200ms)}, {.wanted = renewed(30s), .is_taken_up = false}},
         200ms,
         true,
         30s},
    };
    for (auto const& r : rows) {
        INFO(r.what);
        auto const all = demand_of(r.holds);
        CHECK(all.requested == r.requested);
        CHECK(all.is_renewed() == r.is_renewed);
        CHECK(all.pace() == r.pace);
    }
}

TEST_CASE("a re-entry waits for an extension only if neither the grant nor its renewals cover it", "[terms]")
{
    struct {
        char const* what;
        terms wanted;
        core::duration grant_left;
        std::vector<one_hold> present;
        bool needed;
    } const rows[] = {
        {"renewed, as the grant is", renewed(3s), 1s, {{renewed(3s)}}, false},
        {"renewed, shorter than what is renewed", renewed(1s), 500ms, {{renewed(3s)}}, false},
        {"renewed, longer than what is renewed", renewed(30s), 150ms, {{renewed(200ms)}}, true},
        {"renewed, longer, but confirmed already", renewed(30s), 60s, {{renewed(200ms)}}, false},
        {"renewed, into a fixed lease that has time left", renewed(3s), 5s, {{fixed(10s)}}, false},
        {"renewed, into a fixed lease that ends soon", renewed(3s), 1s, {{fixed(10s)}}, true},
        {"fixed, within what is confirmed", fixed(1s), 5s, {{fixed(10s)}}, false},
        {"fixed, beyond what is confirmed", fixed(5s), 1s, {{fixed(10s)}}, true},
        {"fixed, beyond: the renewals may end before it", fixed(3s), 1s, {{renewed(3s)}}, true},
        {"stays taken, as long as is confirmed", staying(1s, 5s), 5s, {{renewed(3s)}}, false},
        {"stays taken longer: renewals end with the process", staying(1s, 2s), 1999ms, {{renewed(3s)}}, true},
    };
    for (auto const& r : rows) {
        INFO(r.what);
        auto const now = start + 1s;
        CHECK(needs_extension(r.wanted, now, now + r.grant_left, demand_of(r.present)) == r.needed);
    }
}

TEST_CASE("an extension moves the end of its own hold, and only to a later time", "[terms]")
{
    hold h(fixed(1s), start, start);
    h.extend(start + 500ms, 5s);
    CHECK(h.own_end() == core::valid_until(start + 500ms, 5s));
    h.extend(start + 600ms, 100ms);
    CHECK(h.own_end() == core::valid_until(start + 500ms, 5s));

    hold endless(renewed(3s), start, start);
    endless.extend(start, 5s);
    CHECK(endless.own_end() == core::never);
    CHECK(endless.valid_until(start + 4s) == start + 4s);
}

TEST_CASE("an extension requests at least the renewed lease time, and may not exceed max_hold", "[terms]")
{
    auto const all = demand_of({{renewed(3s)}, {fixed(60s)}});
    CHECK(all.extension({renewed(3s), start, start}, 1s) == 3s);
    CHECK(all.extension({renewed(3s), start, start}, 60s) == 60s);
    CHECK(all.extension({fixed(1s), start, start}, 1s) == 1s);

    hold const capped(renewed(3s, 7s), start, start);
    CHECK(capped.may_last(start + 1s, 6s));
    CHECK_FALSE(capped.may_last(start + 1s, 6s + 1ms));
    CHECK(hold(renewed(3s), start, start).may_last(start, 1h));
}

TEST_CASE("a grant is handed off only between renewed holds while half of the lease time remains", "[terms]")
{
    CHECK(may_pass_on(renewed(3s), renewed(3s), 1500ms));
    CHECK_FALSE(may_pass_on(renewed(3s), renewed(3s), 1499ms));
    CHECK(may_pass_on(renewed(3s), renewed(1s), 2s));
    CHECK_FALSE(may_pass_on(renewed(1s), renewed(3s), 1s));
    CHECK_FALSE(may_pass_on(fixed(3s), renewed(3s), 3s));
    CHECK_FALSE(may_pass_on(renewed(3s), fixed(3s), 3s));
    CHECK_FALSE(may_pass_on(staying(3s, 1s), renewed(3s), 3s));
    CHECK_FALSE(may_pass_on(renewed(3s), staying(3s, 1s), 3s));
}

}  // namespace engine_terms_test
}  // namespace holdfast::engine
