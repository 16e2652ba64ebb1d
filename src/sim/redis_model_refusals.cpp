//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a server refuses: by its access rules, its hash slots and its condition. The rest of the class is in
// redis_model.cpp.

#include <algorithm>

#include "sim/command_words.hpp"
#include "sim/redis_model.hpp"

namespace holdfast::simulated {
namespace {

// "client|id" for a command with subcommands: in this form access rules name them, and error messages, too.
std::string full_name(command_spec const& spec, words args)
{
    std::string name(spec.name);
    if ((name == "client" || name == "cluster" || name == "script") && args.size() > 1)
        name.append("|").append(args[1]);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return name;
}

// The session classifies errors by the first word (engine::classify()).
std::string words_of(condition c)
{
    switch (c) {
        case condition::busy:
            return "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
        case condition::loading: return "LOADING Redis is loading the dataset in memory";
        case condition::out_of_memory: return "OOM command not allowed when used memory > 'maxmemory'.";
        case condition::disk_error:
            return "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist "
                   "to disk. "
                   "Commands that may modify the data set are disabled, because this instance is configured "
                   "to report "
                   "errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). "
                   "Please check "
                   "the Redis logs for details about the RDB error.";
        case condition::no_replicas: return "NOREPLICAS Not enough good replicas to write.";
        case condition::replica: return "READONLY You can't write against a read only replica.";
        case condition::stale:
            return "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
        case condition::normal: break;
    }
    return {};
}

// The keys among the words of a command, to which access rules and hash slots apply. Those of a script are declared in
// its call: the library passes all keys in KEYS (rule 20).
words keys_of(command_spec const& spec, words args)
{
    if (spec.name == "eval" || spec.name == "evalsha") {
        // An invalid number is reported later, by evaluate().
        auto const count = to_integer(args[2]).value_or(0);
        return count > 0 && count <= std::int64_t(args.size()) - 3 ? args.subspan(3, std::size_t(count)) : words();
    }
    if (spec.name == "ssubscribe" || spec.name == "sunsubscribe")
        return args.subspan(1);  // the slot of a channel is that of a key with its name
    if (spec.name == "del" || spec.name == "unlink" || spec.name == "exists" || spec.name == "mget")
        return args.subspan(1);
    return has(spec.traits, trait::keyed) ? args.subspan(1, 1) : words();
}

// Whether access rules to channels apply. Redis checks no channel that a client unsubscribes from.
bool uses_channels(command_spec const& spec)
{
    return spec.name == "subscribe" || spec.name == "publish" || spec.name == "ssubscribe" || spec.name == "spublish";
}

// Whether a server in that state refuses a command with these traits. Out of memory it still executes commands that
// need none, so that clients can release their locks. A replica, and a server that cannot save or replicate its data,
// refuses every write.
bool refuses(condition c, trait t)
{
    switch (c) {
        case condition::normal: return false;
        case condition::busy: return !has(t, trait::while_busy);
        case condition::loading:
        case condition::stale: return !has(t, trait::while_loading);
        case condition::out_of_memory: return has(t, trait::grows);
        case condition::disk_error:
        case condition::no_replicas:
        case condition::replica: return has(t, trait::writes);
    }
    return false;
}

}  // namespace

// An access rule denies a command or one of its subcommands. Most servers have no rules, and the name of a subcommand
// is made only if there are some.
bool redis_model::is_denied(command_spec const& spec, words args) const
{
    return !denied_commands_.empty()
           && (denied_commands_.contains(spec.name) || denied_commands_.contains(full_name(spec, args)));
}

// In the order of Redis. Access rules come before the state of the server: without the right to a command, a user gets
// NOPERM even from a busy server, so waiting for the server would not help the client.
std::optional<value> redis_model::refuse(connection const& from, command_spec const& spec, words args)
{
    bool const is_script = spec.name == "eval" || spec.name == "evalsha";
    if (!proxy_error_.empty() && (is_script || has(spec.traits, trait::writes)))
        return error(proxy_error_);
    if (is_denied(spec, args))
        return error("NOPERM this user has no permissions to run the '" + full_name(spec, args) + "' command");
    if (has_denied_key(keys_of(spec, args)))
        return error("NOPERM this user has no permissions to access one of the keys used as arguments");
    if (channels_denied_ && uses_channels(spec))
        return error("NOPERM this user has no permissions to access one of the channels used as arguments");
    // Redis checks READONLY before MASTERDOWN: the session reacts to the first by a new connection.
    if (condition_ == condition::stale && has(spec.traits, trait::writes))
        return error(words_of(condition::replica));
    if (auto refused = refuse_slot(from, spec, args))
        return refused;
    if (refuses(condition_, spec.traits))
        return error(words_of(condition_));
    return std::nullopt;
}

// What a script does at a node that imports the slot is under the ASKING of its call, too.
std::optional<value> redis_model::refuse_slot(connection const& from, command_spec const& spec, words args)
{
    bool const names_channels = spec.name == "ssubscribe" || spec.name == "sunsubscribe" || spec.name == "spublish";
    auto const kind = names_channels ? node_slots::kind::channels : node_slots::kind::keys;
    return slots_.refuse(keys_of(spec, args), kind, from.asks > 0, keys_);
}

// One denied key is enough: Redis checks all keys of a command before it executes it. So the client must send the locks
// of a refused batch one by one (docs/operations.md).
bool redis_model::has_denied_key(words keys) const
{
    return !denied_keys_.empty() && std::ranges::any_of(keys, [&](auto const k) { return denied_keys_.contains(k); });
}

bool redis_model::has_given_key(words keys) const
{
    return !given_keys_.empty() && std::ranges::any_of(keys, [&](auto const k) { return given_keys_.contains(k); });
}

// In a script Redis 7.0 reports a missing right with another message than outside, without NOPERM. engine::classify()
// must know both.
std::optional<value> redis_model::refuse_in_script(command_spec const& spec, words args)
{
    if (has(spec.traits, trait::not_in_script))
        return error("ERR This Redis command is not allowed from script");
    if (is_denied(spec, args))
        return error("ERR The user executing the script can't run this command or subcommand");
    if (channels_denied_ && uses_channels(spec))
        return error("ERR The user executing the script can't publish to the channel mentioned in the command");
    if (has_given_key(keys_of(spec, args)) || refuse_slot(*script_caller_, spec, args))
        return error("ERR Script attempted to access a non local key in a cluster node");
    // Redis does not refuse a write in the middle of a script that has written already: all of its writes must be
    // applied. fair_refresh.lua and engine::may_be_applied() depend on it. A script runs in a busy or loading server
    // only if it began before.
    bool const goes_on = script_wrote_ || condition_ == condition::busy || condition_ == condition::loading;
    if (!goes_on && refuses(condition_, spec.traits))
        return error(words_of(condition_));
    return std::nullopt;
}

}  // namespace holdfast::simulated
