//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "conformance/grammar.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace holdfast::test {
namespace {

// One command per line. A word in capitals is itself; the others are drawn: k key, f field or member, v text,
// n number, ms time to live, x score, [..] perhaps, a|b either.
constexpr std::array commands = std::to_array<std::string_view>(
    {"GET k",
     "SET k v",
     "SET k n",
     "SET k v [NX] PX ms",
     "SET k v NX|XX [GET]",
     "SET k v PX ms GET",
     "SET k v KEEPTTL [GET]",
     "SET k v EX|PX|NX ms",
     "SET k v PX ms KEEPTTL",
     "SET k v NX XX",
     "SET k v FOO",
     "SET k",
     "set k n EXAT 99999999999",
     "INCR k",
     "INCRBY k n",
     "DECRBY k n",
     "STRLEN k",
     "MGET k [k] [k]",
     "DEL k [k]",
     "DEL k",
     "UNLINK k",
     "EXISTS k [k]",
     "TYPE k",
     "GETRANGE k n n",
     "PTTL k",
     "TTL k",
     "PERSIST k",
     "PEXPIRE k ms [NX|XX|GT|LT]",
     "PEXPIRE k ms GT|NX LT|XX",
     "PEXPIRE k ms FOO",
     "EXPIRE k ms",
     "PEXPIREAT k ms",
     "PEXPIREAT k 9999999999999 [GT|LT|NX|XX]",
     "HSET k f v",
     "HSET k f n [f v]",
     "HSET k f",
     "HGET k f",
     "HMGET k f [f]",
     "HDEL k f [f]",
     "HEXISTS k f",
     "HLEN k",
     "HKEYS k",
     "HVALS k",
     "HGETALL k",
     "HSCAN k 0",
     "HSCAN k 0 COUNT n",
     "HSCAN k 0 FOO n",
     "ZSCAN k 0",
     "ZSCAN k 0 COUNT n",
     "ZSCAN k 0 FOO n",
     "HINCRBY k f n",
     "HINCRBY k f v",
     "LPUSH k v [v]",
     "RPUSH k v [f]",
     "RPUSH k f",
     "LPOP k [n]",
     "RPOP k",
     "RPOP k n f",
     "LLEN k",
     "LINDEX k n",
     "LSET k n v",
     "LRANGE k n n",
     "LRANGE k 0 -1",
     "LREM k n f",
     "LINSERT k BEFORE|AFTER|FOO f v",
     "LPOS k f",
     "SADD k f [f] [v]",
     "SCARD k",
     "ZADD k x f [x f]",
     "ZADD k [NX|XX] [GT|LT] [CH] [INCR] x f",
     "ZADD k x",
     "ZINCRBY k x f",
     "ZSCORE k f",
     "ZMSCORE k f [f]",
     "ZRANK k f",
     "ZCARD k",
     "ZCOUNT k x x",
     "ZREM k f [f]",
     "ZRANGE k n n [WITHSCORES] [REV]",
     "ZRANGE k x x BYSCORE [REV] [LIMIT 0 1]",
     "ZRANGE k 0 -1 LIMIT 0 1",
     "ZRANGEBYSCORE k x x [WITHSCORES] [LIMIT n n]",
     "ZREMRANGEBYSCORE k x x",
     "PING [v]",
     "PING v v",
     "ECHO v",
     "PUBLISH v v",
     "NOSUCH k v",
     "get",
     "hset k f v f"});

std::vector<std::string> split(std::string_view text, char at)
{
    std::vector<std::string> parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, at);)
        parts.push_back(part);
    return parts;
}

// "lock, counter (left out: not fenced)": a remark in parentheses describes no argument, and may contain a comma.
std::string without_remarks(std::string text)
{
    for (auto from = text.find('('); from != text.npos; from = text.find('('))
        text.erase(from, text.find(')', from) - from + 1);
    return text;
}

