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

// What a round over the servers of a red_lock showed.
enum class round_result : std::uint8_t {
    inconclusive,  // the caller's own time ended before servers had answered that might have decided it
    won,           // a majority granted
    busy,          // a majority answered that the lock is free for us or held by another
    no_majority,   // a majority did not answer in time, or does not count
};

// The replies of one round.
struct round_replies {
    std::size_t quorum;
    std::size_t granted;
    std::size_t busy;
    std::size_t silent;  // no answer yet
    bool is_cut_short;   // the round had less than node_timeout, because the caller's time ended
};

constexpr round_result classify(round_replies const& r) noexcept
{
    if (r.granted >= r.quorum)
        return round_result::won;
    auto const answered = r.granted + r.busy;
    if (answered >= r.quorum)
        return round_result::busy;
    bool const might_be_busy = r.is_cut_short && answered + r.silent >= r.quorum;
    return might_be_busy ? round_result::inconclusive : round_result::no_majority;
}

// What is known after one more round.
constexpr round_result after(round_result before, round_result now) noexcept
{
    return now == round_result::inconclusive ? before : now;
}

// How an acquire ends whose time is over without the lock: success stands for busy. `last` is what the last round showed,
// be it that of the contender which it queued behind. A majority that never answered is no sign of another holder.
inline error_code error_of_timeout(round_result last) noexcept
{
    bool const is_busy = last == round_result::won || last == round_result::busy;
    return is_busy ? error_code() : errc::no_quorum;
}

}  // namespace holdfast::detail

#endif
