//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random programs over the public API against a model of what the headers promise: README.md of this folder.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "oracle/generator.hpp"
#include "oracle/hunt.hpp"
#include "oracle/model.hpp"
#include "oracle/model_latch.hpp"
#include "oracle/not_yet.hpp"
#include "oracle/runner.hpp"
#include "oracle/settings.hpp"
#include "oracle/shrink.hpp"

namespace holdfast::test::oracle {
namespace {

std::string describe(finding const& f, program const& p)
{
    return "the promise \"" + f.check + "\" is broken by seed " + std::to_string(p.seed) + ":\n  " + f.text
           + "\nThe shrunken program, to be replayed with HOLDFAST_ORACLE_PROGRAM=FILE:\n" + to_text(p);
}

TEST_CASE("the library keeps every promise of its headers in random programs over the public API", "[oracle]")
{
    if (std::getenv("HOLDFAST_ORACLE_PROGRAM") != nullptr)
        SKIP("a single program is replayed");
    auto const r = hunt(number_or("HOLDFAST_ORACLE_SEED", 1), number_or("HOLDFAST_ORACLE_STEPS", 100'000));
    if (r.broken)
        FAIL(describe(*r.broken, r.shrunken));
    std::printf(
        "figure  oracle: %llu programs, %llu operations, %llu leases\n",
        static_cast<unsigned long long>(r.programs),
        static_cast<unsigned long long>(r.operations),
        static_cast<unsigned long long>(r.grants));
    CHECK(r.grants > r.operations / 50);
}

TEST_CASE(
    "the library keeps its promises in the simulator in the program that HOLDFAST_ORACLE_PROGRAM names", "[oracle]")
{
    auto const* file = std::getenv("HOLDFAST_ORACLE_PROGRAM");
    if (file == nullptr)
        SKIP("no program is given");
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    auto const p = parse(text.str());
    auto const r = run(p, true);
    WARN(r.trace);
    if (r.broken)
        FAIL(describe(*r.broken, p));
}

// Shrunk programs that once found a broken promise. The faults depended on moments that a test can hardly choose.
constexpr std::string_view once_broken[] = {
    R"(seed 480926
with_lock lock=r1 us=1562
release
try_acquire lock=x@0 slot=1 lease=100
advance us=5000
acquire lock=x@0
release slot=1
advance us=1000
disconnect
acquire lock=x@0
advance us=10000000
with_lock lock=x@0 wait=1
)",
    R"(seed 89257
try_acquire lock=multi_red
advance us=4000
destroy
)",
    R"(seed 193603
try_acquire lock=d0w
lost
acquire lock=d0r
advance us=25000
try_acquire lock=d0r owner=0 lease=100
acquire lock=d0r owner=0
advance us=2500
acquire lock=d0r owner=0 lease=100 renew=1
advance us=1526
release keep=1
release
acquire lock=d0r owner=0
advance us=250000
)",
    R"(seed 590629
acquire lock=d1w owner=0
advance us=6250
acquire lock=d1r
try_acquire lock=d1w owner=0 slot=1
try_acquire lock=d1r owner=0
advance us=3000
try_acquire lock=d1r owner=0 lease=max
advance us=3125
restart us=2500000
)",
    R"(seed 219246
acquire lock=d1r
force_release lock=d1w
lost
downgrade
advance us=1000
try_acquire process=1 lock=multi_red max_hold=25
advance us=50000
lost slot=1
try_acquire process=1 lock=multi_red wait=5
advance us=5000
)",
    // A fault of the model: the client is frozen before it sends the release.
    R"(seed 41816554
acquire lock=d0w owner=0
advance us=1000000
acquire lock=d0w owner=0 slot=3
acquire lock=multi_mixed
drop slot=3
freeze us=250000
advance us=200000
)",
    // A fault of the model: the wait ends before the replicas have acknowledged the grant of another read, and then its own.
    R"(seed 88317 sentinels
try_acquire lock=d2r keep=1
advance us=6250
acquire lock=d2r owner=1
extend
try_acquire lock=d2r wait=50
advance us=5000
)",
    // A fault of the model: the extension waits for the question of the other grant before its own.
    R"(seed 292047 sentinels
try_acquire lock=s0
advance us=50000
extend by=1
try_acquire lock=s0
advance us=2500
lose_replies
advance us=25000
)",
    // A fault of the model: a re-entry joins a grant of 60 s that has been at risk for 10 s.
    R"(seed 385261
try_acquire lock=r0 owner=1 lease=60000 renew=1
advance us=6250
deny how=1 us=80000
disconnect
advance us=10000000
acquire lock=r0 owner=1
)",
    // A fault of the model: the master is paused for ever, but a failover replaces it.
    R"(seed 404223 sentinels
pause
try_acquire process=1 lock=f0
advance us=5000
fail_over
try_acquire lock=f0
advance us=500000
)",
    // A fault of the model: the script of the inner acquire is denied PEXPIRE after it has written a permit.
    R"(seed 647566
