//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures the time from the release of a lock until the next holder runs, in the same process and in another one, as a
// multiple of the round trip of a PING. Compares Holdfast with the libraries of bench/peers.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto ours = "holdfast";  // the folder
constexpr auto bare_mutex = "raw connection, mutex' commands";
constexpr auto bare_fair = "raw connection, fair_lock's scripts";
constexpr auto bare_permit = "raw connection, semaphore's scripts";

struct plan {
    int repetitions = 5;
    std::chrono::milliseconds turn = 1s;
    int warm_up = 100;  // hand-overs
};

// One measured configuration; the configurations take turns.
class subject {
public:
    virtual ~subject() = default;

    // Returns the measured time in microseconds. The pause precedes the measured event.
    virtual double measure(std::chrono::milliseconds pause) = 0;
};

// Two contenders: one holds the lock while the other waits for it; in the next call they exchange their roles. Between
// the calls the lock is free, because not every library renews its leases.
class pair_of_contenders final : public subject {
public:
    pair_of_contenders(redis_server const& server, entrant const& entry, bool same_process)
        : name_("bench:" + entry.name + (same_process ? ":one" : ":two")), processes_(same_process ? 1 : 2)
    {
        std::ranges::replace(name_, ' ', '_');  // it is one word of the protocol
        for (auto i = 0; i < processes_; ++i)
            peers_.push_back(std::make_unique<peer>(program_of(entry, server)));
    }

    // `pause`: for how long the other contender has waited when the lock is released.
    double measure(std::chrono::milliseconds pause) override
    {
        auto const holder = std::exchange(next_, 1 - next_);
        of(holder).begin_acquire(name_, holder);
        of(holder).end_acquire();
        of(next_).begin_acquire(name_, next_);
        std::this_thread::sleep_for(pause);
        of(holder).begin_release(name_, holder);
        // Reads the grant before the reply to the release: reading that reply would wake this process earlier, and
        // would take a processor from the two contenders.
        auto const at = of(next_).end_acquire().at;
        auto const released = of(holder).end_release();
        of(next_).begin_release(name_, next_);
        of(next_).end_release();
        return std::chrono::duration<double, std::micro>(at - released).count();
    }

private:
    peer& of(int contender) { return *peers_[static_cast<std::size_t>(contender % processes_)]; }

    std::string name_;
    int processes_;
    std::vector<std::unique_ptr<peer>> peers_;
    int next_ = 0;
};

// The baseline: a PING follows each hand-over, after a pause. So both are measured under the same load of the machine,
// and after the same idle time of the processors.
class lone_pings final : public subject {
public:
    explicit lone_pings(redis_server const& server) : peer_(program_of({"", ours, "ping"}, server)) {}

    double measure(std::chrono::milliseconds pause) override
    {
        std::this_thread::sleep_for(pause);
        peer_.begin_acquire("", 0);
        auto const done = peer_.end_acquire();
        return std::chrono::duration<double, std::micro>(done.at - done.requested).count();
    }

private:
    peer peer_;
};

// The bounds, in milliseconds, of the random time for which the next holder waits before the release.
struct pauses {
    int least, most;
};
constexpr pauses handed_off{2, 8};  // within config::local_handoff
constexpr pauses short_ones{5, 25};
constexpr pauses long_ones{12, 25};   // the turn of the process is over
constexpr pauses of_pollers{5, 305};  // the release comes with equal probability at any point of their sleep

struct competitor {
    std::string name;
    std::function<std::unique_ptr<subject>()> make;
    pauses before = short_ones;
    int turns = 1;  // in a repetition
    bool polls() const { return before.most == of_pollers.most; }
};

// Microseconds.
struct repetition {
    std::vector<double> values;
    std::vector<double> pings;  // in between
};

struct outcome {
    std::string not_run = {};
    std::vector<repetition> repetitions = {};

    std::vector<double> medians() const
    {
        return of_each([](repetition const& r) { return median_of(r.values); });
    }
    spread in_pings() const
    {
        return spread_of(of_each([](repetition const& r) { return median_of(r.values) / median_of(r.pings); }));
    }
    double p99() const
    {
        return p99_of([](repetition const&) { return 1.0; });
    }
    double p99_in_pings() const
    {
        return p99_of([](repetition const& r) { return median_of(r.pings); });
    }

private:
    static double median_of(std::vector<double> values) { return quantile(values, 0.5); }

    template <class Figure>
    std::vector<double> of_each(Figure of) const
    {
        std::vector<double> figures;
        for (auto const& r : repetitions)
            figures.push_back(of(r));
        return figures;
    }

    template <class Unit>
    double p99_of(Unit of) const
    {
        std::vector<double> all;
        for (auto const& r : repetitions)
            std::ranges::transform(r.values, std::back_inserter(all), [unit = of(r)](double v) { return v / unit; });
        return quantile(all, 0.99);
    }
};

// Configurations whose hand-overs take long, or whose median has a target, get more turns.
int turns_of(entrant const& entry)
{
    if (entry.polls)
        return 2;
    return entry.folder == ours ? 4 : 1;
}

competitor of(redis_server const& server, entrant const& entry)
{
    return {
        entry.name,
        [&server, entry] { return std::make_unique<pair_of_contenders>(server, entry, false); },
        entry.polls ? of_pollers : short_ones,
        turns_of(entry)};
}

competitor same_process(redis_server const& server, entrant const& entry, pauses before)
{
    return {entry.name, [&server, entry] { return std::make_unique<pair_of_contenders>(server, entry, true); }, before};
}

