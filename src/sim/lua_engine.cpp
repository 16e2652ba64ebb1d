//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/lua_engine.hpp"

#include <cstdio>
#include <lua.hpp>
#include <new>

#include "sim/lua_values.hpp"
#include "sim/sha1.hpp"

namespace holdfast::simulated {
namespace {

// lua_error() leaves C++ frames without unwinding: whatever calls it keeps nothing that needs a destructor.
int raise(lua_State* l, std::string_view reason)
{
    push_error_table(l, reason);
    return lua_error(l);
}

// Redis' __redis__err__handler: an error becomes a table that says where it arose.
int on_error(lua_State* l)
{
    if (!lua_istable(l, 1)) {
        lua_createtable(l, 0, 3);
        auto const* const what = lua_tostring(l, 1);
        lua_pushfstring(l, "ERR %s", what ? what : luaL_typename(l, 1));
        lua_setfield(l, -2, "err");
        lua_replace(l, 1);
    }
    lua_Debug where;
    for (int level = 1; level <= 2 && lua_getstack(l, level, &where); ++level) {
        lua_getinfo(l, "nSl", &where);
        if (*where.what == 'C' && level == 1)
            continue;
        lua_pushstring(l, where.source);
        lua_setfield(l, 1, "source");
        lua_pushinteger(l, where.currentline);
        lua_setfield(l, 1, "line");
        break;
    }
    lua_settop(l, 1);
    return 1;
}

int refuse_global(lua_State* l)
{
    return luaL_error(l, "Script attempted to access nonexistent global variable '%s'", lua_tostring(l, 2));
}

int refuse_definition(lua_State* l)
{
    return luaL_error(l, "Attempt to modify a readonly table");
}

bool push_single_field(lua_State* l, char const* name)
{
    if (lua_gettop(l) != 1 || lua_type(l, 1) != LUA_TSTRING)
        return false;
    lua_createtable(l, 0, 1);
    lua_pushvalue(l, 1);
    lua_setfield(l, -2, name);
    return true;
}

int status_reply(lua_State* l)
{
    if (!push_single_field(l, "ok"))
        push_error_table(l, "wrong number or type of arguments");
    return 1;
}

int error_reply(lua_State* l)
{
    if (lua_gettop(l) != 1 || lua_type(l, 1) != LUA_TSTRING) {
        push_error_table(l, "wrong number or type of arguments");
        return 1;
    }
    if (*lua_tostring(l, 1) != '-') {
        lua_pushliteral(l, "-");
        lua_insert(l, 1);
        lua_concat(l, 2);
    }
    push_error_table(l, lua_tostring(l, 1));
    return 1;
}

int sha1_hex(lua_State* l)
{
    if (lua_gettop(l) != 1)
        return raise(l, "wrong number of arguments");
    std::size_t n = 0;
    auto const* const text = lua_tolstring(l, 1, &n);
    {
        auto const sum = sha1({text, n});
        lua_pushlstring(l, sum.data(), sum.size());
    }
    return 1;
}

// Redis' own pcall: of an error with words it gives the words alone.
int plain_pcall(lua_State* l)
{
    lua_pushboolean(l, 1);
    lua_insert(l, 1);
    if (lua_pcall(l, lua_gettop(l) - 2, LUA_MULTRET, 0) == 0)
        return lua_gettop(l);
    if (lua_istable(l, -1)) {
        lua_getfield(l, -1, "err");
        if (lua_isstring(l, -1))
            lua_replace(l, -2);
    }
    lua_pushboolean(l, 0);
    lua_replace(l, 1);
    return lua_gettop(l);
}

int nothing(lua_State*)
{
    return 0;
}

int say_true(lua_State* l)
{
    lua_pushboolean(l, 1);
    return 1;
}

constexpr char const* forbidden[] = {
    "dofile", "loadfile", "print", "newproxy", "module", "require", "package", "debug", "io", "getfenv", "setfenv"};

}  // namespace

struct lua_engine::redis_library {
    static lua_engine& self(lua_State* l) { return *static_cast<lua_engine*>(lua_touserdata(l, lua_upvalueindex(1))); }

    // Numbers go out with 17 digits, in place, so that the views stay valid.
    static bool collect_words(lua_State* l, std::vector<std::string_view>& to)
    {
        to.clear();
        for (int i = 1, n = lua_gettop(l); i <= n; ++i) {
            if (lua_type(l, i) == LUA_TNUMBER) {
                char digits[64];
                auto const length = std::snprintf(digits, sizeof digits, "%.17g", lua_tonumber(l, i));
                lua_pushlstring(l, digits, std::size_t(length));
                lua_replace(l, i);
            }
            std::size_t size = 0;
            auto const* const text = lua_tolstring(l, i, &size);
            if (!text)
                return false;
            to.emplace_back(text, size);
        }
        return true;
    }

    // Pushes the reply; false: a table with the error is pushed.
    static bool execute(lua_State* l)
    {
        auto& engine = self(l);
        if (lua_gettop(l) == 0) {
            push_error_table(l, "Please specify at least one argument for this redis lib call");
            return false;
        }
        if (!collect_words(l, engine.call_words_)) {
            push_error_table(l, "Lua redis lib command arguments must be strings or integers");
            return false;
        }
        auto const reply = engine.host_->invoke(engine.call_words_);
        push_reply(l, reply);
        return !reply.is_error();
    }