acquire process=1 lock=g0
advance us=4000
deny how=1
with_lock process=1 lock=g0 inner=s2
try_acquire lock=s2
advance us=2500
)"};

TEST_CASE("the library keeps its promises in the programs that once found a fault", "[oracle]")
{
    for (auto const text : once_broken) {
        auto const p = parse(std::string(text));
        auto const r = run(p);
        CAPTURE(text);
        CHECK(r.broken.value_or(finding{}).text == "");
    }
}

// For work on the oracle or the library: counts which promises are broken, with an example of each.
// HOLDFAST_ORACLE_CHECK restricts it to one check.
TEST_CASE("a survey counts how often random programs find each promise broken", "[.survey]")
{
    auto const first = number_or("HOLDFAST_ORACLE_SEED", 1);
    auto const examples = number_or("HOLDFAST_ORACLE_EXAMPLES", 1);
    auto const* only = std::getenv("HOLDFAST_ORACLE_CHECK");
    std::map<std::string, unsigned> found;
    std::string report;
    auto const count = number_or("HOLDFAST_ORACLE_PROGRAMS", 500);
    for (auto seed = first; seed < first + count; ++seed) {
        auto const p = generate(seed);
        auto const broken = run_in_fork(p);
        if (!broken || (only && broken->check != only) || ++found[broken->check] > examples)
            continue;
        auto const small = shrink(p, [&](program const& candidate) {
            if (without_exclusions(candidate).steps != candidate.steps)
                return false;
            auto const again = run_in_fork(candidate);
            return again && again->check == broken->check;
        });
        report += describe(run_in_fork(small).value_or(*broken), small) + "\n";
    }
    for (auto const& [check, times] : found)
        report += check + ": " + std::to_string(times) + " of " + std::to_string(count) + " programs\n";
    std::puts(report.c_str());
}

// The first promise that is broken if an owner gets its lock once more after the body of its with_lock has ended.
std::optional<finding> enter_again(bool with_lock_has_ended)
{
    auto const steps = parse("seed 1\nwith_lock lock=g0 owner=0 at_least=200\nacquire lock=g0 owner=0\n").steps;
    model of({});
    auto const at = [](int ms) { return core::instant(std::chrono::milliseconds(1'000 + ms)); };
    auto const lease = [](unsigned count) {
        return lease_view{
            .state = lease_state::held,
            .left_least = std::chrono::milliseconds(2'800),
            .left_most = std::chrono::milliseconds(2'900),
            .token = 1,
            .hold_count = count,
            .name = "g0",
            .has_owner = true};
    };
    auto& outer = of.launch(steps[0], at(0));
    of.body_ended(of.body_began(outer, at(1), lease(1)), at(2));
    if (with_lock_has_ended)
        of.with_lock_ended(outer, at(3), {}, true);
    of.acquired(of.launch(steps[1], at(4)), at(5), {}, lease(2));
    return of.first();
}

TEST_CASE("an owner may enter again until with_lock has released its lease, and not after it", "[oracle]")
{
    CHECK(enter_again(false).value_or(finding{}).text == "");
    CHECK(enter_again(true).value_or(finding{}).check == "at_least_keeps_a_lock_taken");
}

TEST_CASE("a set that a removal overlaps with may have come after it", "[oracle]")
{
    using std::chrono::milliseconds;
    auto const at = [](int ms) { return core::instant(milliseconds(ms)); };
    latch_model l;
    l.launched_set(1, at(0));
    CHECK(l.set(1, {at(0), at(1)}, 2, true).empty());
    bool const is_over = GENERATE(false, true);
    int const removal = is_over ? 20 : 11;
    l.launched_set(2, at(10));
    if (is_over)
        CHECK(l.set(2, {at(10), at(15)}, 3, false).empty());
    l.launched_remove(3);
    if (!is_over)
        CHECK(l.set(2, {at(10), at(15)}, 3, true).empty());
    l.removed(3, {at(removal), at(30)}, true);
    CHECK(l.opened({at(31), at(32)}).empty() != is_over);
}

TEST_CASE("a program is the same after it is printed and parsed", "[oracle]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        auto const p = generate(seed);
        auto const again = parse(to_text(p));
        REQUIRE(again.seed == p.seed);
        REQUIRE(again.is_cluster == p.is_cluster);
        REQUIRE(again.is_watched == p.is_watched);
        REQUIRE(again.steps == p.steps);
    }
}

TEST_CASE("a failing program is shrunk to the steps that it needs to fail", "[oracle]")
{
    auto const p = generate(7);
    auto const needed = [](program const& candidate) {
        int advances = 0;
        for (auto const& s : candidate.steps)
            advances += s.what == verb::advance;
        return advances >= 2;
    };
    REQUIRE(needed(p));
    auto const small = shrink(p, needed);
    CHECK(small.steps.size() == 2);
    CHECK(needed(small));
}

}  // namespace
}  // namespace holdfast::test::oracle
