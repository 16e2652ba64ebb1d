//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include <prometheus/client_metric.h>
#include <prometheus/metric_type.h>

#include <holdfast/prometheus.hpp>
#include <holdfast/stats.hpp>

namespace holdfast {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

// The statistics of one client, at one moment: its metrics agree with one another.
struct sample {
    std::string client;
    stats values;
};

ClientMetric metric_of(sample const& of)
{
    ClientMetric m;
    m.label.push_back({"client", of.client});
    return m;
}

// For Prometheus an empty label is no label: it is left out.
ClientMetric metric_of(sample const& of, stats_part const& part)
{
    auto m = metric_of(of);
    m.label.push_back({"kind", std::string(to_string(part.kind))});
    if (!part.label.empty())
        m.label.push_back({"label", part.label});
    return m;
}

MetricFamily family(std::string name, std::string help, MetricType type)
{
    MetricFamily f;
    f.name = "holdfast_" + name;
    f.help = std::move(help);
    f.type = type;
    return f;
}

// ---- counters and gauges

template <class Stats>
struct row {
    char const* name;
    char const* help;
    std::uint64_t Stats::*value;
};

// By kind and label of the locks.
constexpr std::array<row<lock_stats>, 4> counters{{
    {"at_risk_total", "Renewals that were overdue or failed.", &lock_stats::at_risk},
    {"handed_off_total", "Grants that passed to another contender of the process.", &lock_stats::handed_off},
    {"unacknowledged_total", "Grants and renewals that too few replicas acknowledged.", &lock_stats::unacknowledged},
    {"permits_differ_total", "Other numbers of permits than those of a handle.", &lock_stats::permits_differ},
}};
constexpr std::array<row<lock_stats>, 2> gauges{{
    {"held", "Leases now.", &lock_stats::held},
    {"waiting", "Acquires now.", &lock_stats::waiting},
}};
// Of the client as a whole.
constexpr std::array<row<stats>, 2> client_counters{{
    {"abandoned_total", "Leases that were not released when their client stopped.", &stats::abandoned},
    {"connections_total", "Connections that could be used.", &stats::connections},
}};
constexpr std::array<row<stats>, 1> client_gauges{{
    {"connected", "Connections now.", &stats::connected},
}};

struct share {
    char const* label;
    std::uint64_t (*value)(lock_stats const&);
};
constexpr std::array results{
    share{"acquired", [](lock_stats const& s) { return s.acquired; }},
    share{"busy", [](lock_stats const& s) { return s.busy; }},
    share{"unavailable", [](lock_stats const& s) { return s.unavailable; }},
    share{"cancelled", [](lock_stats const& s) { return s.cancelled; }},
    share{"failed", [](lock_stats const& s) { return s.failed; }},
};
constexpr std::array reasons{
    share{"expired", [](lock_stats const& s) { return s.lost_by.expired; }},
    share{"key_missing", [](lock_stats const& s) { return s.lost_by.key_missing; }},
    share{"max_hold", [](lock_stats const& s) { return s.lost_by.max_hold; }},
    share{"client_stopped", [](lock_stats const& s) { return s.lost_by.client_stopped; }},
};

void add_number(MetricFamily& to, ClientMetric m, std::uint64_t value)
{
    auto const number = static_cast<double>(value);
    (to.type == MetricType::Gauge ? m.gauge.value : m.counter.value) = number;
    to.metric.push_back(std::move(m));
}

MetricFamily family_of(row<stats> const& r, MetricType type, std::vector<sample> const& of)
{
    auto f = family(r.name, r.help, type);
    for (auto const& s : of)
        add_number(f, metric_of(s), s.values.*r.value);
    return f;
}

MetricFamily family_of(row<lock_stats> const& r, MetricType type, std::vector<sample> const& of)
{
    auto f = family(r.name, r.help, type);
    for (auto const& s : of)
        for (auto const& part : s.values.parts)
            add_number(f, metric_of(s, part), part.*r.value);
    return f;
}

// A counter in shares, which a further label tells apart.
MetricFamily in_shares(
    MetricFamily f, std::string const& label, std::span<share const> shares, std::vector<sample> const& of)
{
    for (auto const& s : of)
        for (auto const& part : s.values.parts)
            for (auto const& each : shares) {
                auto m = metric_of(s, part);
                m.label.push_back({label, each.label});
                add_number(f, std::move(m), each.value(part));
            }
    return f;
}

MetricFamily acquires(std::vector<sample> const& of)
{
    auto f = family("acquires_total", "Acquires that have ended, by how they ended.", MetricType::Counter);
    return in_shares(std::move(f), "result", results, of);
}

MetricFamily losses(std::vector<sample> const& of)
{
    auto f = family("lost_total", "Leases that were lost, by the reason.", MetricType::Counter);
    return in_shares(std::move(f), "reason", reasons, of);
}

// Those for no lock have no kind, so that the sum is that of the client.
MetricFamily refusals(std::vector<sample> const& of)
{
    auto f = family("refused_total", "Commands that the server refused.", MetricType::Counter);
    for (auto const& s : of) {
        auto nameless = s.values.refused;
        for (auto const& part : s.values.parts) {
            add_number(f, metric_of(s, part), part.refused);
            nameless -= part.refused;
        }
        add_number(f, metric_of(s), nameless);
    }
    return f;
}

// ---- histograms

struct distribution {
    char const* name;
    char const* help;
    histogram lock_stats::*value;
};
constexpr std::array distributions{
    distribution{"wait_seconds", "From the start of an acquire to its lease.", &lock_stats::wait},
    distribution{"hold_seconds", "From a lease to its release or loss.", &lock_stats::hold},
    distribution{"renewal_seconds", "From the send of a renewal to its confirmation.", &lock_stats::renewal_lag},
    distribution{"round_trip_seconds", "From the send of an attempt to its reply.", &lock_stats::round_trip},
};

// Every second bucket of holdfast::histogram is exported, from 16 us to 4.7 hours: a bucket is a time series.
constexpr std::size_t first_bucket = 4, last_bucket = 34, step = 2;

double seconds(std::chrono::nanoseconds d)
{
    return std::chrono::duration<double>(d).count();
}

// Bucket i of the library has the durations below 2^i us; those of Prometheus are cumulative.
ClientMetric::Histogram to_prometheus(histogram const& h)
{
    ClientMetric::Histogram out;
    out.sample_count = h.count;
    out.sample_sum = seconds(h.sum);
    std::uint64_t below = 0;
    std::size_t next = 0;
    for (auto i = first_bucket; i <= last_bucket; i += step) {
        while (next < h.buckets.size() && next <= i)
            below += h.buckets[next++];
        out.bucket.push_back({below, seconds(std::chrono::microseconds(std::int64_t{1} << i))});
    }
    out.bucket.push_back({h.count, std::numeric_limits<double>::infinity()});
    return out;
}

MetricFamily family_of(distribution const& d, std::vector<sample> const& of)
{
    auto f = family(d.name, d.help, MetricType::Histogram);
    for (auto const& s : of)
        for (auto const& part : s.values.parts) {
            auto m = metric_of(s, part);
            m.histogram = to_prometheus(part.*d.value);
            f.metric.push_back(std::move(m));
        }
    return f;
}

}  // namespace

