//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// From the release of a lock to the next holder running: in the same process, in another one, and beside the libraries
// of bench/peers; as multiples of a PING's round trip.
#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto ours = "holdfast";

struct plan {
    int repetitions = 5;
    std::chrono::milliseconds turn = 1s;
    int warm_up = 100;  // hand-overs
};

// Two contenders, one of whom has the lock while the other waits for it; then the other way round. Nobody has it in
// between: not every library renews its leases.
class pair_of_contenders {
public:
    pair_of_contenders(redis_server const& server, entrant const& who, bool same_process)
        : name_("bench:" + who.name + (same_process ? ":one" : ":two")), processes_(same_process ? 1 : 2)
    {
        std::ranges::replace(name_, ' ', '_');  // it is one word of the protocol
        for (auto i = 0; i < processes_; ++i)
            peers_.push_back(std::make_unique<peer>(program_of(who, server)));
    }

    // Microseconds. `waiting`: how long the other has been waiting when the lock is released.
    double hand_over(std::chrono::milliseconds waiting)
    {
        auto const holder = std::exchange(next_, 1 - next_);
        of(holder).begin_acquire(name_, holder);
        of(holder).end_acquire();
        of(next_).begin_acquire(name_, next_);
        std::this_thread::sleep_for(waiting);
        auto const released = of(holder).release(name_, holder);
        auto const at = of(next_).end_acquire().at;
        of(next_).release(name_, next_);
        return std::chrono::duration<double, std::micro>(at - released).count();
    }

private:
    peer& of(int contender) { return *peers_[static_cast<std::size_t>(contender % processes_)]; }

    std::string name_;
    int processes_;
    std::vector<std::unique_ptr<peer>> peers_;
    int next_ = 0;
};

// The yardstick. Each hand-over is followed by one, after a pause: both meet the same machine, and find processors as
// cold.
class lone_pings {
public:
    explicit lone_pings(redis_server const& server) : peer_(program_of({"", ours, "ping"}, server)) {}

    double round_trip(std::chrono::milliseconds pause)
    {
        std::this_thread::sleep_for(pause);
        peer_.begin_acquire("", 0);
        auto const done = peer_.end_acquire();
        return std::chrono::duration<double, std::micro>(done.at - done.asked).count();
    }

private:
    peer peer_;
};

// How long the next one waits before the release, at random: milliseconds.
struct pauses {
    int least, most;
};
constexpr pauses handed_off{2, 8};  // within config::local_handoff
constexpr pauses short_ones{5, 25};
constexpr pauses long_ones{12, 25};   // the turn of the process is over
constexpr pauses of_pollers{5, 305};  // they must be met at any point of their sleep with the same chance

// Makes what is measured; each call of the result measures once, after a pause.
using measured = std::function<double(std::chrono::milliseconds)>;
struct competitor {
    std::string name;
    std::function<measured()> make;
    pauses before = short_ones;
    int turns = 1;  // of which a repetition consists
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

    spread median() const
    {
        return over_repetitions([](repetition const& r) { return median_of(r.values); });
    }
    spread in_pings() const
    {
        return over_repetitions([](repetition const& r) { return median_of(r.values) / median_of(r.pings); });
    }
    double p99() const
    {
        auto values = all(&repetition::values);
        return quantile(values, 0.99);
    }
    double p99_in_pings() const { return p99() / median_of(all(&repetition::pings)); }

private:
    static double median_of(std::vector<double> values) { return quantile(values, 0.5); }

    template <class Figure>
    spread over_repetitions(Figure of) const
    {
        std::vector<double> figures;
        for (auto const& r : repetitions)
            figures.push_back(of(r));
        return spread_of(std::move(figures));
    }

    std::vector<double> all(std::vector<double> repetition::*of) const
    {
        std::vector<double> values;
        for (auto const& r : repetitions)
            values.insert(values.end(), (r.*of).begin(), (r.*of).end());
        return values;
    }
};

// More where each takes long, and where something is asked of the median.
int turns_of(entrant const& who)
{
    if (who.polls)
        return 2;
    return who.folder == ours ? 4 : 1;
}

competitor of(redis_server const& server, entrant const& who)
{
    return {
        who.name,
        [&server, who]() -> measured {
            auto const two = std::make_shared<pair_of_contenders>(server, who, false);
            return [two](std::chrono::milliseconds pause) { return two->hand_over(pause); };
        },
        who.polls ? of_pollers : short_ones,
        turns_of(who)};
}

