//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/event_frames.hpp"

#include <utility>

#include <boost/json/serialize.hpp>

#include "tool/dashboard/json.hpp"

namespace holdfast::cli::dashboard {
namespace {

constexpr std::size_t most_locks = 400;  // in a call

// JSON has no line breaks, so the data is one line.
void add_frame(std::string& to, std::string_view event, std::string_view data)
{
    to.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
}

void add_frame(std::string& to, std::string_view event, json::array const& data)
{
    if (!data.empty())
        add_frame(to, event, json::serialize(data));
}

void add_table(std::string& to, lock_table const& table, event_cursor& sent, instant now)
{
    auto const found = table.differences(sent.table, most_locks);
    sent.table = found.revision;
    json::array changed, renewed;
    for (auto const* const lock : found.changed)
        changed.push_back(to_json(*lock, now));
    for (auto const* const lock : found.renewed)
        renewed.push_back(to_renewal(*lock, now));
    add_frame(to, "locks", changed);
    add_frame(to, "renewals", renewed);
    add_frame(to, "removed", json::array(found.removed.begin(), found.removed.end()));
}

template <class Entry>
void add_recent(std::string& to, std::string_view name, recent<Entry> const& all, std::uint64_t& sent)
{
    json::array list;
    all.for_each_after(sent, [&](Entry const& e) { list.push_back(to_json(e)); });
    sent = all.last();
    add_frame(to, name, list);
}

}  // namespace

std::string next_frames(board const& all, event_cursor& sent, std::string_view greeting, instant now)
{
    std::string frames;
    if (!sent.has_begun || !all.table().remembers(sent.table)) {
        sent = {.has_begun = true};
        add_frame(frames, "hello", greeting);
    }
    if (std::exchange(sent.survey, all.survey().revision) != all.survey().revision)
        add_frame(frames, "survey", json::serialize(to_json(all.survey(), all.table())));
    add_table(frames, all.table(), sent, now);
    add_recent(frames, "history", all.history(), sent.history);
    add_recent(frames, "samples", all.curve(), sent.curve);
    return frames;
}

}  // namespace holdfast::cli::dashboard
