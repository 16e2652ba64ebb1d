//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/probe.hpp"

#include <array>

#include "core/bounds.hpp"

namespace holdfast::engine {

std::uint8_t probe::send(session& to, std::string_view key)
{
    to.submit(ttl_command_, std::array<std::string_view, 2>{"PTTL", key});
    if (type_known_)
        return 1;
    to.submit(type_command_, std::array<std::string_view, 2>{"TYPE", key});
    return 2;
}

// A key that never expires is no lock: all libraries give their locks a time to live. If there is no key (-2), the
// grant has ended since the last refusal. This reply comes first, so it starts the result anew; the reply to TYPE adds
// to it.
void probe::on_ttl(answer const& a)
{
    constexpr std::int64_t for_ever = -1;
    remaining_ = core::duration::max();
    if (a.outcome == outcome::applied && a.value.integer >= 0)
        remaining_ = core::bounded(std::chrono::milliseconds(a.value.integer));
    wrong_type_ = a.outcome == outcome::applied && a.value.integer == for_ever;
    to_.on_probed();
}

void probe::on_type(answer const& a)
{
    if (a.outcome == outcome::applied) {
        auto const type = a.value.text;
        type_known_ = type == "string" || type == "hash";
        wrong_type_ = wrong_type_ || !(type_known_ || type == "none");
    }
    to_.on_probed();
}

}  // namespace holdfast::engine
