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

ClientMetric metric_of(sample const& of, std::string label, std::string value)
{
    ClientMetric m;
    m.label.push_back({"client", of.client});
    if (!label.empty())
        m.label.push_back({std::move(label), std::move(value)});
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

struct row {
    char const* name;
    char const* help;
    std::uint64_t stats::*value;
};

constexpr std::array counters{
    row{"at_risk_total", "Renewals that were overdue or failed.", &stats::at_risk},
    row{"handed_off_total", "Grants that passed to another contender of the process.", &stats::handed_off},
    row{"abandoned_total", "Grants that were not released when their client stopped.", &stats::abandoned},
    row{"refused_total", "Commands that the server refused.", &stats::refused},
    row{"connections_total", "Connections that could be used.", &stats::connections},
};
constexpr std::array gauges{
    row{"held", "Leases now.", &stats::held},
    row{"waiting", "Acquires now.", &stats::waiting},
    row{"connected", "Connections now.", &stats::connected},
};

struct part {
    char const* label;
    std::uint64_t (*value)(stats const&);
};
constexpr std::array results{
    part{"acquired", [](stats const& s) { return s.acquired; }},
    part{"busy", [](stats const& s) { return s.busy; }},
    part{"unavailable", [](stats const& s) { return s.unavailable; }},
    part{"cancelled", [](stats const& s) { return s.cancelled; }},
    part{"failed", [](stats const& s) { return s.failed; }},
};
constexpr std::array reasons{
    part{"expired", [](stats const& s) { return s.lost_by.expired; }},
    part{"key_missing", [](stats const& s) { return s.lost_by.key_missing; }},
    part{"max_hold", [](stats const& s) { return s.lost_by.max_hold; }},
    part{"client_stopped", [](stats const& s) { return s.lost_by.client_stopped; }},
};

MetricFamily family_of(row const& r, MetricType type, std::vector<sample> const& of)
{
    auto f = family(r.name, r.help, type);
    for (auto const& s : of) {
        auto m = metric_of(s, {}, {});
        auto const number = static_cast<double>(s.values.*r.value);
        (type == MetricType::Gauge ? m.gauge.value : m.counter.value) = number;
        f.metric.push_back(std::move(m));
    }
    return f;
}

// A counter in parts, which a label tells apart.
MetricFamily in_parts(
    MetricFamily f, std::string const& label, std::span<part const> parts, std::vector<sample> const& of)
{
    for (auto const& s : of)
        for (auto const& p : parts) {
            auto m = metric_of(s, label, p.label);
            m.counter.value = static_cast<double>(p.value(s.values));
            f.metric.push_back(std::move(m));
        }
    return f;
}

MetricFamily acquires(std::vector<sample> const& of)
{
    auto f = family("acquires_total", "Acquires that have ended, by how they ended.", MetricType::Counter);
    return in_parts(std::move(f), "result", results, of);
}

MetricFamily losses(std::vector<sample> const& of)
{
    auto f = family("lost_total", "Leases that were lost, by the reason.", MetricType::Counter);
    return in_parts(std::move(f), "reason", reasons, of);
}

// ---- histograms

struct distribution {
    char const* name;
    char const* help;
    histogram stats::*value;
};
constexpr std::array distributions{
    distribution{"wait_seconds", "From the start of an acquire to its lease.", &stats::wait},
    distribution{"hold_seconds", "From a lease to its release or loss.", &stats::hold},
    distribution{"renewal_seconds", "From the send of a renewal to its confirmation.", &stats::renewal_lag},
    distribution{"round_trip_seconds", "From the send of an attempt to its reply.", &stats::round_trip},
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
    for (auto const& s : of) {
        auto m = metric_of(s, {}, {});
        m.histogram = to_prometheus(s.values.*d.value);
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
    std::vector<MetricFamily> all{acquires(now), losses(now)};
    for (auto const& r : counters)
        all.push_back(family_of(r, MetricType::Counter, now));
    for (auto const& r : gauges)
        all.push_back(family_of(r, MetricType::Gauge, now));
    for (auto const& d : distributions)
        all.push_back(family_of(d, now));
    return all;
}

}  // namespace holdfast
