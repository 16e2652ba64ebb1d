//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "chaos/battlefield.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

std::optional<held_interval> to_hold(std::string const& line, std::string const& name)
{
    std::istringstream words(line);
    held_interval h;
    if (!(words >> h.lock >> h.from >> h.to >> h.fence))
        return std::nullopt;
    std::string shared;
    h.shared = bool(words >> shared);
    h.holder = name;
    return h;
}

std::uint64_t number_of(char const* variable, std::uint64_t otherwise)
{
    auto const* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Returns the process's lines that begin with that word, without the word.
std::vector<std::string> lines_of(child const& c, std::string const& word)
{
    std::vector<std::string> all;
    for (auto const& line : c.lines())
        if (line == word || line.starts_with(word + ' '))
            all.push_back(line.substr(std::min(word.size() + 1, line.size())));
    return all;
}

}  // namespace

battlefield::battlefield(std::size_t processes, words_of words, std::chrono::milliseconds lease, std::uint64_t seed)
    : words_of_(std::move(words)), lease_(lease), chance_(seed)
{
    for (std::size_t i = 0; i < processes; ++i)
        start(i);
}

void battlefield::start(std::size_t number)
{
    alive_.push_back({number, std::make_unique<child>(words_of_(server_, number))});
}

battlefield::period battlefield::calm(std::chrono::seconds time)
{
    auto const now = [] { return clock::now().time_since_epoch().count(); };
    CHECK(wait_until([&] { return reported_at_end("ready").size() == alive_.size(); }));
    auto const from = now();
    std::this_thread::sleep_for(time);
    return {from, now()};
}

void battlefield::rage(std::chrono::seconds time)
{
    auto const end = clock::now() + time;
    while (clock::now() < end) {
        std::this_thread::sleep_for(chance_.between(20ms, 200ms));
        wake_paused(clock::now());
        strike();
    }
    wake_paused(clock::time_point::max());
}

void battlefield::end()
{
    for (std::size_t i = 0; i < alive_.size(); ++i)
        alive_[i].process->signal(i % 2 == 0 ? SIGTERM : SIGKILL);
    for (auto const& f : alive_)
        CHECK(wait_until([&] { return f.process->is_over(); }));
}

std::vector<held_interval> battlefield::holds() const
{
    std::vector<held_interval> all;
    int number = 0;
    auto const add = [&](child const& c) {
        auto const name = "process " + std::to_string(++number);
        for (auto const& line : lines_of(c, "hold"))
            if (auto h = to_hold(line, name))
                all.push_back(std::move(*h));
    };
    for (auto const& f : alive_)
        add(*f.process);
    for (auto const& c : dead_)
        add(*c);
    return all;
}

std::vector<std::string> battlefield::reported(std::string const& word) const
{
    auto all = reported_at_end(word);
    for (auto const& c : dead_)
        std::ranges::move(lines_of(*c, word), std::back_inserter(all));
    return all;
}

std::vector<std::string> battlefield::reported_at_end(std::string const& word) const
{
    std::vector<std::string> all;
    for (auto const& f : alive_)
        std::ranges::move(lines_of(*f.process, word), std::back_inserter(all));
    return all;
}

std::size_t battlefield::unavailable_in(period p) const
{
    auto const lines = reported("unavailable");
    auto const is_in = [&](std::string const& line) {
        auto const when = std::stoll(line);
        return p.from <= when && when <= p.to;
    };
    return static_cast<std::size_t>(std::ranges::count_if(lines, is_in));
}

void battlefield::strike()
{
    switch (chance_.below(10)) {
        case 0:
        case 1: return disconnect_one();
        case 2: return disconnect({"TYPE", "normal"});
        case 3: return disconnect({"TYPE", "pubsub"});
        case 4: ++done_.flushed; return void(server_.command({"SCRIPT", "FLUSH"}));
        case 5: return stop_server();
        case 6:
        case 7: return stop_process();
        case 8: return kill_process();
        default: return;
    }
}

void battlefield::disconnect(std::vector<std::string> filter)
{
    ++done_.disconnected;
    filter.insert(filter.begin(), {"CLIENT", "KILL"});
    filter.insert(filter.end(), {"SKIPME", "yes"});
    server_.command(filter);
}

void battlefield::disconnect_one()
{
    std::istringstream list(server_.command({"CLIENT", "LIST"}).text);
    std::vector<std::string> ids;
    for (std::string line; std::getline(list, line);)
        if (line.starts_with("id="))
            ids.push_back(line.substr(3, line.find(' ') - 3));
    if (!ids.empty())
        disconnect({"ID", ids[chance_.below(ids.size())]});
}

void battlefield::stop_server()
{
    ++done_.server_stops;
    server_.freeze();
    std::this_thread::sleep_for(chance_.between(50ms, 2s));
    server_.thaw();
}

// Stops a process for up to two lease times, while the others go on.
void battlefield::stop_process()
{
    auto* const c = alive_[chance_.below(alive_.size())].process.get();
    if (std::ranges::any_of(paused_, [&](auto const& p) { return p.process == c; }))
        return;
    ++done_.process_stops;
    c->pause();
    paused_.push_back({c, clock::now() + std::chrono::nanoseconds(chance_.between(lease_ / 2, 2 * lease_))});
}

void battlefield::kill_process()
{
    auto& f = alive_[chance_.below(alive_.size())];
    ++done_.process_kills;
    std::erase_if(paused_, [&](auto const& p) { return p.process == f.process.get(); });
    f.process->signal(SIGKILL);
    dead_.push_back(std::move(f.process));
    auto const number = f.number;
    alive_.erase(alive_.begin() + (&f - alive_.data()));
    start(number);
}

void battlefield::wake_paused(clock::time_point now)
{
    std::erase_if(paused_, [&](auto const& p) {
        if (p.until > now)
            return false;
        p.process->resume();
        return true;
    });
}

std::string to_string(battlefield::damage const& d)
{
    return std::to_string(d.disconnected) + " disconnections, " + std::to_string(d.flushed) + " script flushes, "
           + std::to_string(d.server_stops) + " server stops, " + std::to_string(d.process_stops) + " process stops, "
           + std::to_string(d.process_kills) + " process kills";
}

std::chrono::seconds chaos_time()
{
    return std::chrono::seconds(number_of("HOLDFAST_CHAOS_SECONDS", 10));
}

std::uint64_t chaos_seed()
{
    return number_of("HOLDFAST_CHAOS_SEED", 1);
}

}  // namespace holdfast::test
