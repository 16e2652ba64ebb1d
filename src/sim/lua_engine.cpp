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

// lua_error() leaves the C++ frames above lua_pcall() by longjmp(), without destructors: a function that calls it must
// have no object with a destructor at that point.
int raise(lua_State* l, std::string_view reason)
{
    push_error_table(l, reason);
    return lua_error(l);
}

// Redis' __redis__err__handler: makes the error a table with the place where it was raised. As the handler of
// lua_pcall() it runs before the stack is unwound: later the place is not known any more.
int on_error(lua_State* l)
{
    // An error of Lua itself, or of error('text'). Errors of redis.call() are tables already.
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
        // Level 1 may be redis.call() or error(): the line is that of the script which called it.
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

// The messages of the next two are those of Redis. A script of the library that forgets `local` fails by them.
int refuse_global(lua_State* l)
{
    return luaL_error(l, "Script attempted to access nonexistent global variable '%s'", lua_tostring(l, 2));
}

int refuse_definition(lua_State* l)
{
    return luaL_error(l, "Attempt to modify a readonly table");
}

// Pushes {name = the only argument}. False: the arguments are not one string.
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
    // push_error_table() takes the first word of a text with '-' for the error's code, and puts "ERR" before others.
    // Redis treats the argument of error_reply() as a text with '-' in any case.
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
    // In a block, so that no object with a destructor exists beside a call of raise().
    {
        auto const sum = sha1({text, n});
        lua_pushlstring(l, sum.data(), sum.size());
    }
    return 1;
}

// Replaces Lua's pcall(), as in Redis: if the error is a table with `err`, its second result is that text. So scripts
// that expect a text work with errors of redis.call(), which are tables.
int plain_pcall(lua_State* l)
{
    // The first result, at the bottom: on success it is followed by the results of the function.
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

// redis.log(): the model has no log.
int nothing(lua_State*)
{
    return 0;
}

// redis.replicate_commands(): since Redis 7.0 scripts are always replicated by their effects.
int say_true(lua_State* l)
{
    lua_pushboolean(l, 1);
    return 1;
}

// Redis' sandbox does not have these: a script that uses one must fail in a test, too.
constexpr char const* forbidden[] = {
    "dofile", "loadfile", "print", "newproxy", "module", "require", "package", "debug", "io", "getfenv", "setfenv"};

}  // namespace

// redis.call() and redis.pcall(). A nested class, because they use the private members of the engine.
struct lua_engine::redis_library {
    // A C function of Lua has no other way to its object than an upvalue.
    static lua_engine& self(lua_State* l) { return *static_cast<lua_engine*>(lua_touserdata(l, lua_upvalueindex(1))); }

    // Redis passes a number with 17 significant digits. The text replaces the number on the stack of Lua, which keeps
    // it while the views are used. False: an argument is neither a string nor a number.
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

    // Pushes the reply. False: it is a table with an error.
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

    // execute() has returned when lua_error() is called, so its objects are destroyed.
    static int call(lua_State* l) { return execute(l) ? 1 : lua_error(l); }

    // Returns the error as a result: the script goes on.
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
    // Called through Lua, as its manual requires for the functions luaopen_*.
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
    // They use the random generator of the C library, which the whole process shares: a simulation with the same seed
    // would not have the same trace.
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
    // Each function gets the engine as its upvalue, for redis_library::self().
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
    // KEYS and ARGV must exist before the guard: __newindex is called only for names that do not exist, so run() can
    // set these two.
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
    // Redis gives all scripts this name, and it appears in error messages.
    if (luaL_loadbuffer(state_, text.data(), text.size(), "@user_script") != 0) {
        auto failed = error("ERR Error compiling script (new function): " + std::string(lua_tostring(state_, -1)));
        lua_pop(state_, 1);
        return failed;
    }
    // The reference protects the function from Lua's garbage collector. Scripts are never removed: a server forgets
    // their names by SCRIPT FLUSH, and another server may know them.
    scripts_.emplace(std::string(sha1), luaL_ref(state_, LUA_REGISTRYINDEX));
    return nil();
}

value lua_engine::run(std::string_view sha1, words keys, words arguments, script_host& host)
{
    host_ = &host;
    // Always both: a script must not find those of the script before.
    set_global("KEYS", keys);
    set_global("ARGV", arguments);
    lua_pushcfunction(state_, on_error);
    lua_rawgeti(state_, LUA_REGISTRYINDEX, scripts_.find(sha1)->second);
    bool const failed = lua_pcall(state_, 0, 1, -2) != 0;  // -2: on_error(), below the function
    auto result = failed ? failure(sha1) : to_reply(state_, -1);
    // After the result was copied, whose strings belong to Lua.
    lua_settop(state_, 0);
    host_ = nullptr;
    return result;
}

// The error reply, from the table that on_error() made: the text, and the place where the error was raised, as Redis
// 7.0 writes it. There is no table if Lua had no memory, or on_error() itself failed.
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
