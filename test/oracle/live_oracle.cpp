//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random programs over the public API against a model of what the headers promise, on real servers: see README.md of
// this folder.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "oracle/live_hunt.hpp"
#include "oracle/live_program.hpp"
#include "oracle/settings.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test::oracle {
namespace {

std::string describe(finding const& f, program const& p)
{
    return "the promise \"" + f.check + "\" is broken by seed " + std::to_string(p.seed) + ":\n  " + f.text
           + "\nThe program, to be run again and again with HOLDFAST_ORACLE_PROGRAM=FILE:\n" + to_text(p);
}

void hunt_with(unsigned threads)
{
    if (std::getenv("HOLDFAST_ORACLE_PROGRAM") != nullptr)
        SKIP("a single program is replayed");
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    auto const r = hunt_live(
        {.first = number_or("HOLDFAST_ORACLE_SEED", 1),
         .operations = number_or("HOLDFAST_ORACLE_STEPS", 2'000),
         .threads = threads,
         .lanes = unsigned(number_or("HOLDFAST_ORACLE_LANES", 12))});
    if (r.broken)
        FAIL(describe(*r.broken, r.shrunken));
    std::printf(
        "figure  live oracle, %u thread(s): %llu programs, %llu operations, %llu leases\n",
        threads,
        static_cast<unsigned long long>(r.programs),
        static_cast<unsigned long long>(r.operations),
        static_cast<unsigned long long>(r.grants));
    CHECK(r.grants > r.operations / 50);
}

TEST_CASE(
    "the library keeps every promise of its headers in random programs on real servers, with one thread",
    "[oracle][live]")
{
    hunt_with(1);
}

TEST_CASE(
    "the library keeps every promise of its headers in random programs on real servers, with four threads",
    "[oracle][live]")
{
    hunt_with(4);
}

TEST_CASE(
    "the library keeps its promises on real servers in the program that HOLDFAST_ORACLE_PROGRAM names",
    "[oracle][live]")
{
    auto const* file = std::getenv("HOLDFAST_ORACLE_PROGRAM");
    if (file == nullptr)
        SKIP("no program is given");
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    auto const r = run_live(
        parse(text.str()),
        unsigned(number_or("HOLDFAST_ORACLE_REPEAT", 50)),
        unsigned(number_or("HOLDFAST_ORACLE_THREADS", 4)));
    if (r.broken)
        FAIL(describe(*r.broken, r.shrunken));
}

}  // namespace
}  // namespace holdfast::test::oracle
