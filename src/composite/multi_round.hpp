//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MULTI_ROUND_HPP
#define HOLDFAST_MULTI_ROUND_HPP

#include <cstddef>
#include <cstdint>

namespace holdfast::detail {

// The result of a round of attempts on all members of a multi_lock.
enum class multi_round : std::uint8_t {
    won,          // all members are held
    late,         // all were granted, but a lease ended before the last grant
    busy,         // another contender holds a member
    unreachable,  // a member could not be reached, and nothing shows another holder
    failed,       // an error that waiting does not cure
};

// The members of a round, counted by what their attempts have shown. An attempt that was called off because another
// member could not be locked has shown nothing.
struct member_counts {
    std::size_t members = 0;
    std::size_t granted = 0;
    std::size_t valid = 0;  // of those that were granted: whose lease has not ended yet
    std::size_t busy = 0;
    std::size_t unreachable = 0;
    std::size_t failed = 0;
};

// A pure function, with a table of cases in test/unit/multi_round.cpp. If attempts were called off, the member that
// they were called off for may be released in time for its second attempt and be granted after all. The round has no
// obstacle then, but it is not won: the server works, so it is busy, not unreachable.
constexpr multi_round classify(member_counts const& m) noexcept
{
    if (m.failed > 0)
        return multi_round::failed;
    if (m.granted == m.members)
        return m.valid == m.members ? multi_round::won : multi_round::late;
    return m.busy == 0 && m.unreachable > 0 ? multi_round::unreachable : multi_round::busy;
}

// The number of late rounds in a row, after one more round. Only rounds in a row count: a waiting acquire with single
// late rounds, far apart, goes on.
constexpr unsigned late_in_a_row(unsigned before, multi_round now) noexcept
{
    return now == multi_round::late ? before + 1 : 0;
}

// Whether the acquire ends with this round. As for a single lock, the third late round in a row ends it (rule 3).
constexpr bool is_last_round(multi_round r, unsigned late_in_a_row, bool is_time_over) noexcept
{
    constexpr unsigned most_late = 3;
    return r == multi_round::won || r == multi_round::failed || late_in_a_row >= most_late || is_time_over;
}

}  // namespace holdfast::detail

#endif
