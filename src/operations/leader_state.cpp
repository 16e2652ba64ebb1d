//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/leader_state.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/bounds.hpp"
#include "operations/lock_query.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;

// Two milliseconds after the end of the grant the key has expired.
constexpr core::duration after_the_end = 2ms;

}  // namespace

leader_state read_leader_state(engine::reply const& r, std::string_view client)
{
    if (r.items.size() != 5 || r.items[1].text.empty())
        return {};
    auto const left = std::chrono::milliseconds(r.items[0].integer);
    auto const holder = r.items[1].text;
    leader now{
        .id = to_holder({.id = holder, .remaining = left}).id,
        .value = std::string(r.items[3].text),
        .term = static_cast<std::uint64_t>(r.items[2].integer),
        .self = holder.starts_with(client),
        .since = std::chrono::system_clock::time_point(std::chrono::milliseconds(r.items[4].integer))};
    return {std::move(now), left < 0ms ? core::duration::max() : core::bounded(left) + after_the_end};
}

}  // namespace holdfast::detail
