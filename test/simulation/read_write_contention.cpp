//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random contests of readers and writers: readers overlap only readers, every contender completes, nothing is left.

#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto read_write = contested_kind::read_write;

TEST_CASE("read-write locks keep exclusion and prompt progress without faults", "[read_write_contention]")
{
    run_contests({.kind = read_write, .is_prompt = true}, seeds_or(2'000));
}

TEST_CASE("read-write locks keep exclusion and progress when acquires are cancelled", "[read_write_contention]")
{
    run_contests({.kind = read_write, .cancel = 0.5}, seeds_or(2'000));
}

TEST_CASE(
    "read-write locks keep exclusion and prompt progress when network writes are split", "[read_write_contention]")
{
    run_contests(
        {.processes = 3,
         .contenders = 1,
         .rounds = 4,
         .locks = 1,
         .kind = read_write,
         .longest_hold = 5ms,
         .is_prompt = true,
         .faults = {.split_write = 0.5, .early_push = 0.5},
         .network = {.delay = {100us, 5ms}}},
        seeds_or(2'000));
}

TEST_CASE("read-write locks keep exclusion and progress when every push is dropped", "[read_write_contention]")
{
    run_contests({.kind = read_write, .cancel = 0.2, .faults = {.drop_push = 1}}, seeds_or(500));
}

TEST_CASE(
    "read-write locks keep exclusion and progress when the network loses and delays commands",
    "[read_write_contention]")
{
    run_contests(
        {.kind = read_write,
         .cancel = 0.2,
         .faults = {.lose_request = 0.01, .lose_reply = 0.02, .delay_request = 0.02, .disconnect = 0.02}},
        seeds_or(2'000));
}

TEST_CASE("read-write locks keep exclusion and progress when processes pause or are killed", "[read_write_contention]")
{
    run_contests(
        {.processes = 3, .kind = read_write, .cancel = 0.2, .kill = 0.5, .pause = 0.5, .faults = {.disconnect = 0.01}},
        seeds_or(1'000));
}

TEST_CASE(
    "read-write locks keep exclusion and progress when the server pauses and loses its scripts",
    "[read_write_contention]")
{
    run_contests(
        {.kind = read_write, .cancel = 0.2, .faults = {.pause_server = 0.01, .flush_scripts = 0.05}}, seeds_or(500));
}

TEST_CASE(
    "contenders for read-write locks make progress when the server restarts without its data",
    "[read_write_contention]")
{
    run_contests(
        {.kind = read_write,
         .cancel = 0.2,
         .data_is_safe = false,
         .faults = {.disconnect = 0.01, .restart_server = 0.01, .delete_key = 0.02}},
        seeds_or(500));
}

}  // namespace
}  // namespace holdfast::test
