//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ROUND_RESULT_HPP
#define HOLDFAST_ROUND_RESULT_HPP

#include <cstddef>
#include <cstdint>

#include <holdfast/error.hpp>

namespace holdfast::detail {

// The result of a round over the servers of a red_lock.
enum class round_result : std::uint8_t {
    inconclusive,  // the caller's wait ended before the servers that might have decided the round had replied
    won,           // a majority granted
    busy,          // a majority replied, but was not granted: another contender holds some of the locks
    no_majority,   // so few servers replied in time and count that no majority is possible
};

// The replies of one round, counted. A server that neither granted, nor is busy, nor is silent,
// replied but does not count.
struct reply_counts {
    std::size_t quorum;
    std::size_t granted;
    std::size_t busy;
    std::size_t silent;  // no reply in time
    bool is_cut_short;   // the round had less than node_timeout, because the caller's time ended
};

// A pure function, with a table of cases in test/unit/round_result.cpp. A round of full length in which a
// majority did not reply is evidence that there is none; a shorter one is not, if the silent servers could have
// made up the majority.
constexpr round_result classify(reply_counts const& r) noexcept
{
    if (r.granted >= r.quorum)
        return round_result::won;
    auto const answered = r.granted + r.busy;
    if (answered >= r.quorum)
        return round_result::busy;
    bool const might_be_busy = r.is_cut_short && answered + r.silent >= r.quorum;
    return might_be_busy ? round_result::inconclusive : round_result::no_majority;
}

// The last conclusive result after one more round.
constexpr round_result after(round_result before, round_result now) noexcept
{
    return now == round_result::inconclusive ? before : now;
}

// The error of an acquire whose wait ends without the lock; success stands for busy. `last` is the last conclusive
// result, also of the contender behind which it waited: `won` by that one means that the lock is held. A majority that
// never replied is no evidence of another holder (rule 5).
inline error_code error_of_timeout(round_result last) noexcept
{
    bool const is_busy = last == round_result::won || last == round_result::busy;
    return is_busy ? error_code() : errc::no_quorum;
}

}  // namespace holdfast::detail

#endif
