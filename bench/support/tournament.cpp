//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/tournament.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Enough for all contenders to have begun, threads included.
constexpr auto ramp = 200ms;

// The processes of one contestant.
using team = std::vector<std::unique_ptr<peer>>;

team make_team(entrant const& who, redis_server const& server, std::size_t size)
{
    team all;
    for (std::size_t i = 0; i < size; ++i)
        all.push_back(std::make_unique<peer>(program_of(who, server)));
    return all;
}

pairs_order make_order(contest const& c, std::chrono::milliseconds length)
{
    auto const begin = clock::now() + ramp;
    return {.contenders = c.contenders, .names = c.names, .hold = c.hold, .begin = begin, .end = begin + length};
}

void add(score& s, pairs_account const& a)
{
    s.pairs += a.pairs;
    s.client_cpu += a.cpu;
    s.waits.insert(s.waits.end(), a.waits.begin(), a.waits.end());
}

score take_turn(redis_server& server, team& all, contest const& c, std::chrono::milliseconds length)
{
    auto const order = make_order(c, length);
    for (auto& one : all)
        one->begin_pairs(order);

    std::this_thread::sleep_until(order.begin);
    auto const used = server.cpu_time();
    auto const counted = server.counters();
    std::this_thread::sleep_until(order.end);
    auto const then = server.counters();
    score s{.seconds = std::chrono::duration<double>(length).count()};
    s.server_cpu = (server.cpu_time() - used).count();
    s.commands = then.commands - counted.commands;
    s.bytes = then.bytes - counted.bytes;

    for (auto& one : all)
        add(s, one->end_pairs());
    return s;
}

// A contestant at work, until it fails.
class runner {
public:
    runner(redis_server& server, entrant const& who, contest const& c) : server_(server), contest_(c), standing_{who}
    {
        attempt([&] {
            team_ = make_team(who, server, c.processes);
            standing_.version = team_.front()->version();
            standing_.lacks = team_.front()->lacks();
            take_turn(server_, team_, contest_, contest_.warm_up);
        });
    }

    void take_turn_of_repetition()
    {
        attempt([&] { standing_.scores.push_back(take_turn(server_, team_, contest_, contest_.turn)); });
    }

    standing const& result() const { return standing_; }

private:
    void attempt(std::function<void()> const& something)
    try {
        if (standing_.not_run.empty())
            something();
    } catch (std::exception const& e) {
        standing_.not_run = e.what();
        standing_.scores.clear();
        team_.clear();
        server_.clear();  // what it held is in the way of nobody
    }

    redis_server& server_;
    contest contest_;
    standing standing_;
    team team_;
};

fs::path folder_of_programs()
{
    return fs::read_symlink("/proc/self/exe").parent_path();
}

std::string first_line_of(fs::path const& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

}  // namespace

spread standing::over(std::function<double(score const&)> const& quantity) const
{
    std::vector<double> values;
    for (auto const& s : scores)
        values.push_back(quantity(s));
    return spread_of(std::move(values));
}

double standing::wait(double share) const
{
    std::vector<double> all;
    for (auto const& s : scores)
        all.insert(all.end(), s.waits.begin(), s.waits.end());
    return quantile(all, share);
}

std::vector<std::string> program_of(entrant const& who, redis_server const& server)
{
    if (who.folder == "holdfast")
        return {folder_of_programs() / "holdfast_bench_peer", server.address(), who.mode};
    auto const folder = folder_of_programs().parent_path() / "peers" / who.folder;
    if (fs::exists(folder / "not_run"))
        throw std::runtime_error(first_line_of(folder / "not_run"));
    if (!fs::exists(folder / "peer"))
        throw std::runtime_error("not built: bench/peers/build does it");
    return {folder / "peer", server.address(), who.mode};
}

std::vector<standing> hold_contest(redis_server& server, std::vector<entrant> const& entrants, contest const& c)
{
    server.clear();
    std::vector<std::unique_ptr<runner>> runners;
    for (auto const& who : entrants) {
        std::fprintf(stderr, "\r%-70s", ("starting " + who.name).c_str());
        runners.push_back(std::make_unique<runner>(server, who, c));
    }
    for (int r = 0; r < c.repetitions; ++r) {
        std::fprintf(stderr, "\r%-70s", ("repetition " + std::to_string(r + 1)).c_str());
        for (auto& one : runners)
            one->take_turn_of_repetition();
    }
    std::fprintf(stderr, "\r%-70s\r", "");
    std::vector<standing> all;
    for (auto const& one : runners)
        all.push_back(one->result());
    return all;
}

}  // namespace holdfast::bench
