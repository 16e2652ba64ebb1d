//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every transition of a release, as the table in its header lists it, and its deadlines at their bounds.

#include "engine/release/release_schedule.hpp"

#include <array>
#include <optional>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace release_schedule_test {

using namespace std::chrono_literals;
using schedule = release_schedule;
using state = schedule::state;
using kind = release_step::kind;

constexpr core::duration tick(1);
constexpr core::instant queued = core::instant() + 100s;
constexpr core::duration command_timeout = 2s;
constexpr auto waiter_deadline = queued + command_timeout;
constexpr auto expiry = queued + 30s;
constexpr auto now = queued + 1s;

constexpr release_facts open_at(core::instant when)
{
    return {.now = when, .expiry = expiry, .is_open = true};
}
constexpr release_facts closed_at(core::instant when)
{
    return {.now = when, .expiry = expiry, .is_open = false};
}
constexpr auto is_open = open_at(now);
constexpr auto is_closed = closed_at(now);
constexpr release_facts is_expired{.now = now, .expiry = now, .is_open = true};
constexpr release_facts is_expired_and_closed{.now = now, .expiry = now, .is_open = false};

constexpr std::array all_states{state::waiting, state::pausing, state::under_way, state::ended};

struct release {
    bool in_doubt = false;
    bool has_waiter = true;
};

// A release in that state.
schedule made(state in, release r = {})
{
    schedule s(queued, command_timeout, r.has_waiter);
    if (r.in_doubt) {
        s.begin(true);
        s.on_unanswered(is_closed);
    }
    if (in == state::pausing || in == state::under_way)
        s.on_open();
    if (in == state::pausing)
        s.on_refused({}, is_open);
    if (in == state::ended)
        s.stop();
    REQUIRE(s.current_state() == in);
    return s;
}

struct transition {
    state next;
    release_step step;
};

constexpr transition sends{state::under_way, {.what = kind::send}};
constexpr transition sends_again{state::under_way, {.what = kind::send, .due = waiter_deadline}};
constexpr transition pauses{state::pausing, {.what = kind::pause}};
constexpr transition watches{state::under_way, {.what = kind::arm, .due = waiter_deadline}};
constexpr std::optional<transition> stays;

constexpr transition waits_until(core::instant due)
{
    return {state::waiting, {.what = kind::arm, .due = due}};
}

// The waiter completes with that error; the release is sent again.
transition pauses_without(error_code waiter)
{
    return {state::pausing, {.what = kind::pause, .ends_wait = waiter}};
}

transition ends(error_code ec)
{
    return {state::ended, {.what = kind::end, .outcome = ec}};
}

// An event with its condition, and the transitions to which it leads from each state but ended.
struct row {
    char const* event;
    release_step (*apply)(schedule&);
    std::optional<transition> waiting;
    std::optional<transition> pausing;
    std::optional<transition> under_way;
    std::optional<transition> in_doubt;  // under way, and an earlier send may have been executed

    std::optional<transition> from(state s, bool doubt) const
    {
        switch (s) {
            case state::waiting: return waiting;
            case state::pausing: return pausing;
            case state::under_way: return doubt ? in_doubt : under_way;
            case state::ended: break;
        }
        return stays;
    }
};

void check(row const& r, state from, bool in_doubt)
{
    INFO(r.event << ", state " << static_cast<int>(from) << (in_doubt ? ", in doubt" : ""));
    auto s = made(from, {.in_doubt = in_doubt});
    auto const step = r.apply(s);
    auto const expected = r.from(from, in_doubt).value_or(transition{from, {}});
    CHECK(s.current_state() == expected.next);
    CHECK(step.what == expected.step.what);
    CHECK(step.due == expected.step.due);
    CHECK(step.outcome == expected.step.outcome);
    CHECK(step.ends_wait == expected.step.ends_wait);
}

