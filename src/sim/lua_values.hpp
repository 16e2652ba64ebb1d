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

// Redis' conversions. Both keep the stack's height but for the value pushed.
void push_reply(lua_State*, value const&);
value to_reply(lua_State*, int index, int depth = 0);

// {err = ...}, as redis.call makes it: a text without a code gets ERR.
void push_error_table(lua_State*, std::string_view reason);

}  // namespace holdfast::simulated

#endif
