//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <span>

#include "sim/command_words.hpp"

namespace holdfast::simulated {
namespace {

// A linear search: the hash of a lock has one field, that of a read_write_lock one for each process that reads. Null:
// the hash or the field is missing.
std::string* field(hash_value* h, std::string_view name)
{
    if (!h)
        return nullptr;
    auto const at = std::find_if(h->begin(), h->end(), [&](auto const& f) { return f.first == name; });
    return at == h->end() ? nullptr : &at->second;
}

// Returns whether the field is new, because HSET replies with the number of new fields. A field that exists keeps its
// place: HGETALL has the order of insertion.
bool put(hash_value& h, std::string_view name, std::string_view text)
{
    if (auto* const old = field(&h, name)) {
        *old = text;
        return false;
    }
    h.emplace_back(name, text);
    return true;
}

value run_hset(call& c)
{
    // A field without a value. The check precedes make_typed(), so that no empty hash remains after the error.
    if (c.args.size() % 2 != 0)
        return wrong_arity("hset");
    auto const at = make_typed<hash_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    std::int64_t fresh = 0;
    for (std::size_t i = 2; i != c.args.size(); i += 2)
        fresh += put(*at.data, c.args[i], c.args[i + 1]);
    return of(fresh);
}

value run_hget(call& c)
{
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    auto const* const found = field(at.data, c.args[2]);
    return found ? bulk(*found) : nil();
}

// A missing key counts as a hash without fields, as in all commands that read: the reply has a nil for each name.
value run_hmget(call& c)
{
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    std::vector<value> all;
    for (auto const name : c.args.subspan(2)) {
        auto const* const found = field(at.data, name);
        all.push_back(found ? bulk(*found) : nil());
    }
    return array(std::move(all));
}

value run_hdel(call& c)
{
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    if (!at.data)
        return of(0);
    std::int64_t removed = 0;
    for (auto const name : c.args.subspan(2))
        removed += std::int64_t(std::erase_if(*at.data, [&](auto const& f) { return f.first == name; }));
    // Redis deletes a hash with its last field. reentrant_release.lua depends on it: HDEL alone frees the lock.
    if (at.data->empty())
        c.keys.erase(c.args[1]);
    return of(removed);
}

// field() accepts the null pointer of a missing key.
value run_hexists(call& c)
{
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    return at.wrong ? wrong_type() : of(field(at.data, c.args[2]) != nullptr);
}

value run_hlen(call& c)
{
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    return at.wrong ? wrong_type() : of(at.data ? std::int64_t(at.data->size()) : 0);
}

// With names and texts the reply is one list, in which they alternate: the scripts receive HGETALL in this form.
value list(call& c, bool names, bool texts)
{
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    std::vector<value> all;
    for (auto const& [name, text] : at.data ? *at.data : hash_value{}) {
        if (names)
            all.push_back(bulk(name));
        if (texts)
            all.push_back(bulk(text));
    }
    return array(std::move(all));
}

value run_hkeys(call& c)
{
    return list(c, true, false);
}
value run_hvals(call& c)
{
    return list(c, false, true);
}
value run_hgetall(call& c)
{
    return list(c, true, true);
}

value run_hscan(call& c)
{
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    return scan(c, at.data ? at.data->size() : 0, [&](std::size_t i) -> std::array<std::string, 2> {
        return {(*at.data)[i].first, (*at.data)[i].second};
    });
}

value run_hincrby(call& c)
{
    auto const by = to_integer(c.args[3]);
    if (!by)
        return not_an_integer();
    auto const at = find_typed<hash_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    // The value is checked before make_typed(): after an error the key must not exist.
    auto const* const old = field(at.data, c.args[2]);
    auto const before = old ? to_integer(*old) : 0;
    if (!before)
        return error("ERR hash value is not an integer");
    // Redis refuses an overflow. In C++ the sum would be undefined behaviour.
    std::int64_t after = 0;
    if (__builtin_add_overflow(*before, *by, &after))
        return error("ERR increment or decrement would overflow");
    put(*make_typed<hash_value>(c.keys, c.args[1]).data, c.args[2], std::to_string(after));
    return of(after);
}

constexpr auto store = trait::writes | trait::grows | trait::keyed;

// HDEL does not grow: a server that is out of memory still lets its clients release their locks.
constexpr std::array table{
    command_spec{"hset", -4, store, run_hset},
    command_spec{"hget", 3, trait::keyed, run_hget},
    command_spec{"hmget", -3, trait::keyed, run_hmget},
    command_spec{"hdel", -3, trait::writes | trait::keyed, run_hdel},
    command_spec{"hexists", 3, trait::keyed, run_hexists},
    command_spec{"hlen", 2, trait::keyed, run_hlen},
    command_spec{"hkeys", 2, trait::keyed, run_hkeys},
    command_spec{"hvals", 2, trait::keyed, run_hvals},
    command_spec{"hgetall", 2, trait::keyed, run_hgetall},
    command_spec{"hscan", -3, trait::keyed, run_hscan},
    command_spec{"hincrby", 4, store, run_hincrby},
};

}  // namespace

std::span<command_spec const> hash_commands()
{
    return table;
}

}  // namespace holdfast::simulated
