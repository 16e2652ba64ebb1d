//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One of several processes that acquire the same mutexes by multi_locks, in any order (the dining philosophers).
//
//     live_diner LEASE_MS TASKS MEALS SOCKET...    "ready", "eating" at the first meal, "fed" after the last one
//
// For a meal a task acquires two to four forks: mutexes that are spread over the servers. It counts the meal for each
// fork, on that fork's server: it reads the count, waits, and writes the count plus one. An increment is lost if two
// tasks have a fork at once. The server also counts the writes, in the same script.

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "support/chance.hpp"
#include "support/live.hpp"
#include "support/resp_client.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using asio::awaitable;

constexpr std::size_t forks = 7;
constexpr auto count_script = "redis.call('set', KEYS[1], ARGV[1]) return redis.call('incr', KEYS[2])";

struct diner {
    std::vector<client const*> clients;  // by server
    std::deque<resp_client> servers;
    chance luck{static_cast<std::uint64_t>(::getpid())};
    bool was_fed = false;

    std::vector<std::size_t> choose()
    {
        std::vector<std::size_t> chosen;
        auto const wanted = 2 + luck.below(3);
        while (chosen.size() < wanted) {
            auto const fork = luck.below(forks);
            if (std::ranges::find(chosen, fork) == chosen.end())
                chosen.push_back(fork);
        }
        return chosen;
    }

    multi_lock lock_of(std::vector<std::size_t> const& chosen) const
    {
        std::vector<any_lock> all;
        for (auto const fork : chosen)
            all.emplace_back(mutex(*clients[fork % clients.size()], "fork" + std::to_string(fork)));
        return multi_lock(all);
    }

    long read(std::size_t fork)
    {
        auto const reply = servers[fork % servers.size()].command({"GET", "count" + std::to_string(fork)});
        return std::atol(reply.text.c_str());
    }

    void write(std::size_t fork, long count)
    {
        auto const number = std::to_string(fork);
        servers[fork % servers.size()].command(
            {"EVAL", count_script, "2", "count" + number, "written" + number, std::to_string(count)});
    }

    // Returns false if the lease was lost before the counts were written.
    awaitable<bool> use(std::vector<std::size_t> const& chosen, lease const& l)
    {
        std::vector<long> counts;
        for (auto const fork : chosen)
            counts.push_back(read(fork));
        co_await sleep_for(std::chrono::milliseconds(luck.below(3)));
        bool const in_time = l.valid();
        for (std::size_t i = 0; in_time && i < chosen.size(); ++i)
            write(chosen[i], counts[i] + 1);
        co_return in_time;
    }

    awaitable<void> dine(int meals)
    {
        while (meals > 0) {
            auto const chosen = choose();
            error_code ec;
            auto l = co_await lock_of(chosen).acquire(redirect(ec));
            if (ec)
                continue;
            if (!std::exchange(was_fed, true))
                std::cout << "eating" << std::endl;
            bool const had_it = co_await use(chosen, l);
            meals -= had_it;
            co_await l.release(redirect(ec));
        }
    }
};

}  // namespace

int main(int count, char** words)
{
    if (count < 5)
        return 64;
    live l;
    diner all;
    for (int i = 4; i < count; ++i) {
        auto options = live::quick(std::string("unix://") + words[i]);
        options.lease = std::chrono::milliseconds(std::atoi(words[1]));
        all.clients.push_back(&l.client(options));
        all.servers.emplace_back(words[i]);
    }
    std::cout << "ready" << std::endl;
    auto const tasks = std::atoi(words[2]);
    int hungry = tasks;
    for (int i = 0; i < tasks; ++i)
        asio::co_spawn(l.context(), all.dine(std::atoi(words[3])), [&](std::exception_ptr e) { hungry -= !e; });
    if (!l.until([&] { return hungry == 0; }, 1h))
        return 1;
    std::cout << "fed" << std::endl;
    return 0;
}
