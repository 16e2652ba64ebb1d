//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/meter_table.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::detail {
namespace {

constexpr std::size_t max_label_size = 64;
constexpr char const* other = "other";
constexpr auto first_composite = static_cast<std::size_t>(lock_kind::multi);

// A monitoring system may refuse all metrics of a program because of one label that is not UTF-8.
bool is_valid_label(std::string_view l) noexcept
{
    return l.size() <= max_label_size && std::ranges::all_of(l, [](char c) { return c >= ' ' && c <= '~'; });
}

void add(histogram& sum, histogram const& part)
{
    sum.count += part.count;
    sum.sum += part.sum;
    for (std::size_t i = 0; i < part.buckets.size(); ++i)
        sum.buckets[i] += part.buckets[i];
}

void add(loss_counts& sum, loss_counts const& part)
{
    sum.expired += part.expired;
    sum.key_missing += part.key_missing;
    sum.max_hold += part.max_hold;
    sum.client_stopped += part.client_stopped;
}

constexpr histogram lock_stats::*histograms[]{
    &lock_stats::wait, &lock_stats::hold, &lock_stats::renewal_lag, &lock_stats::round_trip};
constexpr std::uint64_t lock_stats::*numbers[]{
    &lock_stats::acquired,
    &lock_stats::busy,
    &lock_stats::unavailable,
    &lock_stats::cancelled,
    &lock_stats::failed,
    &lock_stats::lost,
    &lock_stats::at_risk,
    &lock_stats::handed_off,
    &lock_stats::refused,
    &lock_stats::unacknowledged,
    &lock_stats::permits_differ,
    &lock_stats::held,
    &lock_stats::waiting};

void add(lock_stats& sum, lock_stats const& part)
{
    for (auto const h : histograms)
        add(sum.*h, part.*h);
    for (auto const n : numbers)
        sum.*n += part.*n;
    add(sum.lost_by, part.lost_by);
}

void make_buckets(lock_stats& s)
{
    for (auto const h : histograms)
        (s.*h).buckets.resize(histogram::bucket_count);
}

// Adds what it reads to the sum, and does not read it again: the sum of the parts agrees with them at any time.
template <class Meters>
void add_part(stats& sum, std::size_t kind, std::string const& label, Meters const* m)
{
    if (!m)
        return;
    stats_part part;
    make_buckets(part);
    part.kind = static_cast<lock_kind>(kind);
    part.label = label;
    m->read(part);
    add(sum, part);
    sum.parts.push_back(std::move(part));
}

}  // namespace

// Two threads may make them at the same time: the first ones remain.
template <class Meters>
Meters& meter_table::lazy<Meters>::make()
{
    if (auto* const m = made_.load(std::memory_order_acquire))
        return *m;
    auto fresh = std::make_unique<Meters>();
    Meters* first = nullptr;
    return made_.compare_exchange_strong(first, fresh.get()) ? *fresh.release() : *first;
}

engine::lock_meters& meter_table::of_single(lock_kind k, std::string_view name)
{
    return row_of(name).single[static_cast<std::size_t>(k)].make();
}

engine::composite_meters& meter_table::of_composite(lock_kind k, std::string_view name)
{
    return row_of(name).composite[static_cast<std::size_t>(k) - first_composite].make();
}

// The user's function is called without the mutex.
meter_table::row& meter_table::row_of(std::string_view name)
{
    if (!label_of_)
        return unlabelled_;
    auto const label = label_of(name);
    if (label.empty())
        return unlabelled_;
    if (label == other)
        return other_;
    std::scoped_lock const guard(mutex_);
    auto const found = labelled_.find(label);
    if (found != labelled_.end())
        return found->second;
    return labelled_.size() < max_labels_ ? labelled_[label] : other_;
}

std::string meter_table::label_of(std::string_view name) const noexcept
{
    try {
        auto label = label_of_(name);
        return is_valid_label(label) ? label : other;
    } catch (...) {
        return other;
    }
}

void meter_table::add_parts(stats& sum, std::string const& label, row const& r)
{
    for (std::size_t i = 0; i < single_kinds; ++i)
        add_part(sum, i, label, r.single[i].get());
    for (std::size_t i = 0; i < composite_kinds; ++i)
        add_part(sum, first_composite + i, label, r.composite[i].get());
}

stats meter_table::read() const
{
    stats all;
    make_buckets(all);
    add_parts(all, {}, unlabelled_);
    {
        std::scoped_lock const guard(mutex_);
        for (auto const& [label, r] : labelled_)
            add_parts(all, label, r);
    }
    add_parts(all, other, other_);
    return all;
}

}  // namespace holdfast::detail
