//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The metrics of a client agree with a program that counts for itself, while connections, keys and the server are lost.

#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <catch2/catch_test_macros.hpp>
#include <prometheus/text_serializer.h>

#include <holdfast/prometheus.hpp>

#include "chaos/battlefield.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr int contenders = 40;
constexpr std::array<char const*, 5> names{"a", "b", "c", "d", "e"};

// What the program itself has seen: "acquired", "busy" ..., and the reasons of losses.
using tally = std::map<std::string, std::uint64_t>;

std::string result_of(error_code ec, lease const& l)
{
    if (!ec)
        return l.empty() ? "busy" : "acquired";
    if (ec == errc::unavailable)
        return "unavailable";
    return ec == asio::error::operation_aborted ? "cancelled" : "failed";
}

std::string name_of(loss why)
{
    switch (why) {
        case loss::expired: return "expired";
        case loss::key_missing: return "key_missing";
        case loss::max_hold: return "max_hold";
        case loss::client_stopped: break;
    }
    return "client_stopped";
}

struct contest {
    static config options(redis_server const& server)
    {
        auto c = live::quick(server.url());
        c.lease = 1s;
        c.command_timeout = 300ms;
        return c;
    }

    redis_server server;
    live l;
    holdfast::client& client = l.client(options(server));
    tally seen;
    bool is_over = false;
    int contending = 0, watched = 0;
};

// Counts the loss of a lease, if it is lost.
void watch(contest& c, lease const& l)
{
    ++c.watched;
    l.lost([&c](error_code ec, loss why) {
        --c.watched;
        if (!ec)
            ++c.seen[name_of(why)];
    });
}

asio::awaitable<void> hold_one(contest& c, std::mt19937& random)
{
    mutex m(c.client, names[random() % names.size()]);
    try_options o{.wait = milliseconds(random() % 60)};
    if (random() % 10 == 0)
        o.max_hold = 200ms;
    auto const limit = milliseconds(1 + random() % 100);
    auto [ec, held] = co_await m.try_acquire(o, asio::cancel_after(limit, asio::as_tuple(asio::use_awaitable)));
    ++c.seen[result_of(ec, held)];
    if (held.empty()) {
        co_await sleep_for(1ms);
        co_return;
    }
    watch(c, held);
    co_await sleep_for(milliseconds(random() % 20 == 0 ? 400 : random() % 4));
    if (random() % 2 == 0)
        co_await held.release(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<void> contend(contest& c, unsigned seed)
{
    std::mt19937 random(seed);
    while (!c.is_over)
        co_await hold_one(c, random);
    --c.contending;
}

asio::awaitable<void> rage(contest& c, std::chrono::seconds time)
{
    std::mt19937 random(7);
    auto const end = std::chrono::steady_clock::now() + time;
    for (int n = 0; std::chrono::steady_clock::now() < end; ++n) {
        co_await sleep_for(milliseconds(300 + random() % 500));
        switch (n % 4) {
            case 0: c.server.command({"CLIENT", "KILL", "TYPE", "normal"}); break;
            case 1: c.server.command({"DEL", "a", "b", "c", "d", "e"}); break;
            case 2:
                c.server.freeze();
                co_await sleep_for(milliseconds(200 + random() % 1500));
                c.server.thaw();
                break;
            default: c.server.restart();
        }
    }
    c.is_over = true;
}

std::string scraped(client const& c)
{
    prometheus_collector metrics;
    metrics.add("c", c);
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, metrics.Collect());
    return out.str();
}

std::uint64_t value_of(std::string const& text, std::string const& metric)
{
    auto const at = text.find("\n" + metric + " ");
    REQUIRE(at != text.npos);
    return static_cast<std::uint64_t>(std::stod(text.substr(at + metric.size() + 2)));
}

}  // namespace

TEST_CASE("the metrics agree exactly with a program that counts for itself, under faults", "[chaos][metrics]")
{
    contest c;
    for (unsigned i = 0; i < contenders; ++i, ++c.contending)
        asio::co_spawn(c.l.context(), contend(c, i), asio::detached);
    auto const time = chaos_time();
    c.l.run(rage(c, time), time + 60s);
    REQUIRE(c.l.until([&] { return c.contending == 0 && c.watched == 0 && c.client.stats().held == 0; }));

    auto const text = scraped(c.client);
    std::uint64_t acquires = 0, lost = 0;
    for (auto const* result : {"acquired", "busy", "unavailable", "cancelled", "failed"}) {
        CAPTURE(result);
        CHECK(
            value_of(text, R"(holdfast_acquires_total{client="c",result=")" + std::string(result) + "\"}")
            == c.seen[result]);
        acquires += c.seen[result];
    }
    for (auto const* reason : {"expired", "key_missing", "max_hold", "client_stopped"}) {
        CAPTURE(reason);
        CHECK(
            value_of(text, R"(holdfast_lost_total{client="c",reason=")" + std::string(reason) + "\"}")
            == c.seen[reason]);
        lost += c.seen[reason];
    }
    CHECK(value_of(text, R"(holdfast_wait_seconds_count{client="c"})") == c.seen["acquired"]);
    CHECK(value_of(text, R"(holdfast_hold_seconds_count{client="c"})") == c.seen["acquired"]);
    CHECK(value_of(text, R"(holdfast_waiting{client="c"})") == 0);
    CHECK(c.seen["key_missing"] > 0);
    CHECK(c.seen["max_hold"] > 0);
    std::cout << "metrics: " << acquires << " acquires, " << c.seen["acquired"] << " acquired, " << c.seen["cancelled"]
              << " cancelled, " << c.seen["unavailable"] << " unavailable, " << lost << " lost, "
              << value_of(text, R"(holdfast_connections_total{client="c"})") << " connections: all counted alike"
              << std::endl;
}

}  // namespace holdfast::test
