//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/changes.hpp"

#include <algorithm>

namespace holdfast::cli::dashboard {
namespace {

using list = std::vector<holder>;

bool is_same(holder const& a, holder const& b)
{
    return a.id == b.id && a.label == b.label && a.writer == b.writer;
}

bool is_same(std::optional<holder> const& a, std::optional<holder> const& b)
{
    return a && b ? is_same(*a, *b) : a.has_value() == b.has_value();
}

bool contains(list const& all, holder const& h)
{
    return std::ranges::any_of(all, [&](holder const& each) { return is_same(each, h); });
}

bool is_same(list const& a, list const& b)
{
    return std::ranges::equal(a, b, [](holder const& x, holder const& y) { return is_same(x, y); });
}

bool is_whole(detail::lock_record const& lock)
{
    return lock.holders.size() >= lock.holder_count && lock.queue.size() >= lock.queue_length;
}

}  // namespace

std::vector<lock_change> changes_between(detail::lock_record const& before, detail::lock_record const& after)
{
    std::vector<lock_change> all;
    if (!is_whole(before) || !is_whole(after))
        return all;
    auto const add_missing = [&all](list const& in, list const& from, change_kind what) {
        for (auto const& h : from)
            if (!contains(in, h))
                all.push_back({what, h});
    };
    add_missing(after.holders, before.holders, change_kind::ended);
    for (auto const& w : before.queue)
        if (!contains(after.queue, w) && !contains(after.holders, w))
            all.push_back({change_kind::left_queue, w});
    add_missing(before.holders, after.holders, change_kind::acquired);
    add_missing(before.queue, after.queue, change_kind::queued);
    return all;
}

bool same_apart_from_time(detail::lock_record const& a, detail::lock_record const& b)
{
    return a.kind == b.kind && is_same(a.holders, b.holders) && a.holder_count == b.holder_count
           && is_same(a.queue, b.queue) && a.queue_length == b.queue_length && a.fence == b.fence && a.value == b.value
           && a.subscribers == b.subscribers && is_same(a.waiting_writer, b.waiting_writer);
}

}  // namespace holdfast::cli::dashboard
