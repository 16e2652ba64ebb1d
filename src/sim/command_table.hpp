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

// One command as its function sees it.
struct call {
    redis_model& server;
    keyspace& keys;
    connection& from;
    words args;  // the name first
};

// What a command may do, as far as the states of a server care.
enum class trait : std::uint8_t {
    none = 0,
    writes = 1,  // refused by a replica
    grows = 2,   // refused when out of memory
    not_in_script = 4,
    while_loading = 8,  // answered while the server loads its data
    while_busy = 16,    // answered while a script runs for too long
    keyed = 32,         // args[1] is a key (for ACL refusals)
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
    int arity;              // with the name; negative: at least so many
    trait traits;
    value (*run)(call&);
};

// The tables by kind of key.
std::span<command_spec const> string_commands();
std::span<command_spec const> key_commands();
std::span<command_spec const> hash_commands();
std::span<command_spec const> list_commands();
std::span<command_spec const> zset_commands();
std::span<command_spec const> server_commands();

// Ignores case; none: an unknown command.
command_spec const* find_command(std::string_view name);

}  // namespace holdfast::simulated

#endif
