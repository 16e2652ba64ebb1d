//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/live_program.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;

// Times of the simulator are divided by this.
constexpr std::int64_t haste = 20;

// In a program with faults, a key that is not released expires within this time, because others may wait for it.
constexpr std::int64_t short_lease = 1'000;

bool has_faults(program const& p)
{
    return std::ranges::any_of(p.steps, [](step const& s) {
        return s.what >= verb::pause || s.what == verb::stop || s.what == verb::shutdown || s.what == verb::destroy;
    });
}

void limit(step& s, field f, std::int64_t most)
{
    if (s.has(f))
        s.set(f, std::min(s.get(f), most));
}

void shorten(step& s)
{
    if (s.has(field::us))
        s.set(
            field::us, std::clamp<std::int64_t>(s.get(field::us) / haste, 0, s.what == verb::pause ? 400'000 : 50'000));
    if (s.what >= verb::pause)
        s.set(field::us, std::max<std::int64_t>(s.get(field::us), 1'000));
    if (s.get(field::wait) != endless)
        limit(s, field::wait, 300);
    limit(s, field::at_least, 200);
}

void leave_out(step& s)
{
    if (s.what == verb::lose_replies)
        s.what = verb::disconnect;
    if (s.what == verb::restart)
        s.set(field::how, 1);
    if (s.what == verb::freeze || s.what >= verb::move_slot)
        s.what = verb::advance;
}

}  // namespace

program for_real_time(program p)
{
    p.is_cluster = p.is_watched = false;
    for (auto& s : p.steps) {
        leave_out(s);
        shorten(s);
    }
    if (has_faults(p))
        for (auto& s : p.steps)
            for (auto const f : {field::lease, field::by})
                limit(s, f, short_lease);
    return p;
}

// Without a fault only threads can be late, so the rules are strict, and no reply may be missing.
run_options live_options(program const& p)
{
    bool const faulty = has_faults(p);
    return {
        .clients =
            {.lease = faulty ? core::duration(std::chrono::milliseconds(short_lease)) : 60s,
             .command_timeout = faulty ? 300ms : 10s,
             .poll_interval = 1s,
             .tolerance = 10s},
        .connects_first = true,
        .is_disturbed = faulty};
}

}  // namespace holdfast::test::oracle
