//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/peer.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto time_limit = 60s;

// Replies are flat JSON objects, which only the programs of bench/peers write, so a complete JSON parser is not needed.
std::string_view value_of(std::string_view answer, std::string const& name)
{
    auto const key = "\"" + name + "\":";
    auto const at = answer.find(key);
    if (at == answer.npos)
        throw std::runtime_error("no value of " + name);
    return answer.substr(answer.find_first_not_of(' ', at + key.size()));
}

double number_of(std::string_view answer, std::string const& name)
{
    return std::strtod(value_of(answer, name).data(), nullptr);
}

clock::time_point time_of(std::string_view answer, std::string const& name)
{
    return clock::time_point(std::chrono::nanoseconds(std::strtoll(value_of(answer, name).data(), nullptr, 10)));
}

std::string text_of(std::string_view answer, std::string const& name)
{
    auto const rest = value_of(answer, name).substr(1);
    return std::string(rest.substr(0, rest.find('"')));
}

std::vector<double> numbers_of(std::string_view answer, std::string const& name)
{
    std::vector<double> all;
    auto const* next = value_of(answer, name).data() + 1;
    for (char* end = nullptr;; next = end + (*end == ',')) {
        auto const number = std::strtod(next, &end);
        if (end == next)
            return all;
        all.push_back(number);
    }
}

std::string nanoseconds(clock::time_point t)
{
    return std::to_string(std::chrono::nanoseconds(t.time_since_epoch()).count());
}

}  // namespace

peer::peer(std::vector<std::string> const& words) : process_(words)
{
    auto const greeting = answer("version");
    version_ = text_of(greeting, "version");
    lacks_ = text_of(greeting, "lacks");
}

void peer::begin_pairs(pairs_order const& o)
{
    process_.write_line(
        "pairs " + std::to_string(o.contenders) + " " + std::to_string(o.names) + " " + std::to_string(o.hold.count())
        + " " + nanoseconds(o.begin) + " " + nanoseconds(o.end));
}

pairs_account peer::end_pairs()
{
    auto const a = answer("pairs");
    return {number_of(a, "pairs"), numbers_of(a, "waits")};
}

void peer::begin_acquire(std::string const& name, int contender)
{
    process_.write_line("acquire " + name + " " + std::to_string(contender));
}

peer::acquired peer::end_acquire()
{
    auto const a = answer("acquired");
    return {static_cast<int>(number_of(a, "acquired")), time_of(a, "requested"), time_of(a, "at")};
}

void peer::begin_release(std::string const& name, int contender)
{
    process_.write_line("release " + name + " " + std::to_string(contender));
}

clock::time_point peer::end_release()
{
    return time_of(answer("released_at"), "released_at");
}

std::string peer::answer(std::string const& member)
{
    auto const key = "\"" + member + "\":";
    auto const has = [&](std::string const& line) { return line.find(key) != line.npos; };
    auto at = std::find_if(lines_.begin(), lines_.end(), has);
    while (at == lines_.end()) {
        lines_.push_back(process_.read_line(time_limit));
        if (lines_.back().starts_with("{\"failed\""))
            throw std::runtime_error(text_of(lines_.back(), "failed"));
        at = std::find_if(lines_.end() - 1, lines_.end(), has);
    }
    auto const line = *at;
    lines_.erase(at);
    return line;
}

}  // namespace holdfast::bench
