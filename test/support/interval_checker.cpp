//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/interval_checker.hpp"

#include <algorithm>
#include <tuple>

namespace holdfast::test {
namespace {

std::string describe(held_interval const& h)
{
    return h.holder + " [" + std::to_string(h.from) + ", " + std::to_string(h.to) + ") fence " + std::to_string(h.fence)
           + (h.shared ? " shared" : "");
}

}  // namespace

std::vector<held_interval> without_tokens(std::vector<held_interval> holds)
{
    for (auto& h : holds)
        h.fence = 0;
    return holds;
}

std::optional<std::string> find_violation(std::vector<held_interval> holds)
{
    std::erase_if(holds, [](auto const& h) { return h.from >= h.to; });
    std::ranges::sort(holds, {}, [](auto const& h) { return std::tie(h.lock, h.from); });
    held_interval const* last = nullptr;    // the hold of the same lock that ends last
    held_interval const* alone = nullptr;   // the exclusive hold of the same lock that ends last
    held_interval const* fenced = nullptr;  // the last hold of the same lock with a token
    for (auto const& h : holds) {
        if (last && last->lock != h.lock)
            last = alone = fenced = nullptr;
        auto const* const other = h.shared ? alone : last;
        if (other && h.from < other->to)
            return "overlap on " + h.lock + ": " + describe(*other) + " and " + describe(h);
        if (fenced && h.fence != 0 && h.fence <= fenced->fence)
            return "fence went back on " + h.lock + ": " + describe(*fenced) + " then " + describe(h);
        if (!last || h.to > last->to)
            last = &h;
        if (!h.shared && (!alone || h.to > alone->to))
            alone = &h;
        if (h.fence != 0)
            fenced = &h;
    }
    return std::nullopt;
}

}  // namespace holdfast::test
