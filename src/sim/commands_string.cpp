//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <limits>

#include "sim/command_words.hpp"

namespace holdfast::simulated {
namespace {

value run_get(call& c)
{
    auto const at = find_typed<string_value>(c.keys, c.args[1]);
    return at.wrong ? wrong_type() : at.data ? bulk(*at.data) : nil();
}

// The bytes from one place to another, both included; a negative one counts from the end. Other than of a list, a last one
// before the first byte means that byte, unless it lies before a first one that is negative, too.
value run_getrange(call& c)
{
    auto const first = to_integer(c.args[2]);
    auto const last = to_integer(c.args[3]);
    if (!first || !last)
        return not_an_integer();
    auto const at = find_typed<string_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    std::string_view const all = at.data ? std::string_view(*at.data) : std::string_view();
    auto const r = clip(*first, std::max(*last, -std::int64_t(all.size())), all.size());
    bool const none = r.empty() || (*first < 0 && *last < *first);
    return bulk(none ? std::string_view() : all.substr(std::size_t(r.first), std::size_t(r.last - r.first + 1)));
}

struct set_options {
    bool nx = false;
    bool xx = false;
    bool get = false;
    bool keep_ttl = false;
    char unit = 0;  // 'm': ms, 's': seconds; in upper case: since the epoch
    std::string_view time = {};

    // Redis accepts one option that determines the time to live.
    bool timed() const { return keep_ttl || unit != 0; }
};

// The unit of the number that follows that word; 0: another word.
char unit_of(std::string_view word)
{
    return same_word(word, "PX")     ? 'm'
           : same_word(word, "EX")   ? 's'
           : same_word(word, "PXAT") ? 'M'
           : same_word(word, "EXAT") ? 'S'
                                     : 0;
}

// Whether the options are valid. Redis does not report which of them is not.
bool parse_set(words args, set_options& to)
{
    for (std::size_t i = 3; i != args.size(); ++i) {
        auto const word = args[i];
        if (same_word(word, "NX") && !to.xx)
            to.nx = true;
        else if (same_word(word, "XX") && !to.nx)
            to.xx = true;
        else if (same_word(word, "GET"))
            to.get = true;
        else if (same_word(word, "KEEPTTL") && to.unit == 0)
            to.keep_ttl = true;
        else if (auto const unit = unit_of(word); unit && !to.timed() && i + 1 != args.size())
            to.unit = unit, to.time = args[++i];
        else
            return false;
    }
    return true;
}

// The instant at which a key with these options expires, in ms since the epoch, or an error reply. The limits prevent
// overflows, which would be undefined behaviour.
value expiry(set_options const& o, std::int64_t now_ms)
{
    auto const given = to_integer(o.time);
    if (!given)
        return not_an_integer();
    bool const seconds = o.unit == 's' || o.unit == 'S';
    auto const most = std::numeric_limits<std::int64_t>::max();
    if (*given <= 0 || (seconds && *given > most / 1000))
        return invalid_expiry("set");
    auto const ms = seconds ? *given * 1000 : *given;
    bool const absolute = o.unit == 'M' || o.unit == 'S';
    if (absolute)
        return of(ms);
    return ms > most - now_ms ? invalid_expiry("set") : of(ms + now_ms);
}

// The checks are in the order of Redis: the options, the time, the type of the old value, the conditions.
value run_set(call& c)
{
    set_options options;
    if (!parse_set(c.args, options))
        return syntax_error();
    auto until = of(keyspace::no_expiry);
    if (options.unit && (until = expiry(options, c.keys.now_ms())).is_error())
        return until;

    // SET replaces a key of any type. Only with GET the type matters, because the old value is returned.
    auto const found = find_typed<string_value>(c.keys, c.args[1]);
    if (options.get && found.wrong)
        return wrong_type();
    // Made before put(), which destroys the old value.
    auto reply = options.get ? (found.data ? bulk(*found.data) : nil()) : ok();
    // With GET the reply is the old value, whether the key is set or not.
    if ((options.nx && found.entry) || (options.xx && !found.entry))
        return options.get ? reply : nil();
    if (options.keep_ttl && found.entry)
        until.integer = found.entry->expires_at;
    // Without an option for it the key has no time to live afterwards, even if it had one: reentrant_acquire_fenced.lua
    // depends on it.
    c.keys.put(c.args[1], string_value(c.args[2])).expires_at = until.integer;
    return reply;
}

// A missing key counts as 0. A sum that overflows leaves the key as it is.
value add(call& c, std::int64_t by)
{
    auto const at = find_typed<string_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    auto const before = at.data ? to_integer(*at.data) : 0;
    if (!before)
        return not_an_integer();
    std::int64_t after = 0;
    if (__builtin_add_overflow(*before, by, &after))
        return error("ERR increment or decrement would overflow");
    // In place: INCR keeps the time to live, and put() would remove it.
    if (at.data)
        *at.data = std::to_string(after);
    else
        c.keys.put(c.args[1], std::to_string(after));
    return of(after);
}

value run_incr(call& c)
{
    return add(c, 1);
}

value run_incrby(call& c)
{
    auto const by = to_integer(c.args[2]);
    return by ? add(c, *by) : not_an_integer();
}

// Redis cannot negate the least number, and refuses it before it looks at the key.
value run_decrby(call& c)
{
    auto const by = to_integer(c.args[2]);
    if (!by)
        return not_an_integer();
    if (*by == std::numeric_limits<std::int64_t>::min())
        return error("ERR decrement would overflow");
    return add(c, -*by);
}

value run_strlen(call& c)
{
    auto const at = find_typed<string_value>(c.keys, c.args[1]);
    return at.wrong ? wrong_type() : of(at.data ? std::int64_t(at.data->size()) : 0);
}

// A key of another type counts as missing. mutex_release_all.lua depends on it: one such key does not stop the release
// of the others.
value run_mget(call& c)
{
    std::vector<value> all;
    for (auto const key : c.args.subspan(1)) {
        auto const at = find_typed<string_value>(c.keys, key);
        all.push_back(at.data ? bulk(*at.data) : nil());
    }
    return array(std::move(all));
}

constexpr auto store = trait::writes | trait::grows | trait::keyed;

constexpr std::array table{
    command_spec{"get", 2, trait::keyed, run_get},
    command_spec{"getrange", 4, trait::keyed, run_getrange},
    command_spec{"set", -3, store, run_set},
    command_spec{"incr", 2, store, run_incr},
    command_spec{"incrby", 3, store, run_incrby},
    command_spec{"decrby", 3, store, run_decrby},
    command_spec{"strlen", 2, trait::keyed, run_strlen},
    command_spec{"mget", -2, trait::keyed, run_mget},
};

}  // namespace

std::span<command_spec const> string_commands()
{
    return table;
}

}  // namespace holdfast::simulated
