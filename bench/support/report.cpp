//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <boost/version.hpp>

namespace holdfast::bench {
namespace {

double to_us(std::chrono::duration<double> d)
{
    return d.count() * 1e6;
}

double rate(repetition const& r)
{
    return r.rate();
}

double client_us(repetition const& r)
{
    return to_us(r.client_cpu) / r.pairs();
}

double server_us(repetition const& r)
{
    return to_us(r.server_cpu) / r.pairs();
}

double measure(quantity what, repetition const& r)
{
    if (what == quantity::pairs_per_second)
        return r.rate();
    if (what == quantity::server_time)
        return server_us(r);
    auto waits = r.waits;
    return to_us(quantile(waits, what == quantity::median_wait ? 0.5 : 0.99));
}

char const* name_of(quantity what)
{
    switch (what) {
        case quantity::pairs_per_second: return "pairs/s";
        case quantity::median_wait: return "acquire p50";
        case quantity::server_time: return "server CPU";
        default: return "acquire p99";
    }
}

result const& find(std::vector<result> const& all, std::string const& name)
{
    auto const at = std::find_if(all.begin(), all.end(), [&](result const& r) { return r.contestant == name; });
    if (at == all.end())
        throw std::logic_error("no contestant: " + name);
    return *at;
}

// The median is that of the medians; least and most are of the ratios within one repetition.
spread ratio(result const& a, result const& b, quantity what)
{
    auto const of = [what](repetition const& r) { return measure(what, r); };
    std::vector<double> each;
    for (std::size_t i = 0; i < a.repetitions.size(); ++i)
        each.push_back(of(a.repetitions[i]) / of(b.repetitions[i]));
    auto s = spread_of(std::move(each));
    s.median = a.over(of).median / b.over(of).median;
    return s;
}

void print_head(std::size_t contenders)
{
    std::printf(
        "\n%-34s %9s %19s %7s %7s | %8s %8s %8s %8s\n",
        (std::to_string(contenders) + " coroutines").c_str(),
        "pairs/s",
        "least .. most",
        "client",
        "server",
        "p50",
        "p90",
        "p99",
        "p99.9");
    std::printf("%-34s %9s %19s %7s %7s | %35s\n", "", "median", "", "us/pair", "us/pair", "wait for the lock, us");
}

void print_row(result const& r)
{
    auto const rates = r.over(rate);
    std::printf(
        "%-34s %9.0f %8.0f .. %7.0f %7.2f %7.2f | %8.0f %8.0f %8.0f %8.0f\n",
        r.contestant.c_str(),
        rates.median,
        rates.least,
        rates.most,
        r.over(client_us).median,
        r.over(server_us).median,
        to_us(r.wait(0.5)),
        to_us(r.wait(0.9)),
        to_us(r.wait(0.99)),
        to_us(r.wait(0.999)));
}

void write_values(json_writer& to, std::string_view name, result const& r, double (*of)(repetition const&))
{
    to.key(name).begin_array();
    for (auto const& one : r.repetitions)
        to.value(of(one));
    to.end_array();
}

void write_result(json_writer& to, result const& r)
{
    to.begin_object().member("contestant", std::string_view(r.contestant));
    write_values(to, "pairs_per_second", r, rate);
    write_values(to, "client_cpu_us_per_pair", r, client_us);
    write_values(to, "server_cpu_us_per_pair", r, server_us);
    to.key("wait_us").begin_object();
    to.member("p50", to_us(r.wait(0.5))).member("p90", to_us(r.wait(0.9)));
    to.member("p99", to_us(r.wait(0.99))).member("p999", to_us(r.wait(0.999)));
    to.end_object().end_object();
}

}  // namespace

report::report(std::string_view scenario, redis_server& server)
{
    json_.begin_object().member("scenario", scenario);
    json_.member("redis", std::string_view(server.version()));
    json_.member("boost", std::string_view(BOOST_LIB_VERSION));
    json_.member("compiler", std::string_view(__VERSION__));
    json_.member("cores", static_cast<double>(std::thread::hardware_concurrency()));
    json_.key("results").begin_array();
    std::printf(
        "%.*s: Redis %s, Boost %s, compiler %s, %u cores\n",
        static_cast<int>(scenario.size()),
        scenario.data(),
        server.version().c_str(),
        BOOST_LIB_VERSION,
        __VERSION__,
        std::thread::hardware_concurrency());
}

void report::add(std::size_t contenders, std::vector<result> const& results, std::vector<target> const& targets)
{
    print_head(contenders);
    json_.begin_object().member("coroutines", static_cast<double>(contenders));
    json_.key("contestants").begin_array();
    for (auto const& r : results) {
        print_row(r);
        write_result(json_, r);
    }
    json_.end_array().key("ratios").begin_array();
    for (auto const& t : targets)
        compare(results, t);
    json_.end_array().end_object();
    std::fflush(stdout);
}

void report::compare(std::vector<result> const& results, target const& t)
{
    auto const s = ratio(find(results, t.contestant), find(results, t.baseline), t.what);
    bool const at_least = t.what == quantity::pairs_per_second;
    bool const met = t.bound == 0 || (at_least ? s.median >= t.bound : s.median <= t.bound);
    std::printf(
        "  %-11s  %s / %s: %.2f (%.2f .. %.2f)",
        name_of(t.what),
        t.contestant.c_str(),
        t.baseline.c_str(),
        s.median,
        s.least,
        s.most);
    if (t.bound != 0)
        std::printf("  asked: %s %.2f, %s", at_least ? ">=" : "<=", t.bound, met ? "met" : "MISSED");
    std::printf("\n");
    json_.begin_object().member("quantity", std::string_view(name_of(t.what)));
    json_.member("of", std::string_view(t.contestant)).member("to", std::string_view(t.baseline));
    json_.member("ratio", s.median).member("least", s.least).member("most", s.most);
    json_.member("asked", t.bound).member("met", met).end_object();
}

void report::add(std::string_view what, double value, std::string_view unit, double at_most)
{
    bool const met = at_most == 0 || value <= at_most;
    std::printf(
        "%-52.*s %9.0f %.*s",
        static_cast<int>(what.size()),
        what.data(),
        value,
        static_cast<int>(unit.size()),
        unit.data());
    if (at_most != 0)
        std::printf("  asked: <= %.0f, %s", at_most, met ? "met" : "MISSED");
    std::printf("\n");
    std::fflush(stdout);
    json_.begin_object().member("what", what).member("value", value).member("unit", unit);
    json_.member("asked", at_most).member("met", met).end_object();
}

void report::write(std::string const& path)
{
    json_.end_array().end_object();
    if (path.empty())
        return;
    std::ofstream file(path);
    file << json_.text() << '\n';
    if (!file)
        throw std::runtime_error("cannot write " + path);
}

}  // namespace holdfast::bench
