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
#include <string_view>

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

constexpr int contender_count = 40;
constexpr std::array<char const*, 5> names{"a:1", "a:2", "b:1", "c:1", "d:1"};
constexpr std::array<char const*, 3> labels{"a", "b", "other"};  // the third label is one too many
constexpr std::array<char const*, 2> kinds{"mutex", "fair"};

// What the program itself has seen of one kind and label: "acquired", "busy" ..., and the reasons of losses.
using tally = std::map<std::string, std::uint64_t>;
// By the labels of the metric, without that of the client.
using tallies = std::map<std::string, tally>;

std::string label_of(std::string_view name)
{
    return std::string(name.substr(0, name.find(':')));
}

std::string part_of(std::string const& kind, std::string const& label)
{
    return "kind=\"" + kind + "\",label=\"" + (label == "a" || label == "b" ? label : "other") + "\"";
}

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
        c.stats_label = label_of;
        c.max_stats_labels = 2;
        return c;
    }

    redis_server server;
    live l;
    holdfast::client& client = l.client(options(server));
    // Made first, so that these names have the two labels.
    mutex const first{client, "a:1"}, second{client, "b:1"};
    tallies seen;
    bool is_over = false;
    int contending = 0, watched = 0;
};

// Counts the loss of a lease, if it is lost.
void watch(contest& c, tally& seen, lease const& l)
{
    ++c.watched;
    l.lost([&c, &seen](error_code ec, loss why) {
        --c.watched;
        if (!ec)
            ++seen[name_of(why)];
    });
}

asio::awaitable<void> hold_one(contest& c, std::mt19937& random)
{
    // Each name is that of one kind.
    auto const i = random() % names.size();
    bool const is_fair = i % 2 == 1;
    auto const lock = is_fair ? any_lock(fair_lock(c.client, names[i])) : any_lock(mutex(c.client, names[i]));
    auto& seen = c.seen[part_of(kinds[is_fair], label_of(names[i]))];
    try_options o{.wait = milliseconds(random() % 60)};
    if (random() % 10 == 0)
        o.max_hold = 200ms;
    auto const limit = milliseconds(1 + random() % 100);
    auto [ec, held] = co_await lock.try_acquire(o, asio::cancel_after(limit, asio::as_tuple(asio::use_awaitable)));
    ++seen[result_of(ec, held)];
    if (held.empty()) {
        co_await sleep_for(1ms);
        co_return;
    }
    watch(c, seen, held);
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
            case 1: c.server.command({"DEL", "a:1", "a:2", "b:1", "c:1", "d:1"}); break;
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
    if (at == text.npos)
        return 0;  // no handle of this kind and label
    return static_cast<std::uint64_t>(std::stod(text.substr(at + metric.size() + 2)));
}

// The metrics of one part are what the program has seen of it, which is added to `all`.
void check_part(std::string const& text, std::string const& part, tally& seen, tally& all)
{
    CAPTURE(part);
    auto const of_client = "{client=\"c\"," + part;
    for (auto const* result : {"acquired", "busy", "unavailable", "cancelled", "failed"}) {
        CAPTURE(result);
        CHECK(value_of(text, "holdfast_acquires_total" + of_client + ",result=\"" + result + "\"}") == seen[result]);
    }
    for (auto const* reason : {"expired", "key_missing", "max_hold", "client_stopped"}) {
        CAPTURE(reason);
        CHECK(value_of(text, "holdfast_lost_total" + of_client + ",reason=\"" + reason + "\"}") == seen[reason]);
    }
    CHECK(value_of(text, "holdfast_wait_seconds_count" + of_client + "}") == seen["acquired"]);
    CHECK(value_of(text, "holdfast_hold_seconds_count" + of_client + "}") == seen["acquired"]);
    CHECK(value_of(text, "holdfast_waiting" + of_client + "}") == 0);
    CHECK(value_of(text, "holdfast_held" + of_client + "}") == 0);
    for (auto const& [what, count] : seen)
        all[what] += count;
}

// The statistics of the client are the sums of those of its parts.
void check_sums(stats const& s, tally& all)
{
    CHECK(s.acquired == all["acquired"]);
    CHECK(s.busy == all["busy"]);
    CHECK(s.unavailable == all["unavailable"]);
    CHECK(s.cancelled == all["cancelled"]);
    CHECK(s.failed == all["failed"]);
    CHECK(s.lost_by.expired == all["expired"]);
    CHECK(s.lost_by.key_missing == all["key_missing"]);
    CHECK(s.lost_by.max_hold == all["max_hold"]);
    CHECK(s.lost == s.lost_by.expired + s.lost_by.key_missing + s.lost_by.max_hold + s.lost_by.client_stopped);
    CHECK(s.wait.count == all["acquired"]);
    CHECK(s.hold.count == all["acquired"]);
}

}  // namespace

TEST_CASE("the metrics agree exactly with a program that counts for itself, under faults", "[chaos][metrics]")
{
    contest c;
    for (unsigned i = 0; i < contender_count; ++i, ++c.contending)
        asio::co_spawn(c.l.context(), contend(c, i), asio::detached);
    auto const time = chaos_time();
    c.l.run(rage(c, time), time + 60s);
    REQUIRE(c.l.until([&] { return c.contending == 0 && c.watched == 0 && c.client.stats().held == 0; }));

    tally all;
    for (auto const* kind : kinds)
        for (auto const* label : labels)
            check_part(scraped(c.client), part_of(kind, label), c.seen[part_of(kind, label)], all);
    check_sums(c.client.stats(), all);
    CHECK(all["key_missing"] > 0);
    CHECK(all["max_hold"] > 0);
    std::cout << "metrics: " << all["acquired"] << " acquired, " << all["cancelled"] << " cancelled, "
              << all["unavailable"] << " unavailable, " << c.client.stats().lost << " lost, "
              << c.client.stats().connections << " connections: all counted alike, in " << c.seen.size() << " parts"
              << std::endl;
}

}  // namespace holdfast::test