competitor ping(redis_server const& server)
{
    return {"PING, round trip", [&server] { return std::make_unique<lone_pings>(server); }};
}

std::vector<competitor> competitors(redis_server const& server)
{
    auto all = std::vector{
        ping(server),
        same_process(server, {"holdfast mutex, handed off", ours, "mutex"}, handed_off),
        same_process(server, {"holdfast mutex, same process", ours, "mutex"}, long_ones),
        same_process(server, {"holdfast fair_lock, same process", ours, "fair"}, short_ones),
        of(server, {bare_fair, ours, "bare_fair"}),
        of(server, {"holdfast fair_lock", ours, "fair"}),
        of(server, {bare_permit, ours, "bare_permit"}),
        of(server, {"holdfast semaphore", ours, "semaphore_1"}),
        of(server, {"holdfast election, by resignation", ours, "election"}),
        of(server, {bare_mutex, ours, "bare_mutex"})};
    for (auto const& entry : all_entrants())
        all.push_back(of(server, entry));
    all.push_back(of(server, {"Redisson RFairLock, threads", "redisson", "fair_threads"}));
    return all;
}

std::chrono::milliseconds any(pauses p)
{
    static std::minstd_rand random(1);
    return std::chrono::milliseconds(std::uniform_int_distribution(p.least, p.most)(random));
}

void attempt(outcome& o, std::function<void()> const& something)
try {
    if (o.not_run.empty())
        something();
} catch (std::exception const& e) {
    o.not_run = e.what();
}

repetition take_turn(subject& one, lone_pings& ping, pauses before, std::chrono::milliseconds length)
{
    repetition r;
    for (auto const end = clock::now() + length; clock::now() < end;) {
        r.values.push_back(one.measure(any(before)));
        r.pings.push_back(ping.measure(any(short_ones)));
    }
    return r;
}

std::vector<outcome> run(std::vector<competitor> const& all, lone_pings& ping, plan const& p)
{
    std::vector<outcome> outcomes(all.size());
    std::vector<std::unique_ptr<subject>> ready(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        attempt(outcomes[i], [&] {
            std::fprintf(stderr, "\r%-70s", ("starting " + all[i].name).c_str());
            ready[i] = all[i].make();
            for (auto n = 0; n < (all[i].polls() ? 3 : p.warm_up); ++n)
                ready[i]->measure(1ms);
        });
    for (int r = 0; r < p.repetitions; ++r)
        for (std::size_t i = 0; i < all.size(); ++i)
            attempt(outcomes[i], [&] {
                std::fprintf(stderr, "\r%-70s", ("repetition " + std::to_string(r + 1) + ": " + all[i].name).c_str());
                outcomes[i].repetitions.push_back(take_turn(*ready[i], ping, all[i].before, p.turn * all[i].turns));
            });
    std::fprintf(stderr, "\r%-70s\r", "");
    return outcomes;
}

table::row row_of(std::string const& name, outcome const& o)
{
    if (!o.not_run.empty())
        return {name, {}, "not run: " + o.not_run};
    return {name, {spread_of(o.medians()), o.in_pings(), {o.p99()}, {o.p99_in_pings()}}};
}

void compare(
    std::string const& name, outcome const& o, std::string const& limit, outcome const& least, publication& out)
{
    auto const which = name + " / " + limit;
    out.claim(which + ", p50", ratio(o.medians(), least.medians()), 0, 1.15);
    out.claim(which + ", p99", o.p99() / least.p99(), 0, 0);
}

void claim(std::map<std::string, outcome> const& by_name, publication& out)
{
    auto const mutex = "holdfast mutex", fair = "holdfast fair_lock", permit = "holdfast semaphore";
    out.claim(fair + std::string(", p50 in PINGs"), by_name.at(fair).in_pings(), 0, 1.5);
    out.claim(mutex + std::string(", p50 in PINGs"), by_name.at(mutex).in_pings(), 0, 2.3);
    out.claim(mutex + std::string(", p99 in PINGs"), by_name.at(mutex).p99_in_pings(), 0, 4);
    out.claim(permit + std::string(", p50 in PINGs"), by_name.at(permit).in_pings(), 0, 2.3);
    compare(mutex, by_name.at(mutex), bare_mutex, by_name.at(bare_mutex), out);
    compare(fair, by_name.at(fair), bare_fair, by_name.at(bare_fair), out);
    compare(permit, by_name.at(permit), bare_permit, by_name.at(bare_permit), out);
}

void measure(options const& o, redis_server& server, publication& out)
{
    auto const all = competitors(server);
    lone_pings ping(server);
    auto outcomes = run(all, ping, o.quick ? plan{.repetitions = 2, .turn = 200ms, .warm_up = 5} : plan());
    table t{"from release to the next holder", {{"p50 us", 0}, {"PINGs", 2}, {"p99 us", 0}, {"in PINGs", 2}}, {}};
    for (std::size_t i = 0; i < all.size(); ++i)
        t.rows.push_back(row_of(all[i].name, outcomes[i]));
    out.add(std::move(t));
    std::map<std::string, outcome> by_name;
    for (std::size_t i = 0; i < all.size(); ++i)
        by_name[all[i].name] = std::move(outcomes[i]);
    claim(by_name, out);
    out.note(
        "in another process than the holder's, unless it says so; one waits; p99 of all hand-overs of all repetitions");
    out.note("handed off: held for 2 to 8 ms, so that the grant stays in the process; the other of the same process: "
             "longer");
    out.note(
        "PINGs: of the median of those that were sent in between in the same repetition, one after each hand-over");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("handover", argc, argv, holdfast::bench::measure);
}
