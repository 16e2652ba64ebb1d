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

// Executes the commands of a script: the server on which the script runs.
class script_host {
public:
    // Called by redis.call() and redis.pcall(). The words are valid during the call.
    virtual value invoke(words) = 0;

protected:
    ~script_host() = default;
};

// Runs scripts as Redis 7.0 does: the same Lua (5.1), the same conversions in both directions, the same error messages.
// So the scripts of the library are tested as they ship, and a violation of the sandbox fails in a test.
//
// To make a Lua state costs a hundred times as much as a call, and a script is compiled once for each state. So several
// servers may share an engine; each keeps its own list of the scripts that it knows. Not thread-safe, not re-entrant.
//
// Not modelled: cjson, cmsgpack, struct, bit, math.random, redis.setresp, the debugger, a time limit.
class lua_engine {
public:
    lua_engine();
    ~lua_engine();
    lua_engine(lua_engine const&) = delete;
    lua_engine& operator=(lua_engine const&) = delete;

    // Returns nil, or the error reply for a text that does not compile. Compiles a script once.
    value compile(std::string_view sha1, std::string_view text);

    // Returns the reply of the script; an error in it is an error reply. Precondition: the script is compiled.
    value run(std::string_view sha1, words keys, words arguments, script_host&);

private:
    struct redis_library;

    void open_libraries();
    void define_redis();
    void protect_globals();
    void set_global(char const* name, words);
    value failure(std::string_view sha1);

    lua_State* state_;
    string_map<int> scripts_;                   // by SHA1: the function's reference in the registry of Lua
    script_host* host_ = nullptr;               // null unless a script runs
    std::vector<std::string_view> call_words_;  // a member, so that the calls of a script do not allocate it anew
};

}  // namespace holdfast::simulated

#endif
