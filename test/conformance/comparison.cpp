//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "conformance/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include <catch2/catch_test_macros.hpp>

#include "engine/port/refusal.hpp"
#include "sim/command_words.hpp"
#include "support/trace.hpp"

namespace holdfast::test {
namespace {

using simulated::value;

constexpr std::size_t shown = 25;
constexpr std::int64_t most_exact = 5'000;

// Small numbers must agree; a time to live, and a time in milliseconds, may differ by two seconds, a time in
// microseconds by twenty. In a text only times are numbers.
bool near(std::int64_t a, std::int64_t b)
{
    auto const size = std::min(std::abs(a), std::abs(b));
    auto const difference = std::abs(a - b);
    return difference <= (size > 100'000'000'000'000 ? 20'000'000 : size > most_exact ? 2'000 : 0);
}

// A time to live that is compared exactly agrees only if both sides run in the same millisecond.
bool depends_on_chance(std::string_view command, value const& reply)
{
    return command == "PTTL" && reply.integer > 0 && reply.integer <= most_exact;
}

// Lua's numbers that no int64 can hold have another text in Redis 8 and Valkey than in Redis 7.0.
bool is_same_large_number(std::string const& a, std::string const& b)
{
    constexpr double large = 9e18;
    char *end_of_a = nullptr, *end_of_b = nullptr;
    auto const x = std::strtod(a.c_str(), &end_of_a);
    auto const y = std::strtod(b.c_str(), &end_of_b);
    return *end_of_a == 0 && *end_of_b == 0 && std::abs(x) > large && std::abs(x - y) <= std::abs(x) * 1e-15;
}

bool near(std::string const& a, std::string const& b)
{
    auto const x = simulated::to_integer(a);
    auto const y = simulated::to_integer(b);
    return a == b || (x && y && std::abs(*x) > 1'000'000'000'000 && near(*x, *y)) || is_same_large_number(a, b);
}

}  // namespace

bool is_redis_7_0(redis_server& server)
{
    return server.info("redis_version").starts_with("7.0.");
}

void skip_unless_redis_7_0(redis_server& server)
{
    if (!is_redis_7_0(server))
        SKIP("the model follows Redis 7.0, this server is " << server.info("redis_version"));
}

std::int64_t wall_clock_us()
{
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

bool same(value const& a, value const& b)
{
    if (a.type != b.type || a.items.size() != b.items.size())
        return false;
    if (!near(a.integer, b.integer) || !near(a.text, b.text))
        return false;
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), same);
}

comparison::comparison()
    : is_exact_(is_redis_7_0(server_)),
      real_(server_.socket_path(), resp_client::protocol::resp2),
      id_(model_.connect(listener_))
{}

bool comparison::agree(value const& said, value const& modelled) const
{
    if (!is_exact_ && said.is_error() && modelled.is_error())
        return engine::classify(said.text) == engine::classify(modelled.text);
    return same(said, modelled);
}

value comparison::command(std::vector<std::string> const& text)
{
    std::vector<std::string_view> const views(text.begin(), text.end());
    history_.push_back(to_line(views));
    INFO(recent());
    auto said = real_.command(views);
    auto const modelled = model_.execute(id_, views, wall_clock_us()).value_or(simulated::nil());
    if (depends_on_chance(views.front(), modelled))
        FAIL_CHECK("use a time to live above " << most_exact << " ms: a shorter one is compared exactly");
    if (!agree(said, modelled))
        FAIL_CHECK("redis: " << to_string(said) << "\nmodel: " << to_string(modelled));
    return said;
}

std::string comparison::recent() const
{
    std::string all = "After these commands:\n";
    for (auto i = history_.size() - std::min(history_.size(), shown); i != history_.size(); ++i)
        all.append("    ").append(history_[i]).append("\n");
    return all;
}

}  // namespace holdfast::test
