//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/look.hpp"

#include <array>

#include "core/bounds.hpp"

namespace holdfast::engine {

std::uint8_t look::send(session& to, std::string_view key)
{
    to.submit(ttl_command_, std::array<std::string_view, 2>{"PTTL", key});
    if (type_known_)
        return 1;
    to.submit(type_command_, std::array<std::string_view, 2>{"TYPE", key});
    return 2;
}

void look::on_ttl(answer const& a)
{
    remaining_ = core::duration::max();
    if (a.outcome == outcome::applied && a.value.integer >= 0)
        remaining_ = core::bounded(std::chrono::milliseconds(a.value.integer));
    to_.on_seen();
}

// A string, or a hash that expires, may be another library's lock. Anything else never was one.
void look::on_type(answer const& a)
{
    if (a.outcome == outcome::applied) {
        auto const type = a.value.text;
        bool const expires = remaining_ != core::duration::max();
        wrong_type_ = !(type == "none" || type == "string" || (type == "hash" && expires));
        type_known_ = !wrong_type_ && type != "none";
    }
    to_.on_seen();
}

}  // namespace holdfast::engine
