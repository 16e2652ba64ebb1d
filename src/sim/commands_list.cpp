//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>

#include "sim/command_words.hpp"

namespace holdfast::simulated {
namespace {

// At the front, each element is put before the one that was pushed before it: LPUSH reverses its arguments. The table
// requires one element at least, so a new list is never empty.
value push(call& c, bool front)
{
    auto const at = make_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    for (auto const text : c.args.subspan(2))
        front ? void(at.data->emplace_front(text)) : void(at.data->emplace_back(text));
    return of(std::int64_t(at.data->size()));
}

value run_lpush(call& c)
{
    return push(c, true);
}
value run_rpush(call& c)
{
    return push(c, false);
}

std::string take(list_value& from, bool front)
{
    auto text = std::move(front ? from.front() : from.back());
    front ? from.pop_front() : from.pop_back();
    return text;
}

// With a count the reply is an array, even for a count of one; without it, one element.
value pop(call& c, bool front)
{
    // The table has no upper limit for the number of words, only a lower one.
    if (c.args.size() > 3)
        return wrong_arity(front ? "lpop" : "rpop");
    bool const many = c.args.size() == 3;
    auto const count = many ? to_integer(c.args[2]) : 1;
    if (!count || *count < 0)
        return error("ERR value is out of range, must be positive");
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    if (!at.data)
        return nil();  // even with a count: an empty array would mean a list from which nothing was requested
    std::vector<value> taken;
    while (std::int64_t(taken.size()) < *count && !at.data->empty())
        taken.push_back(bulk(take(*at.data, front)));
    // Redis deletes a list with its last element. fair_acquire.lua depends on it: EXISTS shows whether there is a
    // waiter.
    if (at.data->empty())
        c.keys.erase(c.args[1]);
    return many ? array(std::move(taken)) : std::move(taken.front());  // without a count one element was taken
}

value run_lpop(call& c)
{
    return pop(c, true);
}
value run_rpop(call& c)
{
    return pop(c, false);
}

value run_llen(call& c)
{
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    return at.wrong ? wrong_type() : of(at.data ? std::int64_t(at.data->size()) : 0);
}

// A negative index counts from the end. Null: there is no such element.
std::string* element(list_value& l, std::int64_t index)
{
    auto const n = std::int64_t(l.size());
    auto const i = index < 0 ? index + n : index;
    return i < 0 || i >= n ? nullptr : &l[std::size_t(i)];
}

// Redis checks the key first, and parses the index only if there is a list: with a missing key an invalid index is not
// an error.
value run_lindex(call& c)
{
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : nil();
    auto const index = to_integer(c.args[2]);
    if (!index)
        return not_an_integer();
    auto const* const found = element(*at.data, *index);
    return found ? bulk(*found) : nil();
}

value run_lset(call& c)
{
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : error("ERR no such key");
    auto const index = to_integer(c.args[2]);
    if (!index)
        return not_an_integer();
    auto* const found = element(*at.data, *index);
    if (!found)
        return error("ERR index out of range");
    *found = c.args[3];
    return ok();
}

// Here Redis parses the indices first.
value run_lrange(call& c)
{
    auto const first = to_integer(c.args[2]);
    auto const last = to_integer(c.args[3]);
    if (!first || !last)
        return not_an_integer();
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    std::vector<value> all;
    // A missing key is an empty list: the range is empty then, and at.data is not used.
    auto const r = clip(*first, *last, at.data ? at.data->size() : 0);
    for (auto i = r.first; i <= r.last; ++i)
        all.push_back(bulk((*at.data)[std::size_t(i)]));
    return array(std::move(all));
}

// Zero removes all equal elements. A negative count removes from the end: std::erase_if() begins at the front, so the
// list is reversed for it.
std::int64_t remove(list_value& l, std::int64_t count, std::string_view text)
{
    auto left = count == 0 ? std::int64_t(l.size()) : std::abs(count);
    auto const matches = [&](std::string const& s) { return s == text && left > 0 && left-- > 0; };
    if (count < 0)
        std::reverse(l.begin(), l.end());
    auto const removed = std::int64_t(std::erase_if(l, matches));
    if (count < 0)
        std::reverse(l.begin(), l.end());
    return removed;
}

value run_lrem(call& c)
{
    auto const count = to_integer(c.args[2]);
    if (!count)
        return not_an_integer();
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : of(0);
    auto const removed = remove(*at.data, *count, c.args[3]);
    // As pop(): fair_leave.lua may remove the last waiter by LREM.
    if (at.data->empty())
        c.keys.erase(c.args[1]);
    return of(removed);
}

// -1: the list does not have the pivot; 0: there is no list.
value run_linsert(call& c)
{
    bool const after = same_word(c.args[2], "AFTER");
    if (!after && !same_word(c.args[2], "BEFORE"))
        return syntax_error();
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : of(0);
    auto const pivot = std::find(at.data->begin(), at.data->end(), c.args[3]);
    if (pivot == at.data->end())
        return of(-1);
    at.data->insert(pivot + after, std::string(c.args[4]));  // AFTER: in front of the element behind the pivot
    return of(std::int64_t(at.data->size()));
}

// Without RANK, COUNT and MAXLEN, which no script uses.
value run_lpos(call& c)
{
    auto const at = find_typed<list_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : nil();
    auto const found = std::find(at.data->begin(), at.data->end(), c.args[2]);
    return found == at.data->end() ? nil() : of(found - at.data->begin());
}

constexpr auto store = trait::writes | trait::grows | trait::keyed;
constexpr auto cut = trait::writes | trait::keyed;  // only removes: permitted when out of memory

constexpr std::array table{
    command_spec{"lpush", -3, store, run_lpush},
    command_spec{"rpush", -3, store, run_rpush},
    command_spec{"lpop", -2, cut, run_lpop},
    command_spec{"rpop", -2, cut, run_rpop},
    command_spec{"llen", 2, trait::keyed, run_llen},
    command_spec{"lindex", 3, trait::keyed, run_lindex},
    command_spec{"lset", 4, store, run_lset},
    command_spec{"lrange", 4, trait::keyed, run_lrange},
    command_spec{"lrem", 4, cut, run_lrem},
    command_spec{"linsert", 5, store, run_linsert},
    command_spec{"lpos", 3, trait::keyed, run_lpos},
};

}  // namespace

std::span<command_spec const> list_commands()
{
    return table;
}

}  // namespace holdfast::simulated
