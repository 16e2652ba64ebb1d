//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace holdfast::cli {
namespace {

using enum grade;

// The value of a line `field:value`; empty if there is no such line. The name must be the whole name: "maxmemory" also
// begins "maxmemory_policy", and may end another name.
std::string_view value_of(std::string_view info, std::string_view field)
{
    for (auto at = info.find(field); at != info.npos; at = info.find(field, at + 1)) {
        auto const end = at + field.size();
        if ((at == 0 || info[at - 1] == '\n') && info.substr(end).starts_with(':'))
            return info.substr(end + 1, info.find_first_of("\r\n", end) - end - 1);
    }
    return {};
}

// The number at the beginning of the text; 0 if there is none.
std::uint64_t number_at(std::string_view text)
{
    std::uint64_t n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

std::uint64_t number_of(std::string_view info, std::string_view field)
{
    return number_at(value_of(info, field));
}

// Whether "6.2.14" is 6.2 or newer.
bool is_new_enough(std::string_view version)
{
    auto const major = number_at(version);
    auto const dot = version.find('.');
    auto const minor = dot == version.npos ? 0 : number_at(version.substr(dot + 1));
    return major > 6 || (major == 6 && minor >= 2);
}

// Valkey reports the version of Redis with which it is compatible, too.
finding version(std::string_view info)
{
    auto const redis = value_of(info, "redis_version");
    auto const valkey = value_of(info, "valkey_version");
    auto const words = valkey.empty() ? "Redis " + std::string(redis) : "Valkey " + std::string(valkey);
    if (is_new_enough(redis))
        return {good, "version", words};
    return {bad, "version", words + ": 6.2 or newer is needed"};
}

std::string_view mode_of(std::string_view info)
{
    auto const of_redis = value_of(info, "redis_mode");
    return of_redis.empty() ? value_of(info, "server_mode") : of_redis;  // Valkey's name
}

finding mode(std::string_view info, role r)
{
    auto const mode = mode_of(info);
    if (mode == "sentinel")
        return {bad, "mode", "a Sentinel, which stores no locks: use redis+sentinel://"};
    if (mode == "cluster" && r == role::primary_of_cluster)
        return {good, "mode", "Redis Cluster"};
    if (mode == "cluster")
        // A client is refused by any other member of a cluster before it can send INFO.
        return {good, "mode", "Redis Cluster; with the right to CLUSTER SLOTS, of one primary"};
    return {good, "mode", "standalone"};
}

finding eviction(std::string_view info)
{
    auto const policy = std::string(value_of(info, "maxmemory_policy"));
    if (policy.empty())
        return {doubtful, "memory", "INFO does not tell the eviction policy: locks are safe with noeviction only"};
    auto const most = number_of(info, "maxmemory");
    auto const evicted = std::string(value_of(info, "evicted_keys"));
    // Without a limit (maxmemory 0) nothing is evicted yet.
    return {
        most == 0 ? doubtful : bad,
        "memory",
        policy + ", " + (evicted.empty() ? "0" : evicted)
            + " keys evicted so far: the server evicts locks when memory is short, and other clients get them while "
              "their holders work on; set noeviction"};
}

finding memory(std::string_view info)
{
    if (value_of(info, "maxmemory_policy") != "noeviction")
        return eviction(info);
    auto const most = number_of(info, "maxmemory");
    if (most > 0 && number_of(info, "used_memory") > most / 10 * 9)
        return {
            doubtful, "memory", "noeviction, more than nine tenths used: the server will soon refuse to grant locks"};
    return {good, "memory", "noeviction"};
}

finding persistence(std::string_view info)
{
    auto const file = value_of(info, "aof_enabled");
    if (file.empty())
        return {doubtful, "persistence", "INFO does not tell whether there is an append-only file"};
    if (file == "0")
        return {
            doubtful,
            "persistence",
            "no append-only file: a restart loses locks, and other clients get them while their holders work on"};
    if (value_of(info, "aof_last_write_status") == "err")
        return {bad, "persistence", "the append-only file cannot be written"};
    return {good, "persistence", "append-only file; only appendfsync always loses nothing in a crash"};
}

finding replicas(std::string_view info, role r)
{
    if (is_replica(info))
        return {bad, "replicas", "this is a replica, which cannot grant locks: use the URL of its primary"};
    auto const count = number_of(info, "connected_slaves");
    if (count == 0 && r == role::primary_of_cluster)
        return {
            doubtful, "replicas", "none: if this primary fails, nobody can lock in its hash slots until it returns"};
    if (count == 0)
        return {good, "replicas", "none"};
    return {doubtful, "replicas", std::to_string(count) + ": a failover may lose the newest grants; use fencing"};
}

}  // namespace

// Redis writes "ERR unknown command 'HELLO'" and "NOPROTO unsupported protocol version"; the client itself, "the server
// does not speak RESP3".
bool is_hello_refused(std::string_view words)
{
    constexpr std::array parts{"HELLO", "NOPROTO", "RESP3"};
    return std::ranges::any_of(parts, [&](auto const* part) { return words.find(part) != words.npos; });
}

bool is_replica(std::string_view info)
{
    return value_of(info, "role") == "slave";
}

bool may_have_sharded_messages(std::string_view info)
{
    auto const version = value_of(info, "redis_version");
    return version.empty() || number_at(version) >= 7;
}

bool is_in_cluster_mode(std::string_view info)
{
    return mode_of(info) == "cluster";
}

std::vector<finding> diagnose(std::string_view info, role r)
{
    return {version(info), mode(info, r), memory(info), persistence(info), replicas(info, r)};
}

}  // namespace holdfast::cli
