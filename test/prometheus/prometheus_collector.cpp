//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <prometheus/text_serializer.h>

#include <holdfast/prometheus.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using Catch::Matchers::ContainsSubstring;

// What an exposer would answer to a scrape.
std::string scraped(prometheus_collector const& from)
{
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, from.Collect());
    return out.str();
}

struct two_clients : arena {
    two_clients()
    {
        metrics.add("one", one);
        metrics.add("other", other);
    }

    holdfast::client& one = client("A");
    holdfast::client& other = client("B");
    prometheus_collector metrics;
};

}  // namespace

TEST_CASE_METHOD(two_clients, "a scrape has the statistics of each client", "[prometheus]")
{
    run([this]() -> awaitable<void> {
        mutex m(one, "m"), same(other, "m");
        auto held = co_await m.acquire();
        co_await sleep(3ms);
        auto const busy = co_await same.try_acquire();
        CHECK(!busy);
        co_await held.release();
        held = co_await m.acquire();
        auto const text = scraped(metrics);
        CHECK_THAT(
            text, ContainsSubstring("holdfast_acquires_total{client=\"one\",kind=\"mutex\",result=\"acquired\"} 2\n"));
        CHECK_THAT(
            text, ContainsSubstring("holdfast_acquires_total{client=\"other\",kind=\"mutex\",result=\"busy\"} 1\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_held{client=\"one\",kind=\"mutex\"} 1\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_held{client=\"other\",kind=\"mutex\"} 0\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_connected{client=\"one\"} 1\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_connections_total{client=\"other\"} 1\n"));
        CHECK_THAT(
            text, ContainsSubstring("holdfast_lost_total{client=\"one\",kind=\"mutex\",reason=\"expired\"} 0\n"));
        CHECK_THAT(text, ContainsSubstring("# TYPE holdfast_hold_seconds histogram\n"));
    });
}

TEST_CASE_METHOD(two_clients, "the buckets of a histogram are cumulative, and end with all durations", "[prometheus]")
{
    run([this]() -> awaitable<void> {
        for (auto const d : {3ms, 5ms, 40ms}) {
            auto held = co_await mutex(one, "m").acquire();
            co_await sleep(d);
            co_await held.release();
        }
        auto const hold = one.stats().hold;
        CHECK(hold.count == 3);
        CHECK(hold.sum >= 48ms);
        auto const text = scraped(metrics);
        // 2^10 us, 2^12 us, 2^14 us ... are the upper ends.
        CHECK_THAT(
            text, ContainsSubstring("holdfast_hold_seconds_bucket{client=\"one\",kind=\"mutex\",le=\"0.001024\"} 0\n"));
        CHECK_THAT(
            text, ContainsSubstring("holdfast_hold_seconds_bucket{client=\"one\",kind=\"mutex\",le=\"0.004096\"} 1\n"));
        CHECK_THAT(
            text, ContainsSubstring("holdfast_hold_seconds_bucket{client=\"one\",kind=\"mutex\",le=\"0.016384\"} 2\n"));
        CHECK_THAT(
            text, ContainsSubstring("holdfast_hold_seconds_bucket{client=\"one\",kind=\"mutex\",le=\"0.065536\"} 3\n"));
        CHECK_THAT(
            text, ContainsSubstring("holdfast_hold_seconds_bucket{client=\"one\",kind=\"mutex\",le=\"+Inf\"} 3\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_hold_seconds_count{client=\"one\",kind=\"mutex\"} 3\n"));
    });
}

TEST_CASE_METHOD(arena, "a scrape tells the locks of a client apart by kind and label", "[prometheus]")
{
    auto config = arena::quick();
    config.stats_label = [](std::string_view name) { return std::string(name.substr(0, name.find(':'))); };
    config.max_stats_labels = 1;
    auto& c = client("A", config);
    prometheus_collector metrics;
    metrics.add("c", c);
    run([&]() -> awaitable<void> {
        auto const one = co_await mutex(c, "orders:1").acquire();
        auto const two = co_await fair_lock(c, "orders:2").acquire();
        auto const three = co_await fair_lock(c, "stock:1").acquire();
        server().execute({"RPUSH", "list", "x"});
        error_code ec;
        co_await mutex(c, "list").try_acquire(asio::redirect_error(asio::use_awaitable, ec));
        auto const text = scraped(metrics);
        CHECK_THAT(text, ContainsSubstring("holdfast_held{client=\"c\",kind=\"mutex\",label=\"orders\"} 1\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_held{client=\"c\",kind=\"fair\",label=\"orders\"} 1\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_held{client=\"c\",kind=\"fair\",label=\"other\"} 1\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_refused_total{client=\"c\",kind=\"mutex\",label=\"other\"} 1\n"));
        CHECK_THAT(text, ContainsSubstring("holdfast_refused_total{client=\"c\"} 0\n"));
        CHECK_THAT(text, !ContainsSubstring("kind=\"semaphore\""));
    });
}

TEST_CASE_METHOD(two_clients, "a client is scraped until it is removed, and its name is used once", "[prometheus]")
{
    CHECK_THROWS_AS(metrics.add("one", other), std::invalid_argument);
    metrics.remove("one");
    metrics.remove("one");
    auto const text = scraped(metrics);
    CHECK_THAT(text, !ContainsSubstring("client=\"one\""));
    CHECK_THAT(text, ContainsSubstring("client=\"other\""));
    metrics.add("one", one);
    CHECK_THAT(scraped(metrics), ContainsSubstring("client=\"one\""));
}

}  // namespace holdfast::test
