//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/script_cache.hpp"

namespace holdfast::engine {

bool script_cache::needs_text(script const& s, script_form f) const noexcept
{
    return f.may_be_text() && (state_of(s) == state::unknown || is_behind(f.asked(), s));
}

// Whether a call after which the session was at that position was submitted after the last text of the script.
bool script_cache::is_behind(script_position asked, script const& s) const noexcept
{
    return asked >= submitted_.at(&s);
}

}  // namespace holdfast::engine