competitor same_process(redis_server const& server, entrant const& who, pauses before)
{
    return {
        who.name,
        [&server, who]() -> measured {
            auto const two = std::make_shared<pair_of_contenders>(server, who, true);
            return [two](std::chrono::milliseconds pause) { return two->hand_over(pause); };
        },
        before};
}

competitor ping(redis_server const& server)
{
    return {"PING, round trip", [&server]() -> measured {
                auto const one = std::make_shared<lone_pings>(server);
                return [one](std::chrono::milliseconds pause) { return one->round_trip(pause); };
            }};
}

std::vector<competitor> competitors(redis_server const& server)
{
    auto all = std::vector{
        ping(server),
        same_process(server, {"holdfast mutex, handed off", ours, "mutex"}, handed_off),
        same_process(server, {"holdfast mutex, same process", ours, "mutex"}, long_ones),
        same_process(server, {"holdfast fair_lock, same process", ours, "fair"}, short_ones),
        of(server, {"holdfast fair_lock", ours, "fair"})};
    for (auto const& who : all_entrants())
        all.push_back(of(server, who));
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

repetition take_turn(measured const& once, lone_pings& ping, pauses before, std::chrono::milliseconds length)
{
    repetition r;
    for (auto const end = clock::now() + length; clock::now() < end;) {
        r.values.push_back(once(any(before)));
        r.pings.push_back(ping.round_trip(any(short_ones)));
    }
    return r;
}

std::vector<outcome> run(std::vector<competitor> const& all, lone_pings& ping, plan const& p)
{
    std::vector<outcome> outcomes(all.size());
    std::vector<measured> ready(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        attempt(outcomes[i], [&] {
            std::fprintf(stderr, "\r%-70s", ("starting " + all[i].name).c_str());
            ready[i] = all[i].make();
            for (auto n = 0; n < (all[i].polls() ? 3 : p.warm_up); ++n)
                ready[i](1ms);
        });
    for (int r = 0; r < p.repetitions; ++r)
        for (std::size_t i = 0; i < all.size(); ++i)
            attempt(outcomes[i], [&] {
                std::fprintf(stderr, "\r%-70s", ("repetition " + std::to_string(r + 1) + ": " + all[i].name).c_str());
                outcomes[i].repetitions.push_back(take_turn(ready[i], ping, all[i].before, p.turn * all[i].turns));
            });
    std::fprintf(stderr, "\r%-70s\r", "");
    return outcomes;
}

table::row row_of(std::string const& name, outcome const& o)
{
    if (!o.not_run.empty())
        return {name, {}, "not run: " + o.not_run};
    return {name, {o.median(), o.in_pings(), {o.p99()}, {o.p99_in_pings()}}};
}

void claim(std::string const& name, outcome const& o, publication& out)
{
    if (name == "holdfast mutex") {
        out.claim(name + ", p50 in PINGs", o.in_pings(), 0, 2.3);
        out.claim(name + ", p99 in PINGs", o.p99_in_pings(), 0, 4);
    } else if (name == "holdfast fair_lock")
        out.claim(name + ", p50 in PINGs", o.in_pings(), 0, 1.5);
}

void measure(options const& o, redis_server& server, publication& out)
{
    auto const all = competitors(server);
    lone_pings ping(server);
    auto const outcomes = run(all, ping, o.quick ? plan{.repetitions = 2, .turn = 200ms, .warm_up = 5} : plan());
    table t{"from release to the next holder", {{"p50 us", 0}, {"PINGs", 2}, {"p99 us", 0}, {"in PINGs", 2}}, {}};
    for (std::size_t i = 0; i < all.size(); ++i)
        t.rows.push_back(row_of(all[i].name, outcomes[i]));
    out.add(std::move(t));
    for (std::size_t i = 0; i < all.size(); ++i)
        claim(all[i].name, outcomes[i], out);
    out.note(
        "in another process than the holder's, unless it says so; one waits; p99 of all hand-overs of all repetitions");
    out.note("handed off: held for 2 to 8 ms, so that the grant stays in the process; the other of the same process: "
             "longer");
    out.note("PINGs: of the median of those that were sent in between, one after each hand-over");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("handover", argc, argv, holdfast::bench::measure);
}
