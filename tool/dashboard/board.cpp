//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/board.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::cli::dashboard {
namespace {

using namespace std::chrono_literals;

constexpr auto free_kept = 30s;

event::kind to_kind(change_kind c)
{
    switch (c) {
        case change_kind::acquired: return event::kind::acquired;
        case change_kind::ended: return event::kind::ended;
        case change_kind::queued: return event::kind::queued;
        case change_kind::left_queue: break;
    }
    return event::kind::left_queue;
}

}  // namespace

void board::add(event e)
{
    ++counts_[static_cast<std::size_t>(e.what)];
    history_.add(std::move(e));
}

void board::observe(detail::lock_record record, moment now)
{
    auto const name = record.name;
    for (auto& change : table_.observe(std::move(record), now, !survey_.is_complete))
        add({.wall_ms = now.wall_ms, .what = to_kind(change.what), .name = name, .who = std::move(change.who)});
}

void board::end_pass(std::chrono::milliseconds took)
{
    // Small differences are not worth an event for each pass.
    bool const is_news = !survey_.is_complete || std::chrono::abs(took - survey_.pass) > 100ms;
    survey_.is_complete = true;
    if (!is_news)
        return;
    survey_.pass = took;
    ++survey_.revision;
}

void board::succeed(moment now)
{
    ++survey_.steps;
    if (survey_.is_connected)
        return;
    survey_.is_connected = true;
    survey_.words.clear();
    survey_.since_ms = now.wall_ms;
    ++survey_.revision;
    add({.wall_ms = now.wall_ms, .what = event::kind::connected});
}

void board::fail(std::string words, moment now)
{
    ++survey_.failures;
    bool const is_news = survey_.is_connected;
    if (!is_news && words == survey_.words)
        return;
    survey_.is_connected = false;
    survey_.words = words;
    ++survey_.revision;
    if (!is_news)
        return;
    survey_.since_ms = now.wall_ms;
    add({.wall_ms = now.wall_ms, .what = event::kind::disconnected, .words = std::move(words)});
}

void board::set_silent(std::vector<std::string> addresses, moment now)
{
    if (addresses == survey_.silent)
        return;
    for (auto const& a : addresses)
        if (std::ranges::find(survey_.silent, a) == survey_.silent.end())
            add({.wall_ms = now.wall_ms, .what = event::kind::disconnected, .words = a + " does not answer"});
    for (auto const& a : survey_.silent)
        if (std::ranges::find(addresses, a) == addresses.end())
            add({.wall_ms = now.wall_ms, .what = event::kind::connected, .words = a + " answers again"});
    survey_.silent = std::move(addresses);
    ++survey_.revision;
}

void board::note_force_release(std::string name, holder const& who, moment now)
{
    add({.wall_ms = now.wall_ms, .what = event::kind::force_released, .name = std::move(name), .who = who});
}

void board::tick(moment now)
{
    auto const all = sum();
    auto const acquired = count_of(event::kind::acquired), ended = count_of(event::kind::ended);
    curve_.add(
        {.wall_ms = now.wall_ms,
         .held = table_.size() - all.locks[static_cast<std::size_t>(detail::recorded_kind::free)],
         .waiting = all.queued + all.subscribers,
         .acquired = acquired - std::exchange(acquired_before_, acquired),
         .ended = ended - std::exchange(ended_before_, ended)});
    table_.drop_free(now.at - free_kept);
}

totals board::sum() const
{
    totals all;
    for (auto const& [id, lock] : table_.locks()) {
        ++all.locks[static_cast<std::size_t>(lock.record.kind)];
        all.holders += lock.record.holder_count;
        all.queued += lock.record.queue_length;
        all.subscribers += lock.record.subscribers.value_or(0);
    }
    return all;
}

}  // namespace holdfast::cli::dashboard
