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

struct plan {
    int repetitions = 5;
    std::chrono::milliseconds turn = 1s;  // twice as long for those that poll
    int warm_up = 100;                    // hand-overs
};

// Two contenders, one of whom has the lock while the other waits for it; then the other way round. Nobody has it in
// between: not every library renews its leases.
class pair_of_contenders {
public:
    pair_of_contenders(redis_server const& server, entrant const& who, bool same_process)
        : name_("bench:" + who.folder + ":" + who.mode + (same_process ? ":one" : ":two")),
          processes_(same_process ? 1 : 2)
    {
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

// A PING after a pause as long as those of the others: it finds a processor as cold as they do.
class lone_pings {
public:
    explicit lone_pings(redis_server const& server) : peer_(program_of({"", "holdfast", "ping"}, server)) {}

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

// Makes what is measured; each call of the result measures once, after a pause.
using measured = std::function<double(std::chrono::milliseconds)>;
struct competitor {
    std::string name;
    std::function<measured()> make;
    bool polls = false;
};

struct outcome {
    std::string not_run = {};
    std::vector<std::vector<double>> repetitions = {};  // microseconds

    spread median() const
    {
        std::vector<double> values;
        for (auto one : repetitions)
            values.push_back(quantile(one, 0.5));
        return spread_of(std::move(values));
    }
    double at(double share) const
    {
        std::vector<double> all;
        for (auto const& one : repetitions)
            all.insert(all.end(), one.begin(), one.end());
        return quantile(all, share);
    }
};

competitor of(redis_server const& server, entrant const& who, bool same_process = false)
{
    return {
        who.name,
        [&server, who, same_process]() -> measured {
            auto const two = std::make_shared<pair_of_contenders>(server, who, same_process);
            return [two](std::chrono::milliseconds pause) { return two->hand_over(pause); };
        },
        who.polls};
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
        of(server, {"holdfast mutex, same process", "holdfast", "mutex"}, true),
        of(server, {"holdfast fair_lock, same process", "holdfast", "fair"}, true),
        of(server, {"holdfast fair_lock", "holdfast", "fair"})};
    for (auto const& who : all_entrants())
        all.push_back(of(server, who));
    all.push_back(of(server, {"Redisson RFairLock, threads", "redisson", "fair_threads"}));
    return all;
}

// Pauses differ at random. A poller must be met at any point of its sleep, with the same chance.
std::chrono::milliseconds any_pause(bool polls)
{
    static std::minstd_rand random(1);
    return std::chrono::milliseconds(std::uniform_int_distribution(5, polls ? 305 : 25)(random));
}

void attempt(outcome& o, std::function<void()> const& something)
try {
    if (o.not_run.empty())
        something();
} catch (std::exception const& e) {
    o.not_run = e.what();
}

std::vector<double> take_turn(measured const& once, bool polls, std::chrono::milliseconds length)
{
    std::vector<double> values;
    for (auto const end = clock::now() + length; clock::now() < end;)
        values.push_back(once(any_pause(polls)));
    return values;
}

std::vector<outcome> run(std::vector<competitor> const& all, plan const& p)
{
    std::vector<outcome> outcomes(all.size());
    std::vector<measured> ready(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        attempt(outcomes[i], [&] {
            std::fprintf(stderr, "\r%-70s", ("starting " + all[i].name).c_str());
            ready[i] = all[i].make();
            for (auto n = 0; n < (all[i].polls ? 3 : p.warm_up); ++n)
                ready[i](1ms);
        });
    for (int r = 0; r < p.repetitions; ++r)
        for (std::size_t i = 0; i < all.size(); ++i)
            attempt(outcomes[i], [&] {
                std::fprintf(stderr, "\r%-70s", ("repetition " + std::to_string(r + 1) + ": " + all[i].name).c_str());
                outcomes[i].repetitions.push_back(take_turn(ready[i], all[i].polls, p.turn * (all[i].polls ? 2 : 1)));
            });
    std::fprintf(stderr, "\r%-70s\r", "");
    return outcomes;
}

void measure(options const& o, redis_server& server, publication& out)
{
    auto const all = competitors(server);
    auto const outcomes = run(all, o.quick ? plan{.repetitions = 2, .turn = 300ms, .warm_up = 5} : plan());
    auto const ping_p50 = outcomes.front().median().median;
    auto const ping_p99 = outcomes.front().at(0.99);
    table t{
        "from release to the next holder",
        {{"p50 us", 0}, {"p50 / PING's", 2}, {"p99 us", 0}, {"p99 / PING's", 2}},
        {}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = outcomes[i];
        if (!one.not_run.empty())
            t.rows.push_back({all[i].name, {}, "not run: " + one.not_run});
        else
            t.rows.push_back(
                {all[i].name,
                 {one.median(), {one.median().median / ping_p50}, {one.at(0.99)}, {one.at(0.99) / ping_p99}}});
    }
    out.add(std::move(t));
    out.note(
        "processes other than the holder's, unless it says so; one waiter; p99 of all hand-overs of all repetitions");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("handover", argc, argv, holdfast::bench::measure);
}