TEST_CASE("a release follows its table: each event leads from each state to the step given there", "[release_schedule]")
{
    auto const lost = ends(errc::lease_lost);
    auto const gives_up = ends(errc::unavailable);
    auto const denied = pauses_without(errc::not_permitted);
    auto const denied_too_late = transition{
        state::ended, {.what = kind::end, .outcome = errc::unavailable, .ends_wait = errc::not_permitted}};
    auto const stops = ends(errc::client_stopped);
    auto const succeeds = ends({});
    auto const waits = waits_until(waiter_deadline);
    row const rows[] = {
        {"begin(), open", [](schedule& s) { return s.begin(true); }, sends, stays, stays, stays},
        {"begin(), not open", [](schedule& s) { return s.begin(false); }, waits, stays, stays, stays},
        {"on_open()", [](schedule& s) { return s.on_open(); }, sends_again, sends_again, stays, stays},
        {"on_due(), open", [](schedule& s) { return s.on_due(is_open); }, sends_again, sends_again, watches, watches},
        {"on_due(), not open", [](schedule& s) { return s.on_due(is_closed); }, waits, waits, watches, watches},
        {"on_due(), expired", [](schedule& s) { return s.on_due(is_expired); }, gives_up, gives_up, watches, watches},
        {"on_due(), expired and not open",
         [](schedule& s) { return s.on_due(is_expired_and_closed); },
         gives_up,
         gives_up,
         watches,
         watches},
        {"on_applied(), found", [](schedule& s) { return s.on_applied(true); }, stays, stays, succeeds, succeeds},
        {"on_applied(), not found", [](schedule& s) { return s.on_applied(false); }, stays, stays, lost, succeeds},
        {"on_refused(), wrong type",
         [](schedule& s) { return s.on_refused(errc::wrong_type, is_open); },
         stays,
         stays,
         lost,
         lost},
        {"on_refused(), permanent",
         [](schedule& s) { return s.on_refused(errc::not_permitted, is_open); },
         stays,
         stays,
         denied,
         denied},
        {"on_refused(), permanent and expired",
         [](schedule& s) { return s.on_refused(errc::not_permitted, is_expired); },
         stays,
         stays,
         denied_too_late,
         denied_too_late},
        {"on_refused(), no error, open",
         [](schedule& s) { return s.on_refused({}, is_open); },
         stays,
         stays,
         pauses,
         pauses},
        {"on_refused(), the server cannot write now",
         [](schedule& s) { return s.on_refused(errc::server_refused, is_open); },
         stays,
         stays,
         pauses,
         pauses},
        {"on_refused(), no error, not open",
         [](schedule& s) { return s.on_refused({}, is_closed); },
         stays,
         stays,
         waits,
         waits},
        {"on_refused(), no error, expired",
         [](schedule& s) { return s.on_refused({}, is_expired); },
         stays,
         stays,
         gives_up,
         gives_up},
        {"on_moved(), open", [](schedule& s) { return s.on_moved(is_open); }, stays, stays, sends_again, sends_again},
        {"on_moved(), not open", [](schedule& s) { return s.on_moved(is_closed); }, stays, stays, waits, waits},
        {"on_unanswered(), open", [](schedule& s) { return s.on_unanswered(is_open); }, stays, stays, pauses, pauses},
        {"on_unanswered(), not open",
         [](schedule& s) { return s.on_unanswered(is_closed); },
         stays,
         stays,
         waits,
         waits},
        {"on_unanswered(), expired",
         [](schedule& s) { return s.on_unanswered(is_expired); },
         stays,
         stays,
         gives_up,
         gives_up},
        {"on_unanswered(), expired and not open",
         [](schedule& s) { return s.on_unanswered(is_expired_and_closed); },
         stays,
         stays,
         gives_up,
         gives_up},
        {"stop()", [](schedule& s) { return s.stop(); }, stops, stops, stops, stops},
    };
    for (auto const& r : rows)
        for (auto const from : all_states)
            for (bool const in_doubt : {false, true})
                check(r, from, in_doubt);
}

// ---- the transitions on which the rules depend

TEST_CASE("a release that may have been executed stays in doubt over refusals and epochs", "[release_schedule]")
{
    auto s = made(state::under_way);
    s.on_unanswered(is_closed);
    s.on_open();
    s.on_refused({}, is_open);
    s.on_due(is_open);
    CHECK(s.on_applied(false).outcome == error_code());
}

