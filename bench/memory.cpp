//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures the memory of one held lock and of one waiter, without that of the caller: callbacks have no coroutine
// frame. It counts the bytes that malloc has allocated, including malloc's overhead.
#include <algorithm>
#include <functional>
#include <malloc.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <holdfast.hpp>

#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr double most_bytes = 1024;
constexpr std::size_t wave = 1000;  // acquires started at a time: no operation is under way when memory is measured

double bytes_in_use()
{
    auto const m = ::mallinfo2();
    return static_cast<double>(m.uordblks + m.hblkhd);
}

class subject {
public:
    explicit subject(redis_server const& server)
        : client_(context_, {.url = server.url(), .lease = std::chrono::minutes(10), .log = [](auto, auto) {}})
    {
        client_.run(asio::detached);
        client_.ready([this](error_code) { context_.stop(); });
        context_.run();
    }

    client const& locks_client() const { return client_; }

    // Runs until the condition holds.
    void run_until(std::function<bool()> const& holds)
    {
        context_.restart();
        while (!holds())
            context_.run_one();
    }
    // Runs the ready handlers, so that the engine receives the requests.
    void settle()
    {
        context_.restart();
        context_.poll();
    }

private:
    asio::io_context context_;
    client client_;
};

struct item {
    std::string name;
    double bytes;
    double at_most = 0;
};

struct bill {
    double handle = 0;  // per lock
    double held = 0;
};

void acquire(mutex const& lock, std::vector<lease>& into, std::size_t& arrived)
{
    lock.acquire([&into, &arrived](error_code ec, lease l) {
        if (ec)
            throw std::runtime_error("memory: not granted");
        into.push_back(std::move(l));
        ++arrived;
    });
}

bill hold(subject& s, std::size_t count)
{
    std::vector<mutex> handles;
    std::vector<lease> leases;
    handles.reserve(count);
    leases.reserve(count);
    std::size_t arrived = 0;
    auto const empty = bytes_in_use();
    for (std::size_t i = 0; i < count; ++i)
        handles.emplace_back(s.locks_client(), "bench:memory:" + std::to_string(i));
    auto const made = bytes_in_use();
    for (std::size_t i = 0; i < count;) {
        for (auto const end = std::min(count, i + wave); i < end; ++i)
            acquire(handles[i], leases, arrived);
        s.run_until([&] { return arrived == i; });
    }
    auto const held = bytes_in_use();
    for (auto& l : leases)
        l.release([&arrived](error_code) { --arrived; });
    s.run_until([&] { return arrived == 0; });
    auto const n = static_cast<double>(count);
    return {(made - empty) / n, (held - made) / n};
}

// Bytes per waiter; all wait for one lock.
double wait(subject& s, std::size_t count, std::optional<std::chrono::milliseconds> time_limit)
{
    mutex const lock(s.locks_client(), "bench:memory");
    std::vector<lease> holder;
    std::size_t arrived = 0, ended = 0;
    holder.reserve(1);
    acquire(lock, holder, arrived);
    s.run_until([&] { return arrived == 1; });
    auto const nobody = bytes_in_use();
    auto const ends = [&ended](error_code, lease) { ++ended; };
    for (std::size_t i = 0; i < count; ++i)
        time_limit ? lock.try_acquire({.wait = time_limit}, ends) : lock.acquire(ends);
    s.settle();
    auto const crowd = bytes_in_use();
    holder.clear();
    s.run_until([&] { return ended == count; });
    return (crowd - nobody) / static_cast<double>(count);
}

void measure(options const& o, redis_server& server, publication& out)
{
    using namespace std::chrono_literals;
    std::size_t const count = o.quick ? 10'000 : 100'000;
    subject s(server);
    hold(s, wave);  // so that pools and tables have their final size
    auto const b = hold(s, count);
    std::vector<item> const items{
        {"a handle of a lock, made before", b.handle},
        {"a held lock, beside its handle", b.held},
        {"a held lock, with its handle", b.handle + b.held, most_bytes},
        {"a local waiter", wait(s, count, std::nullopt), most_bytes},
        {"a local waiter with a time limit", wait(s, count, 60s), most_bytes}};
    table t{"each", {{"bytes", 0}}, {}};
    for (auto const& i : items)
        t.rows.push_back({i.name, {{i.bytes, i.bytes, i.bytes}}});
    out.add(std::move(t));
    for (auto const& i : items)
        if (i.at_most > 0)
            out.claim(i.name + ": bytes", i.bytes, 0, i.at_most);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario(
        "memory", argc, argv, holdfast::bench::measure, holdfast::bench::transport::unix_socket);
}
