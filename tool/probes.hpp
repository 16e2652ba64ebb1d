//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_PROBES_HPP
#define HOLDFAST_CLI_PROBES_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operations/command_query.hpp"
#include "tool/diagnosis.hpp"
#include "tool/probe_names.hpp"

// The table of `holdfast doctor`: what a server may lack, the command that finds it out, what its reply means, and what
// Holdfast does without it. No command of the table writes a key, or ends a connection of another program.
namespace holdfast::cli {

using detail::command_reply;

// The connection that sends the command.
enum class sender : std::uint8_t {
    client,      // that of the client
    spare,       // a second one, which the command may end
    subscriber,  // one for this command alone: a subscription has no reply, but a PING behind it has one
};

// When a probe makes sense.
enum class condition : std::uint8_t {
    always,
    only_node,                   // in cluster mode, but the client uses this server only
    slots_of_only_node,          // of keys with one hash tag nothing is learned: they have one slot
    slots_outside_cluster_mode,  // the same
    over_cluster,                // the client uses all primaries
    plain_messages,
    sharded_messages,
    outside_cluster,  // the client uses this server only
    spare_is_known,
    spare_is_unknown,
};

bool applies(condition, probe_names const&);

// What a reply tells: the server can do it, or it cannot, or the reply is about something else.
enum class verdict : std::uint8_t { works, lacks, untested };

struct probe {
    std::string_view topic;
    sender from;
    condition when;
    std::vector<std::string> (*command)(probe_names const&);
    verdict (*judge)(command_reply const&);
    std::string_view success;      // what it means that it works
    grade without;                 // how bad it is that the server lacks it
    std::string_view consequence;  // what Holdfast does without it
};

std::span<probe const> probes();

// The finding for a reply. The words of the server follow those of the table.
finding to_finding(probe const&, command_reply const&);

// Reads how much output the server keeps for a client with subscriptions before it closes the connection.
std::vector<std::string> output_limit_words();
// No user of locks needs the right to CONFIG, so a server that denies it lacks nothing.
finding judge_output_limit(command_reply const&);

}  // namespace holdfast::cli

#endif
