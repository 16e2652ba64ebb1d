//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Prints the longest turn of the event loop, in processor time of one handler, and the longest script of the server,
// with many contenders, waiters and held locks, and fails if one is beyond its bound. A crowd of another size: the first
// argument, a factor.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/growth.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr auto turn_bound = 20ms;
constexpr auto script_bound = 5ms;

bool all_are_within_bounds = true;

// A server, and the loop of one client that measures each of its handlers.
class stage {
public:
    stage()
    {
        server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "200"});
        server_.command({"CONFIG", "SET", "slowlog-max-len", "100000"});
        config c;
        c.url = server_.url();
        c.lease = 30s;
        c.command_timeout = 10s;
        client.emplace(context_, c);
        client->run(asio::detached);
    }
    ~stage()
    {
        client->stop();
        context_.restart();
        context_.run_for(5s);
    }

    // Runs until the condition holds, and prints the longest turn and the longest script since the last call.
    void measure(std::string const& what, std::function<bool()> holds, std::chrono::seconds limit = 120s)
    {
        auto const end = std::chrono::steady_clock::now() + limit;
        std::chrono::nanoseconds turn{};
        while (!holds() && std::chrono::steady_clock::now() < end) {
            context_.restart();
            auto const start = processor_time();
            if (context_.poll_one() > 0)
                turn = std::max(turn, processor_time() - start);
            else
                context_.run_one_for(1ms);
        }
        auto const script = longest_script();
        bool const is_within = holds() && turn <= turn_bound && script <= script_bound;
        all_are_within_bounds = all_are_within_bounds && is_within;
        std::printf(
            "%-58s longest turn %8.2f ms, longest script %8.2f ms%s\n",
            what.c_str(),
            in_milliseconds(turn),
            in_milliseconds(script),
            !holds()    ? ", NOT DONE"
            : is_within ? ""
                        : ", BEYOND THE BOUND");
        std::fflush(stdout);
    }
    // Ends the connection of the client.
    void disconnect() { server_.command({"CLIENT", "KILL", "TYPE", "normal"}); }
    // Until resume_writes() the server receives commands that write, and does not execute them.
    void pause_writes() { server_.command({"CLIENT", "PAUSE", "100000", "WRITE"}); }
    void resume_writes() { server_.command({"CLIENT", "UNPAUSE"}); }
    void pause(std::string const& what, std::chrono::milliseconds d)
    {
        auto const end = std::chrono::steady_clock::now() + d;
        measure(what, [end] { return std::chrono::steady_clock::now() >= end; });
    }
    template <class Coroutine>
    void spawn(Coroutine body)
    {
        asio::co_spawn(context_, std::move(body), asio::detached);
    }

private:
    // Other commands take microseconds; those that take longer were interrupted by the system.
    std::chrono::microseconds longest_script()
    {
        std::chrono::microseconds longest{};
        for (auto const& entry : server_.command({"SLOWLOG", "GET", "-1"}).items)
            if (auto const& words = entry.items.at(3).items; !words.empty() && words.front().text.starts_with("EVAL"))
                longest = std::max(longest, std::chrono::microseconds(entry.items.at(2).integer));
        server_.command({"SLOWLOG", "RESET"});
        return longest;
    }
    static double in_milliseconds(std::chrono::nanoseconds d) { return double(d.count()) / 1e6; }

    redis_server server_;
    asio::io_context context_{1};

public:
    std::optional<holdfast::client> client;  // destroyed first
    std::size_t done = 0;
    std::vector<lease> held;
};

std::string count_of(std::size_t n)
{
    return std::to_string(n) + " ";
}

void measure_readers(std::size_t n)
{
    stage s;
    auto const lock = read_write_lock(*s.client, "rw").read();
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&]() -> awaitable<void> {
            auto l = co_await lock.acquire();
            s.held.push_back(std::move(l));
        });
    s.measure(count_of(n) + "readers join", [&] { return s.held.size() == n; });
    s.held.clear();
    s.pause(count_of(n) + "readers leave", 2s);
}

// All acquire one lock in turn.
template <class Lock>
void measure_turns(std::string const& what, Lock const& lock, stage& s, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, lock]() -> awaitable<void> {
            auto l = co_await lock.acquire();
            ++s.done;
            co_await l.release();
        });
    s.measure(
        count_of(n) + what, [&] { return s.done == n; }, 300s);
}

void measure_fair(std::size_t n)
{
    stage s;
    measure_turns("waiters of one fair_lock in turn", fair_lock(*s.client, "f"), s, n);
}

void measure_mutex(std::size_t n)
{
    stage s;
    measure_turns("waiters of one mutex in turn", mutex(*s.client, "m"), s, n);
}

