//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>

#include "sim/command_words.hpp"

namespace holdfast::simulated {
namespace {

// The table requires one member at least, so a new set is never empty. The reply is the number of members that are new.
value run_sadd(call& c)
{
    auto const at = make_typed<set_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    auto& all = at.data->members;
    auto const before = all.size();
    for (auto const name : c.args.subspan(2))
        if (std::find(all.begin(), all.end(), name) == all.end())
            all.emplace_back(name);
    return of(std::int64_t(all.size() - before));
}

value run_scard(call& c)
{
    auto const at = find_typed<set_value>(c.keys, c.args[1]);
    return at.wrong ? wrong_type() : of(at.data ? std::int64_t(at.data->members.size()) : 0);
}

constexpr std::array table{
    command_spec{"sadd", -3, trait::writes | trait::grows | trait::keyed, run_sadd},
    command_spec{"scard", 2, trait::keyed, run_scard},
};

}  // namespace

std::span<command_spec const> set_commands()
{
    return table;
}

}  // namespace holdfast::simulated
