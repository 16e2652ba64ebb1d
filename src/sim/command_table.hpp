//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_COMMAND_TABLE_HPP
#define HOLDFAST_TESTING_COMMAND_TABLE_HPP

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/keyspace.hpp"
#include "sim/value.hpp"

namespace holdfast::simulated {

class redis_model;
struct connection;

// A command that is executed, as its function receives it. All members are valid during the call only.
struct call {
    redis_model& server;
    keyspace& keys;
    connection& from;
    words args;  // the name first
};

// The properties of a command on which it depends in which states a server refuses it.
enum class trait : std::uint8_t {
    none = 0,
    writes = 1,  // refused by a replica, and by a server that cannot save or replicate its data
    grows = 2,   // refused when out of memory; a command that only removes data is not
    not_in_script = 4,
    while_loading = 8,  // executed while the server loads its data
    while_busy = 16,    // executed while a script runs for too long
    keyed = 32,         // args[1] is a key, for access rules and hash slots
};

constexpr trait operator|(trait a, trait b)
{
    return trait(std::uint8_t(a) | std::uint8_t(b));
}
constexpr bool has(trait set, trait one)
{
    return (std::uint8_t(set) & std::uint8_t(one)) != 0;
}

// To add a command to the model: write its function and list it in the table of its file.
struct command_spec {
    std::string_view name;  // in lower case
    int arity;              // the number of words with the name; negative: at least so many, as in Redis
    trait traits;
    value (*run)(call&);
};

// The tables, one in each file commands_*.cpp.
std::span<command_spec const> string_commands();
std::span<command_spec const> key_commands();
std::span<command_spec const> hash_commands();
std::span<command_spec const> list_commands();
std::span<command_spec const> set_commands();
std::span<command_spec const> zset_commands();
std::span<command_spec const> server_commands();

// Ignores case. Null: the model does not have the command. Thread-safe.
command_spec const* find_command(std::string_view name);

}  // namespace holdfast::simulated

#endif