TEST_CASE("a release that was only refused before is lost if the key does not have its token", "[release_schedule]")
{
    auto s = made(state::pausing);
    s.on_due(is_open);
    CHECK(s.on_applied(false).outcome == errc::lease_lost);
}

TEST_CASE("a missing right is a permanent refusal, and a server that cannot write now is not", "[release_schedule]")
{
    CHECK_FALSE(is_permanent({}));
    CHECK_FALSE(is_permanent(errc::server_refused));
    CHECK_FALSE(is_permanent(errc::wrong_type));
    CHECK(is_permanent(errc::not_permitted));
    CHECK(is_permanent(errc::protocol));
}

// ---- the waiter's deadline

TEST_CASE("a release that is queued without a connection is checked after command_timeout", "[release_schedule]")
{
    for (bool const has_waiter : {false, true}) {
        auto s = made(state::waiting, {.has_waiter = has_waiter});
        CHECK(s.begin(false).due == waiter_deadline);
    }
}

TEST_CASE("the wait for a release ends once, command_timeout after it was queued", "[release_schedule]")
{
    for (auto const from : {state::waiting, state::pausing, state::under_way}) {
        INFO("state " << static_cast<int>(from));
        auto s = made(from);
        CHECK_FALSE(s.on_due(open_at(waiter_deadline - tick)).ends_wait);
        CHECK(s.on_due(open_at(waiter_deadline)).ends_wait);
        CHECK_FALSE(s.on_due(open_at(waiter_deadline)).ends_wait);
    }
}

TEST_CASE("the waiter's deadline ends no wait for a release that has ended or has no waiter", "[release_schedule]")
{
    for (auto const from : all_states)
        CHECK_FALSE(made(from, {.has_waiter = false}).on_due(open_at(waiter_deadline)).ends_wait);
    CHECK_FALSE(made(state::ended).on_due(open_at(waiter_deadline)).ends_wait);
}

TEST_CASE("a wait ends in time although the connection is lost, or opens, during a pause", "[release_schedule]")
{
    auto lost = made(state::pausing);
    auto const step = lost.on_due(closed_at(waiter_deadline - 1s));
    CHECK((step.what == kind::arm && step.due == waiter_deadline));
    CHECK(lost.on_due(closed_at(step.due)).ends_wait);

    auto opened = made(state::pausing);
    opened.on_open();
    CHECK(opened.on_due(open_at(waiter_deadline - 1s)).due == waiter_deadline);
    CHECK(opened.on_due(open_at(waiter_deadline)).ends_wait);
}

TEST_CASE("a wait ends in time although the release is sent again, and then unanswered", "[release_schedule]")
{
    for (auto const from : {state::waiting, state::pausing}) {
        CHECK(made(from).on_open().due == waiter_deadline);
        CHECK(made(from).on_due(is_open).due == waiter_deadline);
        // Without a waiter no deadline is armed.
        CHECK(made(from, {.has_waiter = false}).on_open().due == core::never);
    }
    CHECK(made(state::under_way).on_moved(is_open).due == waiter_deadline);
}

TEST_CASE("a release continues after its wait has ended", "[release_schedule]")
{
    struct {
        state from;
        release_facts facts;
        transition expected;
    } const rows[] = {
        {state::waiting, open_at(waiter_deadline), sends},
        {state::pausing, open_at(waiter_deadline), sends},
        {state::waiting, closed_at(waiter_deadline), waits_until(expiry)},
        {state::pausing, closed_at(waiter_deadline), waits_until(expiry)},
        {state::under_way, closed_at(waiter_deadline), {state::under_way, {}}},
        {state::waiting, closed_at(expiry), ends(errc::unavailable)},
    };
    for (auto const& [from, facts, expected] : rows) {
        INFO("state " << static_cast<int>(from) << (facts.is_open ? ", open" : ", not open"));
        auto s = made(from);
        auto const step = s.on_due(facts);
        CHECK(step.ends_wait);
        CHECK(s.current_state() == expected.next);
        CHECK(step.what == expected.step.what);
        CHECK(step.due == expected.step.due);
        CHECK(step.outcome == expected.step.outcome);
    }
}

