//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/lua_values.hpp"

#include <limits>
#include <lua.hpp>

namespace holdfast::simulated {
namespace {

constexpr int deepest = 100;  // a table may contain itself, and the conversion must end

std::string_view text_at(lua_State* l, int index)
{
    std::size_t n = 0;
    auto const* const s = lua_tolstring(l, index, &n);
    return {s, n};
}

// The result of a cast on x86-64, which a real server shows. For numbers out of range the cast itself would be
// undefined behaviour in C++.
std::int64_t truncate(lua_Number n)
{
    constexpr lua_Number limit = 9223372036854775808.0;
    return n >= -limit && n < limit ? static_cast<std::int64_t>(n) : std::numeric_limits<std::int64_t>::min();
}

void push_text(lua_State* l, std::string_view s)
{
    lua_pushlstring(l, s.data(), s.size());
}

void push_field(lua_State* l, char const* name, std::string_view text)
{
    lua_createtable(l, 0, 1);
    push_text(l, text);
    lua_setfield(l, -2, name);
}

void push_items(lua_State* l, std::vector<value> const& items)
{
    lua_createtable(l, int(items.size()), 0);
    for (std::size_t i = 0; i != items.size(); ++i) {
        push_reply(l, items[i]);
        lua_rawseti(l, -2, int(i + 1));
    }
}

// Reads a field of the table at the top. Raw access, because a metatable of the script could raise an error here,
// outside of lua_pcall(). False: the field is missing or is not a string.
bool take_field(lua_State* l, char const* name, std::string& to)
{
    lua_pushstring(l, name);
    lua_rawget(l, -2);
    bool const found = lua_type(l, -1) == LUA_TSTRING;
    if (found)
        to = text_at(l, -1);
    lua_pop(l, 1);
    return found;
}

// As in Redis, the list ends before the first nil, and fields that are not numbered are left out.
value list_at_top(lua_State* l, int depth)
{
    std::vector<value> items;
    for (int i = 1;; ++i) {
        lua_rawgeti(l, -1, i);
        if (lua_isnil(l, -1))
            break;
        items.push_back(to_reply(l, -1, depth + 1));
        lua_pop(l, 1);
    }
    lua_pop(l, 1);
    return array(std::move(items));
}

// A table with a field `err` or `ok` is an error or a status: redis.error_reply() and redis.status_reply() make these,
// and redis.call() returns statuses in this form. Any other table is a list.
value table_at_top(lua_State* l, int depth)
{
    std::string text;
    if (take_field(l, "err", text))
        return error(std::move(text));
    if (take_field(l, "ok", text))
        return status(text);
    return list_at_top(l, depth);
}

}  // namespace

void push_reply(lua_State* l, value const& v)
{
    luaL_checkstack(l, 8, nullptr);  // for one level of a nested array
    switch (v.type) {
        case value::kind::nil: return lua_pushboolean(l, 0);  // in a table a nil would end the list
        case value::kind::integer: return lua_pushnumber(l, lua_Number(v.integer));
        case value::kind::status: return push_field(l, "ok", v.text);
        case value::kind::bulk: return push_text(l, v.text);
        case value::kind::error: return push_field(l, "err", v.text);
        case value::kind::array: return push_items(l, v.items);
    }
}

value to_reply(lua_State* l, int index, int depth)
{
    if (depth > deepest || !lua_checkstack(l, 8))
        return error("reached lua stack limit");
    // A copy at the top: a relative index would change its meaning with each push below.
    lua_pushvalue(l, index);
    auto result = nil();
    switch (lua_type(l, -1)) {
        case LUA_TSTRING: result = bulk(text_at(l, -1)); break;
        case LUA_TBOOLEAN: result = lua_toboolean(l, -1) ? of(1) : nil(); break;  // false stands for nil in Lua
        case LUA_TNUMBER: result = of(truncate(lua_tonumber(l, -1))); break;
        case LUA_TTABLE: result = table_at_top(l, depth); break;
        default: break;
    }
    lua_pop(l, 1);
    return result;
}

void push_error_table(lua_State* l, std::string_view reason)
{
    bool const coded = reason.starts_with('-');
    if (coded)
        reason.remove_prefix(1);
    // A line break would end the error reply in the protocol.
    while (reason.ends_with('\r') || reason.ends_with('\n'))
        reason.remove_suffix(1);
    auto text = std::string(reason);
    if (!coded || reason.find(' ') == reason.npos)
        text.insert(0, "ERR ");
    push_field(l, "err", text);
}

}  // namespace holdfast::simulated