void measure_held(std::size_t n)
{
    stage s;
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, i]() -> awaitable<void> {
            auto l = co_await mutex(*s.client, "m" + std::to_string(i)).acquire({.lease = 9s});
            s.held.push_back(std::move(l));
        });
    s.measure(count_of(n) + "mutexes acquired at once", [&] { return s.held.size() == n; });
    s.pause(count_of(n) + "mutexes held, each renewed every 3 s", 10s);
    s.disconnect();
    s.pause(count_of(n) + "mutexes held, and a new connection", 10s);
    s.held.clear();
    s.pause(count_of(n) + "mutexes released at once", 5s);
}

void measure_members(std::size_t n)
{
    stage s;
    std::vector<any_lock> members;
    for (std::size_t i = 0; i < n; ++i)
        members.emplace_back(mutex(*s.client, "m" + std::to_string(i)));
    auto const start = processor_time();
    multi_lock const all(members);
    std::printf(
        "%-58s %21.2f ms\n",
        (count_of(n) + "members: constructor of a multi_lock").c_str(),
        double((processor_time() - start).count()) / 1e6);
    s.spawn([&]() -> awaitable<void> {
        auto l = co_await all.acquire();
        co_await l.release();
        ++s.done;
    });
    s.measure(count_of(n) + "members of a multi_lock", [&] { return s.done == 1; });
}

void measure_semaphore(std::size_t n)
{
    stage s;
    measure_turns("contenders for 100 permits in turn", semaphore(*s.client, "s", {.permits = 100}), s, n);
}

// One contender acquires the lock, the others wait for it. Then somebody reads who they are.
void measure_fair_queue(std::size_t n)
{
    stage s;
    fair_lock const lock(*s.client, "f");
    std::size_t seen = 0;
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, lock]() -> awaitable<void> { s.held.push_back(co_await lock.acquire()); });
    s.pause(count_of(n) + "waiters of one fair_lock join", 5s);
    s.spawn([&]() -> awaitable<void> { seen = (co_await lock.waiters()).size(); });
    s.measure(count_of(n) + "waiters of one fair_lock are read", [&] { return seen == n - 1; });
}

void measure_permits(std::size_t n)
{
    stage s;
    semaphore const sem(*s.client, "s", {.permits = static_cast<std::uint32_t>(n)});
    std::size_t seen = 0;
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, sem]() -> awaitable<void> { s.held.push_back(co_await sem.acquire()); });
    s.measure(count_of(n) + "permits of one semaphore acquired at once", [&] { return s.held.size() == n; });
    s.spawn([&]() -> awaitable<void> { seen = (co_await sem.holders()).size(); });
    s.measure(count_of(n) + "holders of permits are read", [&] { return seen == n; });
    s.spawn([&]() -> awaitable<void> { s.done = (co_await sem.permits()).held; });
    s.measure(count_of(n) + "permits are counted", [&] { return s.done == n; });
    s.held.clear();
    s.pause(count_of(n) + "permits released at once", 5s);
}

// The connection ends while the reply to each of the commands is outstanding.
void measure_outstanding(std::size_t n)
{
    stage s;
    s.pause_writes();
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, i]() -> awaitable<void> {
            s.held.push_back(co_await mutex(*s.client, "m" + std::to_string(i)).acquire());
        });
    s.pause(count_of(n) + "commands without a reply", 3s);
    s.disconnect();
    s.resume_writes();
    s.measure(count_of(n) + "commands without a reply, and a new connection", [&] { return s.held.size() == n; });
}

// Waiters of a lock that is held, when their client stops.
void measure_stop(std::size_t n)
{
    stage s;
    auto const lock = mutex(*s.client, "m");
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, lock]() -> awaitable<void> {
            try {
                auto l = co_await lock.acquire();
                s.held.push_back(std::move(l));
            } catch (boost::system::system_error const&) {
                ++s.done;
            }
        });
    s.measure(count_of(n) + "waiters of a mutex", [&] { return s.held.size() == 1; });
    s.client->stop();
    s.measure(count_of(n) + "waiters, and the client stops", [&] { return s.done == n - 1; });
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv)
{
    using namespace holdfast::test;
    auto const factor = argc > 1 ? std::atof(argv[1]) : 1.0;
    auto const times = [factor](double n) { return static_cast<std::size_t>(n * factor); };
    for (double const n : {1'000., 10'000., 30'000.})
        measure_readers(times(n));
    for (double const n : {1'000., 10'000.}) {
        measure_fair(times(n));
        measure_mutex(times(n));
        measure_semaphore(times(n));
    }
    measure_fair_queue(times(10'000));
    measure_permits(times(10'000));
    measure_outstanding(times(10'000));
    measure_members(times(10'000));
    measure_stop(times(10'000));
    measure_held(times(100'000));
    return all_are_within_bounds ? EXIT_SUCCESS : EXIT_FAILURE;
}
