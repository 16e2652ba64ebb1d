//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures the cost of the renewals of 1,000 to 100,000 held locks with a lease time of 30 s.
#include <algorithm>
#include <stdexcept>
#include <sys/resource.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <holdfast.hpp>

#include "support/heat.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t wave = 1000;  // acquired at once

double own_cpu_time()
{
    rusage used;
    ::getrusage(RUSAGE_SELF, &used);
    auto const seconds = [](timeval const& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The upper end, in milliseconds, of the histogram bucket that contains the quantile.
double at_most(histogram const& h, double share)
{
    std::uint64_t counted = 0;
    for (std::size_t i = 0; i < h.buckets.size(); ++i)
        if (static_cast<double>(counted += h.buckets[i]) >= share * static_cast<double>(h.count))
            return static_cast<double>(1ull << i) / 1000;
    return 0;
}

class holder {
public:
    explicit holder(redis_server const& server) : client_(context_, {.url = server.url(), .log = [](auto, auto) {}})
    {
        client_.run(asio::detached);
        client_.ready([this](error_code) { context_.stop(); });
        context_.run();
    }

    void hold(std::size_t count)
    {
        while (leases_.size() < count) {
            auto const end = std::min(count, leases_.size() + wave);
            for (auto i = leases_.size(); i < end; ++i)
                mutex(client_, "bench:watchdog:" + std::to_string(i)).acquire([this](error_code ec, lease l) {
                    if (ec)
                        throw std::runtime_error("watchdog: not granted");
                    leases_.push_back(std::move(l));
                });
            while (leases_.size() < end)
                run_one();
        }
    }

    void wait(std::chrono::milliseconds time)
    {
        context_.restart();
        context_.run_for(time);
    }

    std::size_t valid() const
    {
        return static_cast<std::size_t>(std::ranges::count_if(leases_, [](lease const& l) { return l.valid(); }));
    }

    holdfast::stats stats() const { return client_.stats(); }

private:
    void run_one()
    {
        context_.restart();
        context_.run_one();
    }

    asio::io_context context_;
    client client_;
    std::vector<lease> leases_;
};

// The first renewals follow the ramp of the acquires. Only later ones are measured, which are in a steady state.
constexpr std::chrono::milliseconds settling = 10s;

table::row keep(redis_server& server, publication& out, std::size_t count, bool quick)
{
    server.clear();
    holder h(server);
    h.hold(count);
    h.wait(quick ? settling / 4 : settling);
    auto const server_before = server.cpu_time();
    auto const counted = server.counters();
    auto const client_before = own_cpu_time();
    auto const start = clock::now();
    h.wait(quick ? 5s : 20s);
    auto const seconds = std::chrono::duration<double>(clock::now() - start).count();
    auto const client = (own_cpu_time() - client_before) / seconds * 100;
    auto const then = server.counters();
    auto const of_server = (server.cpu_time() - server_before).count() / seconds * 100;
    auto const lost = count - h.valid();
    auto const what = std::to_string(count) + " held";
    out.claim(what + ": leases kept", static_cast<double>(count - lost) / static_cast<double>(count), 1, 0);
    out.claim(what + ": % of a core, client", client, 0, 5);
    out.claim(what + ": % of a core, server", of_server, 0, 10);
    return {
        "holdfast, " + what,
        {{client, client, client},
         {of_server, of_server, of_server},
         {(then.commands - counted.commands) / seconds},
         {(then.bytes - counted.bytes) / seconds / 1000},
         {static_cast<double>(lost)},
         {static_cast<double>(h.stats().at_risk)},
         {at_most(h.stats().renewal_lag, 0.99)}}};
}

void measure(options const& o, redis_server& server, publication& out)
{
    table t{
        "leases of 30 s",
        {{"% of a core, client", 2},
         {"% server", 2},
         {"commands/s", 0},
         {"kB/s", 0},
         {"lost", 0},
         {"late", 0},
         {"lag p99 ms", 1}},
        {}};
    for (std::size_t const count : {1'000u, 10'000u, 100'000u})
        if (!o.quick || count == 10'000)
            t.rows.push_back(keep(server, out, count, o.quick));
    out.add(std::move(t));
    out.note(
        "late: renewals that were overdue or failed; lag: from the send of a renewal to its confirmation, p99 at most");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("watchdog", argc, argv, holdfast::bench::measure);
}