TEST_CASE("a release without a connection waits for its expiry or, before it, for its waiter", "[release_schedule]")
{
    struct {
        char const* title;
        bool has_waiter;
        core::instant now;
        core::instant expiry;
        core::instant due;
    } const rows[] = {
        {"no waiter", false, now, expiry, expiry},
        {"no waiter, the expiry is not known", false, now, core::never, core::never},
        {"a waiter", true, now, expiry, waiter_deadline},
        {"a waiter, the expiry is not known", true, now, core::never, waiter_deadline},
        {"a waiter, the expiry is earlier", true, now, now + tick, now + tick},
        {"a waiter whose deadline has come", true, waiter_deadline, expiry, waiter_deadline},
        {"a waiter whose deadline has passed", true, waiter_deadline + tick, expiry, waiter_deadline + tick},
    };
    for (auto const& r : rows) {
        CAPTURE(r.title);
        release_facts const facts{.now = r.now, .expiry = r.expiry, .is_open = false};
        CHECK(made(state::under_way, {.has_waiter = r.has_waiter}).on_unanswered(facts).due == r.due);
        CHECK(made(state::under_way, {.has_waiter = r.has_waiter}).on_refused({}, facts).due == r.due);
    }
}

// ---- the expiry of the key

TEST_CASE("a release is given up at the expiry of its key, not before", "[release_schedule]")
{
    for (auto const& before : {open_at(expiry - tick), closed_at(expiry - tick)}) {
        CHECK(made(state::waiting).on_due(before).what != kind::end);
        CHECK(made(state::pausing).on_due(before).what != kind::end);
        CHECK(made(state::under_way).on_unanswered(before).what != kind::end);
        CHECK(made(state::under_way).on_refused({}, before).what != kind::end);
    }
    for (auto const& at : {open_at(expiry), closed_at(expiry)}) {
        CHECK(made(state::waiting).on_due(at).outcome == errc::unavailable);
        CHECK(made(state::pausing).on_due(at).outcome == errc::unavailable);
        CHECK(made(state::under_way).on_unanswered(at).outcome == errc::unavailable);
        CHECK(made(state::under_way).on_refused({}, at).outcome == errc::unavailable);
    }
}

// ---- pauses

TEST_CASE(
    "the pauses of a release double from 10 ms to 1 s, and jitter shortens each by up to half", "[release_schedule]")
{
    release const r{.has_waiter = false};
    auto shortest = made(state::pausing, r);
    auto longest = made(state::pausing, r);
    for (auto const pause : {10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 640ms, 1000ms, 1000ms}) {
        core::duration const half = pause / 2;
        CHECK(shortest.pause_end(now, 0) == now + half);
        CHECK(longest.pause_end(now, static_cast<std::uint64_t>((half - tick).count())) == now + pause - tick);
    }
}

TEST_CASE("the waiter's deadline ends a pause early", "[release_schedule]")
{
    CHECK(made(state::pausing).pause_end(waiter_deadline - 5ms - tick, 0) == waiter_deadline - tick);
    CHECK(made(state::pausing).pause_end(waiter_deadline - 5ms + tick, 0) == waiter_deadline);
    CHECK(made(state::pausing).pause_end(waiter_deadline, 0) == waiter_deadline);
    // A reply that comes later: the deadline is due at once, not in the past.
    CHECK(made(state::pausing).pause_end(waiter_deadline + 1s, 0) == waiter_deadline + 1s);
}

TEST_CASE("a pause has its whole length after the wait has ended", "[release_schedule]")
{
    auto s = made(state::under_way);
    s.on_due(open_at(waiter_deadline));
    s.on_refused({}, open_at(waiter_deadline));
    CHECK(s.pause_end(waiter_deadline, 0) == waiter_deadline + 5ms);
}

}  // namespace release_schedule_test
}  // namespace holdfast::engine
