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

// Long enough for all contenders to start, including those that are threads.
constexpr auto ramp = 200ms;

// The processes of one contestant.
using team = std::vector<std::unique_ptr<peer>>;

team make_team(entrant const& entry, redis_server const& server, std::size_t size)
{
    team all;
    for (std::size_t i = 0; i < size; ++i)
        all.push_back(std::make_unique<peer>(program_of(entry, server)));
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
    s.waits.insert(s.waits.end(), a.waits.begin(), a.waits.end());
}

double cpu_time(team const& all)
{
    double sum = 0;
    for (auto const& one : all)
        sum += one->cpu_time().count();
    return sum;
}

score take_turn(redis_server& server, team& all, contest const& c, std::chrono::milliseconds length)
{
    auto const order = make_order(c, length);
    for (auto& one : all)
        one->begin_pairs(order);

    std::this_thread::sleep_until(order.begin);
    auto const used_by_clients = cpu_time(all);
    auto const used = server.cpu_time();
    auto const counted = server.counters();
    std::this_thread::sleep_until(order.end);
    auto const then = server.counters();
    score s{.seconds = std::chrono::duration<double>(length).count()};
    s.server_cpu = (server.cpu_time() - used).count();
    s.client_cpu = cpu_time(all) - used_by_clients;
    s.commands = then.commands - counted.commands;
    s.bytes = then.bytes - counted.bytes;

    for (auto& one : all)
        add(s, one->end_pairs());
    return s;
}

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

std::vector<std::string> program_of(entrant const& entry, redis_server const& server)
{
    auto const addresses = server.address() + entry.more_servers;
    if (entry.folder == "holdfast")
        return {folder_of_programs() / "holdfast_bench_peer", addresses, entry.mode};
    auto const folder = folder_of_programs().parent_path() / "peers" / entry.folder;
    if (fs::exists(folder / "not_run"))
        throw std::runtime_error(first_line_of(folder / "not_run"));
    if (!fs::exists(folder / "peer"))
        throw std::runtime_error("not built: bench/peers/build does it");
    return {folder / "peer", addresses, entry.mode};
}

// A contestant and its processes, until one of them fails.
class tournament::contestant {
public:
    contestant(redis_server& server, entrant const& entry, std::size_t processes) : server_(server), standing_{entry}
    {
        say("starting");
        attempt([&] {
            team_ = make_team(entry, server, processes);
            standing_.version = team_.front()->version();
            standing_.lacks = team_.front()->lacks();
        });
    }

    void warm_up(contest const& c)
    {
        standing_.scores.clear();
        say("warming up");
        attempt([&] { take_turn(server_, team_, c, c.warm_up); });
    }

    void take_turn_of(contest const& c, int repetition)
    {
        say("repetition " + std::to_string(repetition + 1));
        attempt([&] { standing_.scores.push_back(take_turn(server_, team_, c, c.turn)); });
    }

    standing const& result() const { return standing_; }

private:
    void attempt(std::function<void()> const& something)
    try {
        if (standing_.not_run.empty())
            something();
    } catch (std::exception const& e) {
        standing_.not_run = std::string(e.what()).substr(0, 120);
        standing_.scores.clear();
        team_.clear();
        server_.clear();  // its locks must not block the others
    }

    void say(std::string const& what) const
    {
        std::fprintf(stderr, "\r%-70s", (what + ": " + standing_.entry.name).c_str());
    }

    redis_server& server_;
    standing standing_;
    team team_;
};

tournament::tournament(redis_server& server, std::vector<entrant> const& entrants, std::size_t processes)
    : server_(server)
{
    for (auto const& entry : entrants)
        contestants_.push_back(std::make_unique<contestant>(server, entry, processes));
}

tournament::~tournament() = default;

std::vector<standing> tournament::hold(contest const& c)
{
    server_.clear();
    for (auto& one : contestants_)
        one->warm_up(c);
    for (int r = 0; r < c.repetitions; ++r)
        for (auto& one : contestants_)
            one->take_turn_of(c, r);
    std::fprintf(stderr, "\r%-70s\r", "");
    std::vector<standing> all;
    for (auto const& one : contestants_)
        all.push_back(one->result());
    return all;
}

}  // namespace holdfast::bench
