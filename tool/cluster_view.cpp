//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/cluster_view.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "tool/denial.hpp"
#include "tool/duration.hpp"

namespace holdfast::cli {
namespace {

using kind = detail::command_reply::kind;
using std::chrono::milliseconds;

// In a script, because a session expects no list of lists but in its greeting.
constexpr auto ranges_script = R"lua(
local all = {}
for _, range in ipairs(redis.call('cluster', 'slots')) do
    local primary = range[3]
    for _, value in ipairs({range[1], range[2], primary[1] or '', primary[2]}) do all[#all + 1] = value end
end
return all
)lua";

std::optional<unsigned> number_in(std::string_view text)
{
    unsigned n = 0;
    auto const end = text.data() + text.size();
    auto const read = std::from_chars(text.data(), end, n);
    return read.ec == std::errc() && read.ptr == end ? std::optional(n) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char at)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        auto const end = std::min(text.find(at), text.size());
        if (end > 0)
            parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

void set_range(slot_set& slots, std::string_view first, std::string_view last)
{
    auto const from = number_in(first), to = number_in(last);
    if (!from || !to || *to >= slots.size())
        return;
    for (auto slot = *from; slot <= *to; ++slot)
        slots.set(slot);
}

// "5461", "0-5460", or "[5461->-ID]" and "[5461-<-ID]" for a slot that is half-moved.
void add_part(slot_set& covered, slot_set& open, std::string_view part)
{
    bool const is_open = part.starts_with('[');
    auto const first = part.substr(is_open, part.find('-') - is_open);
    if (is_open)
        return set_range(open, first, first);
    set_range(covered, first, first.size() == part.size() ? first : part.substr(first.size() + 1));
}

// <id> <address> <flags> <primary> <ping> <pong> <epoch> <link> [slots ...]. The address is host:port@port,name.
void add_node(cluster_view& v, slot_set& covered, std::string_view line)
{
    constexpr std::size_t before_slots = 8;
    auto const words = split(line, ' ');
    if (words.size() < before_slots)
        return;
    bool const has_failed = words[2].find("fail") != words[2].npos;
    if (has_failed)
        v.failed.emplace(words[1].substr(0, words[1].find('@')));
    slot_set lost;
    for (auto i = before_slots; i < words.size(); ++i)
        add_part(has_failed ? lost : covered, v.open, words[i]);
}

std::string value_of(std::string_view name, detail::command_reply const& r)
{
    for (std::size_t i = 0; i + 1 < r.items.size(); i += 2)
        if (r.items[i] == name)
            return r.items[i + 1];
    return {};
}

std::string duration_words(milliseconds d)
{
    return to_text(d);
}

// A replica is promoted after up to 2 x timeout + 1 s, and a lease was renewed up to a third of its time before. In whole
// seconds.
milliseconds shortest_lease(milliseconds timeout)
{
    return std::chrono::ceil<std::chrono::seconds>((2 * timeout + milliseconds(1000)) * 3 / 2);
}

milliseconds longest_timeout(milliseconds lease)
{
    return (lease * 2 / 3 - milliseconds(1000)) / 2;
}

finding judge_timeout(milliseconds timeout, milliseconds lease)
{
    auto const set = "cluster-node-timeout " + duration_words(timeout);
    if (lease >= shortest_lease(timeout))
        return {grade::good, "failover", set + ": a lease of " + duration_words(lease) + " outlasts it"};
    auto const most = longest_timeout(lease);
    auto const advice = most > milliseconds(0) ? ", or set cluster-node-timeout to at most " + duration_words(most)
                                               : "";
    return {
        grade::doubtful,
        "failover",
        set + ": a failover may take longer than what is left of a lease of " + duration_words(lease)
            + ", which is lost then; use leases of at least " + duration_words(shortest_lease(timeout)) + advice};
}

finding judge_full_coverage(std::string const& value)
{
    if (value == "no")
        return {grade::good, "full coverage", "not required: a failover concerns the slots of one primary only"};
    return {
        grade::doubtful,
        "full coverage",
        "required: while a slot has no primary, all primaries refuse all commands; set cluster-require-full-coverage "
        "no"};
}

}  // namespace

void add_cluster_nodes(cluster_view& v, std::string_view reply)
{
    slot_set covered;
    for (auto const line : split(reply, '\n'))
        add_node(v, covered, line);
    v.uncovered |= ~covered;
}

std::vector<std::string> ranges_command()
{
    return {"EVAL", ranges_script, "0"};
}

namespace {

// A node that does not know its own address leaves the host out, as the only node of a cluster does.
std::string address_words(std::string const& host, std::string const& port)
{
    return host.empty() ? "port " + port : host + ":" + port;
}

}  // namespace

std::vector<primary_range> read_ranges(detail::command_reply const& r)
{
    std::vector<primary_range> all;
    for (std::size_t i = 0; r.type == kind::list && i + 3 < r.items.size(); i += 4) {
        auto const first = number_in(r.items[i]), last = number_in(r.items[i + 1]);
        if (first && last && *first <= *last && *last < hash_slots)
            all.push_back({*first, *last, address_words(r.items[i + 2], r.items[i + 3])});
    }
    return all;
}

void add_ranges(cluster_view& v, std::vector<primary_range> const& ranges)
{
    slot_set covered;
    for (auto const& r : ranges)
        for (auto slot = r.first; slot <= r.last; ++slot)
            covered.set(slot);
    v.uncovered |= ~covered;
}

std::string address_of(std::size_t slot, std::vector<primary_range> const& ranges)
{
    auto const has_it = [&](primary_range const& r) { return slot >= r.first && slot <= r.last; };
    auto const at = std::ranges::find_if(ranges, has_it);
    return at == ranges.end() ? std::string() : at->address;
}

std::string words_of(slot_set const& slots)
{
    constexpr int most = 4;
    std::string words;
    int ranges = 0;
    for (std::size_t first = 0; first < slots.size(); ++first) {
        if (!slots[first])
            continue;
        auto last = first;
        while (last + 1 < slots.size() && slots[last + 1])
            ++last;
        if (++ranges <= most)
            words += (words.empty() ? "" : ", ") + std::to_string(first)
                     + (last > first ? "-" + std::to_string(last) : "");
        first = last;
    }
    return ranges > most ? words + " and " + std::to_string(ranges - most) + " more ranges" : words;
}

finding judge_coverage(cluster_view const& v)
{
    if (v.uncovered.none())
        return {grade::good, "slots", "all 16384 hash slots have a primary"};
    std::string failed;
    for (auto const& node : v.failed)
        failed += (failed.empty() ? "; failed: " : ", ") + node;
    return {
        grade::bad,
        "slots",
        std::to_string(v.uncovered.count()) + " hash slots have no primary (" + words_of(v.uncovered)
            + "): acquires of their locks wait, and end with errc::unavailable" + failed};
}

finding judge_open_slots(cluster_view const& v, std::string_view untested)
{
    if (v.open.none() && untested.empty())
        return {grade::good, "moving slots", "none"};
    if (v.open.none())
        return {grade::doubtful, "moving slots", "not known: " + std::string(untested)};
    return {
        grade::doubtful,
        "moving slots",
        std::to_string(v.open.count()) + " half-moved (" + words_of(v.open)
            + "): while it lasts, only mutex and reentrant_lock without fencing can be acquired there; end the move, "
              "for example by redis-cli --cluster fix"};
}

std::vector<finding> judge_settings(detail::command_reply const& r, milliseconds lease)
{
    auto const timeout = r.type == kind::list ? number_in(value_of("cluster-node-timeout", r)) : std::nullopt;
    if (timeout)
        return {
            judge_timeout(milliseconds(*timeout), lease),
            judge_full_coverage(value_of("cluster-require-full-coverage", r))};
    auto const why = r.type == kind::error && is_denial(r.text) ? "CONFIG GET is denied" : "CONFIG GET has no result";
    constexpr milliseconds usual(15'000);
    return {
        {grade::doubtful,
         "failover",
         "not known (" + std::string(why)
             + "): leases must be at least 1.5 x (2 x cluster-node-timeout + 1 s), so with the default timeout of "
             + duration_words(usual) + " at least " + duration_words(shortest_lease(usual))},
        {grade::doubtful,
         "full coverage",
         "not known (" + std::string(why) + "): cluster-require-full-coverage should be no"}};
}

}  // namespace holdfast::cli