    static int call(lua_State* l) { return execute(l) ? 1 : lua_error(l); }

    static int pcall(lua_State* l)
    {
        execute(l);
        return 1;
    }
};

lua_engine::lua_engine() : state_(luaL_newstate())
{
    if (!state_)
        throw std::bad_alloc();
    open_libraries();
    define_redis();
    protect_globals();
}

lua_engine::~lua_engine()
{
    lua_close(state_);
}

void lua_engine::open_libraries()
{
    constexpr std::pair<char const*, lua_CFunction> libraries[] = {
        {"", luaopen_base},
        {LUA_TABLIBNAME, luaopen_table},
        {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math}};
    for (auto const& [name, open] : libraries) {
        lua_pushcfunction(state_, open);
        lua_pushstring(state_, name);
        lua_call(state_, 1, 0);
    }
    for (auto const* const name : forbidden) {
        lua_pushnil(state_);
        lua_setglobal(state_, name);
    }
    lua_pushcfunction(state_, plain_pcall);
    lua_setglobal(state_, "pcall");
    // One generator of the whole process: it would make the same seed give another trace.
    lua_getglobal(state_, "math");
    for (auto const* const name : {"random", "randomseed"}) {
        lua_pushnil(state_);
        lua_setfield(state_, -2, name);
    }
    lua_pop(state_, 1);
}

void lua_engine::define_redis()
{
    constexpr std::pair<char const*, lua_CFunction> functions[] = {
        {"call", redis_library::call},
        {"pcall", redis_library::pcall},
        {"error_reply", error_reply},
        {"status_reply", status_reply},
        {"sha1hex", sha1_hex},
        {"log", nothing},
        {"replicate_commands", say_true}};
    lua_createtable(state_, 0, 12);
    for (auto const& [name, function] : functions) {
        lua_pushlightuserdata(state_, this);
        lua_pushcclosure(state_, function, 1);
        lua_setfield(state_, -2, name);
    }
    int level = 0;
    for (auto const* const name : {"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"}) {
        lua_pushinteger(state_, level++);
        lua_setfield(state_, -2, name);
    }
    lua_setglobal(state_, "redis");
}

void lua_engine::protect_globals()
{
    // KEYS and ARGV exist from the start, so that setting them meets no guard.
    set_global("KEYS", {});
    set_global("ARGV", {});
    lua_createtable(state_, 0, 2);
    lua_pushcfunction(state_, refuse_global);
    lua_setfield(state_, -2, "__index");
    lua_pushcfunction(state_, refuse_definition);
    lua_setfield(state_, -2, "__newindex");
    lua_setmetatable(state_, LUA_GLOBALSINDEX);
}

void lua_engine::set_global(char const* name, words list)
{
    lua_createtable(state_, int(list.size()), 0);
    for (std::size_t i = 0; i != list.size(); ++i) {
        lua_pushlstring(state_, list[i].data(), list[i].size());
        lua_rawseti(state_, -2, int(i + 1));
    }
    lua_setglobal(state_, name);
}

value lua_engine::compile(std::string_view sha1, std::string_view text)
{
    if (scripts_.find(sha1) != scripts_.end())
        return nil();
    if (luaL_loadbuffer(state_, text.data(), text.size(), "@user_script") != 0) {
        auto failed = error("ERR Error compiling script (new function): " + std::string(lua_tostring(state_, -1)));
        lua_pop(state_, 1);
        return failed;
    }
    scripts_.emplace(std::string(sha1), luaL_ref(state_, LUA_REGISTRYINDEX));
    return nil();
}

value lua_engine::run(std::string_view sha1, words keys, words arguments, script_host& host)
{
    host_ = &host;
    set_global("KEYS", keys);
    set_global("ARGV", arguments);
    lua_pushcfunction(state_, on_error);
    lua_rawgeti(state_, LUA_REGISTRYINDEX, scripts_.find(sha1)->second);
    bool const failed = lua_pcall(state_, 0, 1, -2) != 0;
    auto result = failed ? failure(sha1) : to_reply(state_, -1);
    lua_settop(state_, 0);
    host_ = nullptr;
    return result;
}

// The table that on_error() left: its words, and where it arose.
value lua_engine::failure(std::string_view sha1)
{
    if (!lua_istable(state_, -1))
        return error("ERR Error running script " + std::string(sha1));
    lua_getfield(state_, -1, "err");
    lua_getfield(state_, -2, "source");
    lua_getfield(state_, -3, "line");
    auto const* const what = lua_tostring(state_, -3);
    std::string text = what ? what : "ERR unknown error";
    auto const* const source = lua_tostring(state_, -2);
    auto const* const line = lua_tostring(state_, -1);
    if (source && line)
        text.append(" script: ").append(sha1).append(", on ").append(source).append(":").append(line).append(".");
    return error(std::move(text));
}

}  // namespace holdfast::simulated
