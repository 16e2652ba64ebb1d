//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_LUA_VALUES_HPP
#define HOLDFAST_TESTING_LUA_VALUES_HPP

#include <string_view>

#include "sim/value.hpp"

struct lua_State;

namespace holdfast::simulated {

// The conversions of Redis between replies and values of Lua. push_reply() pushes one value; to_reply() leaves the
// stack as it is. `depth`: of nested tables.
void push_reply(lua_State*, value const&);
value to_reply(lua_State*, int index, int depth = 0);

// Pushes {err = ...}, as redis.call() makes it. A text that begins with '-' has a code as its first word; before any
// other text, or a single word, comes "ERR".
void push_error_table(lua_State*, std::string_view reason);

}  // namespace holdfast::simulated

#endif
