//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/json.hpp"

#include <algorithm>
#include <iterator>

#include <boost/json/serialize.hpp>

#include "tool/dashboard/display_text.hpp"

namespace holdfast::cli::dashboard {
namespace {

using std::chrono::milliseconds;

milliseconds age_of(watched_lock const& lock, instant now)
{
    return std::chrono::duration_cast<milliseconds>(now - lock.observed);
}

// What is left of a time that was observed `age` ago.
json::value remaining_after(milliseconds age, milliseconds remaining)
{
    if (remaining.count() < 0)
        return nullptr;
    return std::max<std::int64_t>((remaining - age).count(), 0);
}

json::object describe(holder const& h)
{
    json::object one{{"id", display_text(h.id)}, {"label", display_text(h.label)}, {"writer", h.writer}};
    if (h.number > 0)
        one["number"] = h.number;
    return one;
}

json::object describe(holder const& h, milliseconds age)
{
    auto one = describe(h);
    one["remaining_ms"] = remaining_after(age, h.remaining);
    return one;
}

json::array describe(std::vector<holder> const& all, milliseconds age)
{
    json::array list;
    list.reserve(all.size());
    for (auto const& h : all)
        list.push_back(describe(h, age));
    return list;
}

}  // namespace

char const* to_word(detail::recorded_kind k)
{
    constexpr char const* words[] = {
        "free", "mutex", "reentrant or fair", "fair", "read", "write", "semaphore", "election", "latch"};
    static_assert(std::size(words) == std::tuple_size_v<decltype(totals::locks)>);
    return words[static_cast<std::size_t>(k)];
}

char const* to_word(event::kind k)
{
    constexpr char const* words[] = {
        "acquired", "ended", "queued", "left queue", "force released", "disconnected", "connected"};
    static_assert(std::size(words) == event_kinds);
    return words[static_cast<std::size_t>(k)];
}

json::object to_json(holder const& h)
{
    return describe(h, milliseconds(0));
}

json::object to_json(detail::lock_record const& r, milliseconds age)
{
    return {
        {"key", to_hex(r.name)},
        {"name", display_text(r.name)},
        {"kind", to_word(r.kind)},
        {"holders", describe(r.holders, age)},
        {"holder_count", r.holder_count},
        {"queue", describe(r.queue, age)},
        {"queue_length", r.queue_length},
        {"waiting_writer", r.waiting_writer ? json::value(describe(*r.waiting_writer, age)) : json::value()},
        {"waiting", r.subscribers ? json::value(*r.subscribers) : json::value()},
        {"fence", display_text(r.fence)},
        {"value", display_text(r.value)}};
}

json::object to_json(watched_lock const& lock, instant now)
{
    auto all = to_json(lock.record, age_of(lock, now));
    all["id"] = lock.id;
    all["since_ms"] = lock.since_ms;
    return all;
}

json::array to_renewal(watched_lock const& lock, instant now)
{
    json::array list{lock.id};
    for (auto const& h : lock.record.holders)
        list.push_back(remaining_after(age_of(lock, now), h.remaining));
    return list;
}

json::object to_json(event const& e)
{
    json::object all{{"wall_ms", e.wall_ms}, {"what", to_word(e.what)}};
    if (!e.name.empty()) {
        all["name"] = display_text(e.name);
        all["holder"] = describe(e.who);
    }
    if (!e.words.empty())
        all["words"] = display_text(e.words);
    return all;
}

json::array to_json(sample const& s)
{
    return {s.wall_ms, s.held, s.waiting, s.acquired, s.ended};
}

json::object to_json(survey_state const& s, lock_table const& table)
{
    json::array silent;
    for (auto const& address : s.silent)
        silent.emplace_back(display_text(address));
    return {
        {"connected", s.is_connected},
        {"words", display_text(s.words)},
        {"since_ms", s.since_ms},
        {"complete", s.is_complete},
        {"pass_ms", s.pass.count()},
        {"silent", std::move(silent)},
        {"truncated", table.is_full()}};
}

std::string locks_document(board const& all, moment now)
{
    json::array locks;
    for (auto const& [id, lock] : all.table().locks())
        if (lock.record.kind != detail::recorded_kind::free)
            locks.push_back(to_json(lock, now.at));
    json::object document{
        {"wall_ms", now.wall_ms}, {"survey", to_json(all.survey(), all.table())}, {"locks", std::move(locks)}};
    return json::serialize(document);
}

}  // namespace holdfast::cli::dashboard
