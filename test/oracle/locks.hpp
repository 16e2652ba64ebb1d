//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_LOCKS_HPP
#define HOLDFAST_TEST_ORACLE_LOCKS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "oracle/program.hpp"

namespace holdfast::test::oracle {

enum class kind : std::uint8_t { mutex, reentrant, fair, read, write, multi, red, semaphore, election, latch };

inline constexpr unsigned server_count = 3;
inline constexpr unsigned process_count = 2;

// One lock that programs use. One name is one kind, as the contract requires.
struct lock_design {
    std::string_view name;  // in programs
    oracle::kind kind;
    std::string_view key;  // its name on the server
    unsigned server = 0;
    bool fencing = false;
    int prefer = 0;                             // of a read/write lock
    std::int64_t peer_watchdog = 30'000;        // of a read/write lock, ms
    std::span<std::size_t const> members = {};  // of a composite: indices into the table
    unsigned permits = 0;                       // of a semaphore; with fencing it is numbered
    bool has_queue = false;                     // of a semaphore: it is fair
};

namespace members {
inline constexpr std::array<std::size_t, 2> two_mutexes{0, 1};
inline constexpr std::array<std::size_t, 3> mixed{3, 5, 8};
inline constexpr std::array<std::size_t, 3> two_servers{0, 13, 2};
inline constexpr std::array<std::size_t, 3> quorum{14, 15, 16};
inline constexpr std::array<std::size_t, 3> fenced_quorum{17, 18, 19};
inline constexpr std::array<std::size_t, 3> owned_quorum{20, 21, 22};
inline constexpr std::array<std::size_t, 2> red_and_mutex{26, 0};
inline constexpr std::array<std::size_t, 2> red_and_its_member{26, 14};
}  // namespace members

inline constexpr std::array<lock_design, 38> locks{{
    {"m0", kind::mutex, "m0"},                                                        // 0
    {"m1", kind::mutex, "m1"},                                                        // 1
    {"f0", kind::mutex, "f0", 0, true},                                               // 2
    {"r0", kind::reentrant, "r0"},                                                    // 3
    {"g0", kind::reentrant, "g0", 0, true},                                           // 4
    {"q0", kind::fair, "q0"},                                                         // 5
    {"q1", kind::fair, "q1", 0, true},                                                // 6
    {"d0r", kind::read, "d0"},                                                        // 7
    {"d0w", kind::write, "d0"},                                                       // 8
    {"d1r", kind::read, "d1", 0, false, 2, 0},                                        // 9
    {"d1w", kind::write, "d1", 0, false, 2, 0},                                       // 10
    {"d2r", kind::read, "d2", 0, true, 1, 1'000},                                     // 11
    {"d2w", kind::write, "d2", 0, true, 1, 1'000},                                    // 12
    {"n0", kind::mutex, "n0", 1},                                                     // 13
    {"x@0", kind::mutex, "x", 0},                                                     // 14
    {"x@1", kind::mutex, "x", 1},                                                     // 15
    {"x@2", kind::mutex, "x", 2},                                                     // 16
    {"y@0", kind::mutex, "y", 0, true},                                               // 17
    {"y@1", kind::mutex, "y", 1, true},                                               // 18
    {"y@2", kind::mutex, "y", 2, true},                                               // 19
    {"z@0", kind::reentrant, "z", 0},                                                 // 20
    {"z@1", kind::reentrant, "z", 1},                                                 // 21
    {"z@2", kind::reentrant, "z", 2},                                                 // 22
    {"multi2", kind::multi, "", 0, false, 0, 0, members::two_mutexes},                // 23
    {"multi_mixed", kind::multi, "", 0, false, 0, 0, members::mixed},                 // 24
    {"multi_servers", kind::multi, "", 0, false, 0, 0, members::two_servers},         // 25
    {"red", kind::red, "x", 0, false, 0, 0, members::quorum},                         // 26
    {"red_fenced", kind::red, "y", 0, true, 0, 0, members::fenced_quorum},            // 27
    {"red_owned", kind::red, "z", 0, false, 0, 0, members::owned_quorum},             // 28
    {"multi_red", kind::multi, "", 0, false, 0, 0, members::red_and_mutex},           // 29
    {"multi_red_own", kind::multi, "", 0, false, 0, 0, members::red_and_its_member},  // 30
    {"r1", kind::reentrant, "r1", 1},                                                 // 31
    {"s0", kind::semaphore, "s0", 0, false, 0, 0, {}, 4},                             // 32
    {"s1", kind::semaphore, "s1", 0, false, 0, 0, {}, 3, true},                       // 33
    {"s2", kind::semaphore, "s2", 0, true, 0, 0, {}, 2},                              // 34
    {"e0", kind::election, "e0", 0, true},                                            // 35
    {"l0", kind::latch, "l0"},                                                        // 36
    {"l1", kind::latch, "l1", 1},                                                     // 37
}};

// Latches stand last in the table. They have other operations.
inline constexpr std::size_t first_latch = 36;

// Any number refers to a lock, so that every program is valid.
inline lock_design const& design_of(std::int64_t lock)
{
    return locks[static_cast<std::uint64_t>(lock) % locks.size()];
}

// Any number refers to a process, and any number to a server.
inline std::int64_t process_of(step const& s)
{
    return s.get(field::process) % std::int64_t(process_count);
}

inline unsigned server_of(step const& s)
{
    return unsigned(s.get(field::server)) % server_count;
}

inline std::int64_t lock_called(std::string_view name)
{
    for (std::size_t i = 0; i < locks.size(); ++i)
        if (locks[i].name == name)
            return std::int64_t(i);
    throw std::invalid_argument("no such lock");
}

inline bool is_composite(lock_design const& d)
{
    return d.kind == kind::multi || d.kind == kind::red;
}

// Whether its acquires may have an owner.
constexpr bool is_owned_kind(kind k)
{
    return k == kind::reentrant || k == kind::fair || k == kind::read || k == kind::write;
}

// options.hpp: the kinds that can stay taken after their release, `at_least`.
constexpr bool can_stay_taken(kind k)
{
    return k == kind::mutex || k == kind::reentrant || k == kind::fair || k == kind::semaphore;
}

// Whether the lock is a red_lock or has one as a member.
inline bool is_red(lock_design const& d)
{
    return d.kind == kind::red || std::ranges::any_of(d.members, [](auto m) { return is_red(locks[m]); });
}

// Calls f with each lock of one server that the lock consists of.
template <class Function>
void for_each_part(lock_design const& d, Function const& f)
{
    if (!is_composite(d))
        return f(d);
    for (auto const m : d.members)
        for_each_part(locks[m], f);
}

inline bool have_common_part(lock_design const& a, lock_design const& b)
{
    bool found = false;
    for_each_part(a, [&](lock_design const& x) {
        for_each_part(b, [&](lock_design const& y) { found = found || (x.server == y.server && x.key == y.key); });
    });
    return found;
}

}  // namespace holdfast::test::oracle

#endif