// The text after "-- KEYS  " and the like, with the lines on which it continues: these begin with "--   ".
std::string header_of(std::string_view script, std::string_view name)
{
    constexpr std::string_view next = "\n--   ";
    auto const mark = "\n-- " + std::string(name) + "  ";
    auto const at = script.find(mark);
    if (at == script.npos)
        return {};
    std::string text;
    auto rest = script.substr(at + mark.size());
    for (; rest.substr(rest.find('\n')).starts_with(next); rest.remove_prefix(rest.find('\n') + next.size()))
        text.append(rest.substr(0, rest.find('\n'))).append(" ");
    return without_remarks(text.append(rest.substr(0, rest.find('\n'))));
}

}  // namespace

std::string grammar::any_of(std::initializer_list<std::string_view> all)
{
    return std::string(all.begin()[chance_.below(all.size())]);
}

std::string grammar::word(std::string_view pattern)
{
    if (pattern == "k")
        return any_of({"k1", "k2", "k3", "k4"});
    if (pattern == "f")
        return any_of({"f1", "f2", "f3", "mode"});
    if (pattern == "v")
        return any_of({"", "1", "9223372036854775807", "f1", "f2", "text", "a b", " 1", "01"});
    if (pattern == "n")
        return any_of(
            {"0", "1", "2", "-1", "-2", "5", "-9223372036854775808", "+1", "1.5", "x", "99999999999999999999"});
    if (pattern == "ms")
        return any_of({"100000", "200000", "300000", "0", "-1", "x", "9223372036854775807", "50000"});
    if (pattern == "x")
        return any_of({"0", "1", "2.5", "-1", "(1", "inf", "-inf", "1e3", "0.1", "nan", "x"});
    return std::string(pattern);
}

command_text grammar::any_command()
{
    command_text text;
    for (auto part : split(commands[chance_.below(commands.size())], ' ')) {
        if (part.front() == '[' && (chance_.happens(0.5)))
            continue;
        std::erase_if(part, [](char c) { return c == '[' || c == ']'; });
        auto const either = split(part, '|');
        text.push_back(word(either[chance_.below(either.size())]));
    }
    // "[LIMIT n n]" is three parts: without its first part, the rest is an error on both servers.
    return text;
}

std::string grammar::argument(std::string_view description)
{
    auto const says = [&](std::string_view what) { return description.find(what) != description.npos; };
    bool const is_nonsense = chance_.happens(0.05);
    // Not a time that passes between the two calls, one on each server.
    if (says("ms") || says("timeout") || says("lease"))
        return is_nonsense ? any_of({"", "-1", "0", "text", "1.5e9"}) : any_of({"100000", "200000", "300000"});
    // A script makes a list of so many members: no number that keeps the server busy for hours.
    if (is_nonsense && says("weight"))
        return any_of({"", "-1", "0", "text"});
    if (is_nonsense)
        return word("v");
    if (says("channel"))
        return "channel";
    if (says("token") || says("holder") || says("writer") || says("reader"))
        return any_of({"f1", "f2", "f3"});
    if (says("weight") || says("priority") || says("count") || says("limit"))
        return any_of({"1", "5", "10"});
    return word(chance_.happens(0.5) ? "n" : "v");
}

// "for each lock: token, lease in ms": adds `groups` groups.
void grammar::add_list(command_text& to, std::string_view description, std::size_t groups)
{
    auto const colon = description.find("for each");
    auto const head = description.substr(0, colon);
    for (auto const& d : split(head, ','))
        if (d.find_first_not_of(' ') != d.npos)
            to.push_back(argument(d));
    if (colon == description.npos)
        return;
    auto const rest = description.substr(description.find(':') + 1);
    for (std::size_t i = 0; i != groups; ++i)
        for (auto const& d : split(rest, ','))
            to.push_back(argument(d));
}

command_text grammar::call_of(std::string_view script)
{
    auto const keys = header_of(script, "KEYS");
    auto const arguments = header_of(script, "ARGV");
    auto const groups = std::size_t(1 + chance_.below(3));
    auto const count = arguments.find("for each") != arguments.npos && keys.find(',') == keys.npos
                           ? groups
                           : split(keys, ',').size();
    command_text text{"EVAL", std::string(script), std::to_string(count)};
    for (std::size_t i = 0; i != count; ++i)
        text.push_back(i == 0 ? word("k") : any_of({"k1", "k2", "k5", "k6", "k7"}));
    add_list(text, arguments, groups);
    return text;
}

}  // namespace holdfast::test
