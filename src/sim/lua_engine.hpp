//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_LUA_ENGINE_HPP
#define HOLDFAST_TESTING_LUA_ENGINE_HPP

#include <memory>
#include <string>
#include <string_view>

#include "sim/keyspace.hpp"
#include "sim/value.hpp"

struct lua_State;

namespace holdfast::simulated {

// Executes what a script asks of redis.call and redis.pcall.
class script_host {
public:
    virtual value invoke(words) = 0;

protected:
    ~script_host() = default;
};

// Runs scripts like Redis 7.0: its Lua (5.1), its conversions in both directions, its words for what goes wrong.
// A state costs a hundred times a call, and a script is compiled once per state: keep one, several servers may share
// it. Which scripts a server knows is its own affair. Not thread-safe, not re-entrant.
//
// Left out: cjson, cmsgpack, struct, bit, math.random, redis.setresp, the debugger, a limit of time.
class lua_engine {
public:
    lua_engine();
    ~lua_engine();
    lua_engine(lua_engine const&) = delete;
    lua_engine& operator=(lua_engine const&) = delete;

    // nil, or the error reply of a text that does not compile.
    value compile(std::string_view sha1, std::string_view text);

    // Precondition: compiled.
    value run(std::string_view sha1, words keys, words arguments, script_host&);

private:
    struct redis_library;

    void open_libraries();
    void define_redis();
    void protect_globals();
    void set_global(char const* name, words);
    value failure(std::string_view sha1);

    lua_State* state_;
    string_map<int> scripts_;  // by SHA1: a reference in the registry
    script_host* host_ = nullptr;
    std::vector<std::string_view> call_words_;
};

}  // namespace holdfast::simulated

#endif
