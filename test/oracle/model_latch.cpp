//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/model_latch.hpp"

#include <algorithm>

namespace holdfast::test::oracle {
// ---- launches

void latch_model::launched_set(int operation, core::instant now)
{
    sets_.push_back({operation, 0, {now, core::never}, false});
    last_set_ = now;
    called_off_since_ = closed_since_ = core::never;
}

void latch_model::launched_count_down(int operation, std::int64_t by, core::instant now)
{
    downs_.push_back({operation, by, {now, core::never}, false});
}

// ---- the count

// Every count_down that was launched by then may have been counted, also one that was launched in an earlier round.
std::int64_t latch_model::least(interval i) const
{
    auto left = count_;
    for (auto const& d : downs_)
        left -= d.when.from <= i.to ? d.by : 0;
    return std::max<std::int64_t>(left, 0);
}

// Those were counted that ended with success before, and were launched in this round.
std::int64_t latch_model::most(interval i) const
{
    auto left = count_;
    for (auto const& d : downs_)
        left -= d.is_certain && d.when.from >= began_ && d.when.to <= i.from ? d.by : 0;
    return std::max<std::int64_t>(left, 0);
}

// Only an open latch can be set.
bool latch_model::may_be_set_again(core::instant until) const
{
    return least({began_, until}) == 0
           && std::ranges::any_of(sets_, [&](change const& s) { return s.when.from <= until; });
}

std::string latch_model::check(interval i, std::int64_t count, std::int64_t own) const
{
    if (!is_in_round(i))
        return {};
    if (count < least(i))
        return "the count is " + std::to_string(count) + ", expected at least " + std::to_string(least(i));
    auto const highest = std::max<std::int64_t>(most(i) - own, 0);
    if (count > highest && !may_be_set_again(i.to))
        return "the count is " + std::to_string(count) + ", expected at most " + std::to_string(highest);
    return {};
}

// ---- ends

// A set that found the latch open begins a round. Of two that overlap, the order on the server is unknown.
std::string latch_model::set(int operation, interval i, std::int64_t count, bool was_open)
{
    std::string broken;
    std::erase_if(sets_, [&](change const& s) { return s.operation == operation; });
    last_set_ = std::max(last_set_, i.to);
    if (was_open && is_in_round(i) && least(i) > 0)
        broken = "was set, although the count is at least " + std::to_string(least(i));
    if (!was_open && is_in_round(i) && most(i) == 0 && !may_be_set_again(i.to))
        broken = "was closed, although it is open";
    if (!was_open)
        return broken;
    is_known_ = i.from >= began_ && i.from >= forgotten_until_ && removals_.empty();
    count_ = count;
    began_ = std::max(began_, i.to);
    // One that has ended with success before this round was counted in an earlier one.
    std::erase_if(downs_, [&](change const& d) { return d.is_certain && d.when.to < i.from; });
    return broken;
}

std::string latch_model::counted_down(int operation, interval i, std::int64_t left)
{
    auto const own = std::ranges::find(downs_, operation, &change::operation);
    auto const broken = check(i, left, own->by);
    own->when.to = i.to;
    own->is_certain = true;
    return broken;
}

std::string latch_model::read(interval i, std::int64_t count) const
{
    return check(i, count, 0);
}

std::string latch_model::opened(interval i) const
{
    if (is_in_round(i) && least(i) > 0)
        return "a wait ended, although the count is at least " + std::to_string(least(i));
    if (i.from >= called_off_since_)
        return "a wait ended, although the latch was removed before it opened";
    return {};
}

std::string latch_model::still_closed(interval i, core::duration hears) const
{
    if (is_in_round(i) && most({std::max(i.from, i.to - hears), i.to}) == 0 && !may_be_set_again(i.to))
        return "a wait ended with false, although it is open";
    return {};
}

void latch_model::refused(int operation)
{
    auto const is_it = [&](change const& c) { return c.operation == operation; };
    std::erase_if(sets_, is_it);
    std::erase_if(downs_, is_it);
    std::erase(removals_, operation);
}

void latch_model::launched_remove(int operation)
{
    may_be_removed_ = true;
    removals_.push_back(operation);
    if (is_known_ && sets_.empty())
        closed_since_ = began_;
    is_known_ = false;
}

void latch_model::removed(int operation, interval i, bool took_effect)
{
    std::erase(removals_, operation);
    bool const is_certain = sets_.empty() && last_set_ < i.from && forgotten_until_ <= i.from;
    if (took_effect && is_certain)
        called_off_since_ = std::min(closed_since_, i.to);
    // A set that overlaps with it may have come before it.
    forgotten_until_ = std::max(forgotten_until_, i.to);
}

void latch_model::forget(core::instant until)
{
    is_known_ = false;
    forgotten_until_ = std::max(forgotten_until_, until);
    called_off_since_ = closed_since_ = core::never;
}

}  // namespace holdfast::test::oracle
