//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <limits>

#include "sim/command_words.hpp"

namespace holdfast::simulated {
namespace {

// UNLINK is the same here: it differs only in the thread that frees the memory.
value run_del(call& c)
{
    std::int64_t removed = 0;
    for (auto const key : c.args.subspan(1))
        removed += c.keys.erase(key);
    return of(removed);
}

// A key that is named twice counts twice. fair_acquire.lua depends on it, to check two keys with one command.
value run_exists(call& c)
{
    std::int64_t found = 0;
    for (auto const key : c.args.subspan(1))
        found += c.keys.find(key) != nullptr;
    return of(found);
}

value run_type(call& c)
{
    constexpr std::array names{"string", "hash", "list", "zset", "set"};  // in the order of keyspace::entry::data
    auto const* const e = c.keys.find(c.args[1]);
    return status(e ? names[e->data.index()] : "none");
}

// -2: there is no such key; -1: it has no time to live. TTL rounds to the nearest second, as in Redis. In the last
// millisecond of a key PTTL is 0: the key still exists.
value left(call& c, std::int64_t unit)
{
    auto const* const e = c.keys.find(c.args[1]);
    if (!e)
        return of(-2);
    if (e->expires_at == keyspace::no_expiry)
        return of(-1);
    auto const ms = std::max<std::int64_t>(e->expires_at - c.keys.now_ms(), 0);
    return of((ms + unit / 2) / unit);
}

value run_pttl(call& c)
{
    return left(c, 1);
}
value run_ttl(call& c)
{
    return left(c, 1000);
}

value run_pexpiretime(call& c)
{
    auto const* const e = c.keys.find(c.args[1]);
    return of(e ? e->expires_at : -2);  // no_expiry has the value that Redis replies for a key without a time to live
}

value run_persist(call& c)
{
    auto* const e = c.keys.find(c.args[1]);
    if (!e || e->expires_at == keyspace::no_expiry)
        return of(0);  // nothing changed
    e->expires_at = keyspace::no_expiry;
    return of(1);
}

struct expire_options {
    bool nx = false;
    bool xx = false;
    bool gt = false;
    bool lt = false;

    // Whether the expiry may change from `before` to `after`. A key without an expiry counts as one that expires last:
    // GT never changes it, and LT always does. So a renewal with GT gives no time to live to a key that has none.
    bool allow(std::int64_t before, std::int64_t after) const
    {
        bool const none = before == keyspace::no_expiry;
        return !(nx && !none) && !(xx && none) && !(gt && (none || after <= before))
               && !(lt && !none && after >= before);
    }
};

value parse_expire(words args, expire_options& to)
{
    for (auto const word : args.subspan(3)) {
        if (same_word(word, "NX"))
            to.nx = true;
        else if (same_word(word, "XX"))
            to.xx = true;
        else if (same_word(word, "GT"))
            to.gt = true;
        else if (same_word(word, "LT"))
            to.lt = true;
        else
            return error("ERR Unsupported option " + std::string(word));
    }
    // XX may be combined with GT or LT; NX excludes all others.
    if (to.nx && (to.xx || to.gt || to.lt))
        return error("ERR NX and XX, GT or LT options at the same time are not compatible");
    if (to.gt && to.lt)
        return error("ERR GT and LT options at the same time are not compatible");
    return {};
}

// The requested instant in ms since the epoch, or an error reply. `base`: now for a relative time, 0 for an absolute
// one. A test may pass any number: without the checks an overflow would be undefined behaviour.
value expiry(call& c, std::int64_t unit, std::int64_t base, std::string_view name)
{
    auto const given = to_integer(c.args[2]);
    if (!given)
        return not_an_integer();
    std::int64_t at = 0;
    if (__builtin_mul_overflow(*given, unit, &at) || __builtin_add_overflow(at, base, &at))
        return invalid_expiry(name);
    return of(at);
}

// The checks are in the order of Redis: with several faults in a command, the first one determines the error reply.
value expire(call& c, std::int64_t unit, std::int64_t base, std::string_view name)
{
    expire_options options;
    if (auto wrong = parse_expire(c.args, options); wrong.is_error())
        return wrong;
    auto const at = expiry(c, unit, base, name);
    if (at.is_error())
        return at;
    auto* const e = c.keys.find(c.args[1]);
    if (!e || !options.allow(e->expires_at, at.integer))
        return of(0);
    // An instant that has passed deletes the key, and counts as a change.
    if (at.integer <= c.keys.now_ms())
        c.keys.erase(c.args[1]);
    else
        e->expires_at = at.integer;
    return of(1);
}

value run_pexpire(call& c)
{
    return expire(c, 1, c.keys.now_ms(), "pexpire");
}
value run_expire(call& c)
{
    return expire(c, 1000, c.keys.now_ms(), "expire");
}
value run_pexpireat(call& c)
{
    return expire(c, 1, 0, "pexpireat");
}

// None of them grows: a server that is out of memory still renews and deletes locks.
constexpr std::array table{
    command_spec{"del", -2, trait::writes | trait::keyed, run_del},
    command_spec{"unlink", -2, trait::writes | trait::keyed, run_del},
    command_spec{"exists", -2, trait::keyed, run_exists},
    command_spec{"type", 2, trait::keyed, run_type},
    command_spec{"pttl", 2, trait::keyed, run_pttl},
    command_spec{"ttl", 2, trait::keyed, run_ttl},
    command_spec{"pexpiretime", 2, trait::keyed, run_pexpiretime},
    command_spec{"persist", 2, trait::writes | trait::keyed, run_persist},
    command_spec{"pexpire", -3, trait::writes | trait::keyed, run_pexpire},
    command_spec{"expire", -3, trait::writes | trait::keyed, run_expire},
    command_spec{"pexpireat", -3, trait::writes | trait::keyed, run_pexpireat},
};

}  // namespace

std::span<command_spec const> key_commands()
{
    return table;
}

}  // namespace holdfast::simulated
