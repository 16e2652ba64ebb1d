//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DIAGNOSIS_HPP
#define HOLDFAST_CLI_DIAGNOSIS_HPP

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// In ascending order, so that the worst of several is the greatest. `doubtful`: locks work, but a fault may lose one.
enum class grade { good, doubtful, bad };

// One property of a server, or of a cluster, that matters for locks.
struct finding {
    cli::grade grade;
    std::string topic;
    std::string words;
    std::string node = {};  // the primary of a cluster; empty: the only server, or the cluster as such
};

// Whether the words with which a server refused a connection concern HELLO 3, without which the client cannot use it.
// No access rule can deny HELLO; servers and proxies that are too old do not know it.
bool is_hello_refused(std::string_view words);

constexpr std::string_view without_hello =
    "no: Holdfast cannot use this server; it needs Redis 6.2 or newer, or Valkey";

// What the server is for the client.
enum class role { only_server, primary_of_cluster };

// The findings from the text of INFO: version, mode, memory, persistence, replicas. A pure function.
std::vector<finding> diagnose(std::string_view info, role = role::only_server);

// Whether the text of INFO is that of a server which may have sharded messages: of version 7.0 or newer, or not known.
bool may_have_sharded_messages(std::string_view info);

// Whether the text of INFO is that of a replica, or of a server in cluster mode.
bool is_replica(std::string_view info);
bool is_in_cluster_mode(std::string_view info);

// What Holdfast does without INFO. The client sends no CLIENT KILL then: it does not know whether the number is that of
// another client's connection by now.
constexpr std::string_view without_info =
    "no: memory, persistence and replicas are not known; after a lost connection the server may still execute its "
    "commands, so one key that no client renews may stay until its lease time ends; a red_lock does not count the "
    "server";

}  // namespace holdfast::cli

#endif
