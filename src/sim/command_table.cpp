//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/command_table.hpp"

#include <array>

namespace holdfast::simulated {
namespace {

// The names are views of literals in the tables.
using index = boost::unordered_flat_map<std::string_view, command_spec const*>;

index make_index()
{
    index all;
    for (auto const table :
         {string_commands(),
          key_commands(),
          hash_commands(),
          list_commands(),
          set_commands(),
          zset_commands(),
          server_commands()})
        for (auto const& spec : table)
            all.emplace(spec.name, &spec);
    return all;
}

// Not std::tolower(), which depends on the locale of the program.
constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? char(c + 32) : c;
}

}  // namespace

command_spec const* find_command(std::string_view name)
{
    // Initialized by the first caller: servers on several threads may search a command at the same time.
    static index const all = make_index();
    // On the stack, because every command of a simulation passes here. No name in the tables is longer.
    std::array<char, 24> small;
    if (name.size() > small.size())
        return nullptr;
    for (std::size_t i = 0; i != name.size(); ++i)
        small[i] = lower(name[i]);
    auto const at = all.find(std::string_view(small.data(), name.size()));
    return at == all.end() ? nullptr : at->second;
}

}  // namespace holdfast::simulated