void prometheus_collector::add(std::string name, client const& c)
{
    std::scoped_lock const guard(mutex_);
    if (std::ranges::count(clients_, name, [](auto const& each) { return each.first; }) > 0)
        throw std::invalid_argument("prometheus_collector: there is a client \"" + name + '"');
    clients_.emplace_back(std::move(name), &c);
}

void prometheus_collector::remove(std::string const& name)
{
    std::scoped_lock const guard(mutex_);
    std::erase_if(clients_, [&](auto const& each) { return each.first == name; });
}

std::vector<MetricFamily> prometheus_collector::Collect() const
{
    std::vector<sample> now;
    {
        std::scoped_lock const guard(mutex_);
        for (auto const& [name, c] : clients_)
            now.push_back({name, c->stats()});
    }
    std::vector<MetricFamily> all{acquires(now), losses(now), refusals(now)};
    auto const add_all = [&](auto const& rows, MetricType type) {
        for (auto const& r : rows)
            all.push_back(family_of(r, type, now));
    };
    add_all(counters, MetricType::Counter);
    add_all(client_counters, MetricType::Counter);
    add_all(gauges, MetricType::Gauge);
    add_all(client_gauges, MetricType::Gauge);
    for (auto const& d : distributions)
        all.push_back(family_of(d, now));
    return all;
}

}  // namespace holdfast
