//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_PROGRAM_HPP
#define HOLDFAST_TEST_ORACLE_PROGRAM_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"

namespace holdfast::test::oracle {

// What a step does. A step that refers to something that does not exist has no effect.
enum class verb : std::uint8_t {
    // ---- operations on a lock; the lease goes to `slot`
    acquire,
    try_acquire,
    with_lock,
    is_locked,
    holders,
    force_release,
    // ---- operations on a latch
    set_latch,   // to `count`
    count_down,  // by `by`
    count,
    remove_latch,
    await_latch,
    // ---- operations on the lease in `slot`
    release,
    extend,
    lost,
    downgrade,  // the read goes to `to`
    // ---- on the lease in `slot`, at once
    drop,
    move,  // to `to`
    // ---- on the operation called `op`
    cancel,
    launch,  // one that was kept
    forget,  // destroys one that was kept, unlaunched
    // ---- on the client of `process` for `server`
    stop,
    shutdown,
    destroy,
    // ---- time passes for all processes and servers
    advance,
    // ---- faults of `server` for that time; 0 us: until the program ends
    pause,
    out_of_memory,
    deny,  // the command number `how`
    lose_replies,
    // ---- faults at once
    disconnect,
    restart,  // `how` 1: its data is lost
    flush_scripts,
    delete_key,   // of `lock`; with `how` only the one of its keys that has this number
    foreign_key,  // application data under the name of `lock`: see foreign_value
    freeze,       // the process, as SIGSTOP, for that time
    move_slot,    // of `lock`, in a cluster: to the primary `to`; for that time it is half-moved
    replace_node,  // a primary of a cluster, which starts at a new address after that time; `how` 1: the former is silent
    fail_over,     // planned, by sentinels; the former master goes on serving for that time
    hang_sentinel,  // number `to`, for that time
};
inline constexpr auto verb_count = static_cast<std::size_t>(verb::hang_sentinel) + 1;

// An operation on a lease, which has a completion.
constexpr bool is_on_lease(verb v)
{
    return v == verb::release || v == verb::extend || v == verb::lost || v == verb::downgrade;
}

enum class field : std::uint8_t {
    process,
    server,
    lock,   // index into the table of locks
    owner,  // 9: process_owner()
    slot,
    to,     // a slot of leases, or a primary of a cluster
    op,     // later steps refer to an operation by this name
    keep,   // 1: the operation is made now and launched later
    lease,  // options, milliseconds; `endless`: milliseconds::max()
    renew,
    max_hold,
    wait,
    priority,
    by,
    how,
    us,      // a time in microseconds
    inner,   // with_lock: the lock that the body acquires, too
    weight,  // of an acquire of a semaphore
    at_least,
    count,
    adapter,  // of the completion handler: see adapters.hpp
};
inline constexpr auto field_count = static_cast<std::size_t>(field::adapter) + 1;

inline constexpr std::int64_t absent = INT64_MIN;
inline constexpr std::int64_t endless = INT64_MAX;
inline constexpr std::int64_t process_owner = 9;

// One step: small, copyable, comparable, printable.
class step {
public:
    step() { values_.fill(absent); }
    explicit step(verb v) : step() { what = v; }

    verb what = verb::advance;

    bool has(field f) const noexcept { return values_[std::size_t(f)] != absent; }
    std::int64_t get(field f, std::int64_t otherwise = 0) const noexcept
    {
        return has(f) ? values_[std::size_t(f)] : otherwise;
    }
    step& set(field f, std::int64_t v) noexcept
    {
        values_[std::size_t(f)] = v;
        return *this;
    }

    bool operator==(step const&) const = default;

private:
    std::array<std::int64_t, field_count> values_;
};

struct program {
    std::uint64_t seed = 1;   // of the scheduler and the network
    bool is_cluster = false;  // the server 0 is a Redis Cluster of three primaries
    bool is_watched = false;  // the server 0 is a master with two replicas, which three sentinels name
    std::vector<step> steps;
};

std::string_view name_of(verb) noexcept;
std::string_view name_of(field) noexcept;

// "try_acquire process=0 lock=m0 wait=500 slot=1"
std::string to_text(step const&);
// The seed and the steps, one in a line.
std::string to_text(program const&);
// Throws std::invalid_argument, which names the line that cannot be parsed.
program parse(std::string_view text);

}  // namespace holdfast::test::oracle

#endif
