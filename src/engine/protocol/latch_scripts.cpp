//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/protocol/latch_scripts.hpp"

#include <array>

#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

constexpr std::string_view lifetime = "86400000";  // what Holdfast creates expires a day after the last use, in ms

}  // namespace

void set_latch(session& to, command& c, lock_spec const& latch, std::string_view count, script_form form)
{
    std::array<std::string_view, 3> const keys{latch.key, latch.companions[0], latch.companions[1]};
    std::array<std::string_view, 3> const arguments{count, latch.channel, lifetime};
    submit_script(to, c, scripts::latch_set, form, keys, arguments);
}

void remove_latch(session& to, command& c, lock_spec const& latch, script_form form)
{
    std::array<std::string_view, 3> const keys{latch.key, latch.companions[0], latch.companions[1]};
    std::array<std::string_view, 2> const arguments{latch.channel, lifetime};
    submit_script(to, c, scripts::latch_remove, form, keys, arguments);
}

void count_down_latch(
    session& to, command& c, lock_spec const& latch, std::string_view step, std::string_view by, script_form form)
{
    std::array<std::string_view, 3> const keys{latch.key, latch.companions[0], latch.companions[1]};
    std::array<std::string_view, 4> const arguments{step, by, latch.channel, lifetime};
    submit_script(to, c, scripts::latch_count_down, form, keys, arguments);
}

void read_latch(session& to, command& c, lock_spec const& latch, script_form form)
{
    std::array<std::string_view, 2> const keys{latch.key, latch.companions[0]};
    std::array<std::string_view, 1> const arguments{lifetime};
    submit_script(to, c, scripts::latch_state, form, keys, arguments);
}

}  // namespace holdfast::engine
