//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/refusal.hpp"

#include <algorithm>
#include <array>

namespace holdfast::engine {
namespace {

constexpr std::string_view generic = "ERR ";

struct prefix {
    std::string_view text;
    refusal meaning;
};

constexpr std::array prefixes{
    prefix{"NOSCRIPT", refusal::no_script},
    prefix{"WRONGTYPE", refusal::wrong_type},
    prefix{"NOPERM", refusal::not_permitted},
    prefix{"NOAUTH", refusal::not_permitted},
    prefix{"WRONGPASS", refusal::not_permitted},
    prefix{"ERR AUTH", refusal::not_permitted},
    prefix{"READONLY", refusal::read_only},
    prefix{"BUSY", refusal::not_now},
    prefix{"LOADING", refusal::not_now},
    prefix{"MASTERDOWN", refusal::not_now},
    prefix{"TRYAGAIN", refusal::try_again},
    prefix{"CLUSTERDOWN", refusal::not_now},
    prefix{"OOM", refusal::out_of_resources},
    prefix{"MISCONF", refusal::out_of_resources},
    prefix{"NOREPLICAS", refusal::out_of_resources},
    prefix{"MOVED ", refusal::moved},
    prefix{"ASK ", refusal::ask},
    prefix{"CROSSSLOT", refusal::unsupported},
    prefix{"NOPROTO", refusal::unsupported},
};

// How the errors begin of a command that Redis, or a proxy, can never execute: waiting would not help.
constexpr std::array never_executed{
    std::string_view("unknown command"),
    std::string_view("unknown subcommand"),
    std::string_view("unsupported command"),
    std::string_view("Unknown Redis command"),
    std::string_view("Unknown subcommand"),
    std::string_view("Wrong number of args"),
    std::string_view("wrong number of arguments"),
    std::string_view("syntax error"),
    std::string_view("value is not"),
    std::string_view("hash value is not"),
    std::string_view("min or max is not"),
    std::string_view("increment or decrement would overflow"),
    std::string_view("decrement would overflow"),
    std::string_view("invalid expire time"),
    std::string_view("DB index is out of range"),
    std::string_view("This Redis command is not allowed from script"),
    std::string_view("This instance has cluster support disabled"),
    std::string_view("Error compiling script"),
    std::string_view("Error running script")};

// The error of a command inside a script that the user has no right to call. It has no prefix of its own. The first
// text is that of Redis 6.2 and 7.0, the second that of Redis 7.2 and later and of Valkey.
constexpr std::array script_may_not{
    std::string_view("user executing the script can't"), std::string_view("ACL failure in script")};

// The error of a command inside a script, at a server that is moving the hash slot to another one of its cluster. Redis
// 6.2 writes "Lua script attempted to access ...", later versions "Script attempted to ...", Valkey 9 "Attempted to
// ...". Redis 8.2 has another text for keys that are not declared, as those of the other readers of a lock.
constexpr std::array key_is_gone{
    std::string_view("access a non local key"),
    std::string_view("undeclared keys were accessed during rehashing of the slot")};

// Redis 6.2 writes the error of a command in a script behind places in the script; later versions write them at the
// end, or not at all:
//     ERR Error running script (call to f_<sha1>): @user_script:1: @user_script: 12: -OOM command not allowed ...
//     @user_script: 12: -OOM command not allowed ...     if the script returns the error
std::string_view without_places(std::string_view words) noexcept
{
    constexpr std::string_view place = "@user_script:";
    auto const last = words.rfind(place);
    bool const begins_so = words.starts_with("ERR Error running script") || words.starts_with(place);
    if (!begins_so || last == words.npos)
        return words;
    words.remove_prefix(last + place.size());
    words.remove_prefix(std::min(words.find_first_not_of(" :0123456789"), words.size()));
    return words;
}

refusal meaning_of_prefix(std::string_view words) noexcept
{
    auto const found = std::ranges::find_if(prefixes, [words](prefix const& p) { return words.starts_with(p.text); });
    return found != prefixes.end() ? found->meaning : refusal::other;
}

// The meaning of an error without its first word "ERR". A managed proxy writes that before the words of Redis, too.
refusal meaning_of_text(std::string_view words) noexcept
{
    auto const has = [words](std::string_view part) { return words.find(part) != words.npos; };
    if (auto const meaning = meaning_of_prefix(words); meaning != refusal::other)
        return meaning;
    if (std::ranges::any_of(script_may_not, has))
        return refusal::not_permitted;
    if (std::ranges::any_of(key_is_gone, has))
        return refusal::half_applied;
    // The error of a command inside a script may come after the position in the script.
    if (has("WRONGTYPE"))
        return refusal::wrong_type;
    // The position of an error in a script of ours, which another call would meet again.
    bool const is_never_executed = std::ranges::any_of(
        never_executed, [words](std::string_view beginning) { return words.starts_with(beginning); });
    return is_never_executed || has("user_script:") ? refusal::unsupported : refusal::other;
}

}  // namespace

refusal classify(std::string_view words) noexcept
{
    words = without_places(words);
    if (words.starts_with('-'))
        words.remove_prefix(1);
    // Before "ERR " is removed: "ERR AUTH" is one of them.
    auto const meaning = meaning_of_prefix(words);
    if (meaning != refusal::other)
        return meaning;
    if (words.starts_with(generic))
        words.remove_prefix(generic.size());
    return meaning_of_text(words);
}

}  // namespace holdfast::engine
