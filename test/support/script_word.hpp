//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SCRIPT_WORD_HPP
#define HOLDFAST_TEST_SUPPORT_SCRIPT_WORD_HPP

#include <string_view>

#include "engine/port/script.hpp"

namespace holdfast::test {

// Whether the second word of an EVALSHA or EVAL is that script, in one of its forms.
inline bool is_script(std::string_view word, engine::script const& s)
{
    auto const is = [word](engine::script_text const& t) { return word == t.sha1 || word == t.text; };
    return is(s.in(engine::message_form::plain)) || is(s.sharded);
}

}  // namespace holdfast::test

#endif
