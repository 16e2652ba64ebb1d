//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/probes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>

#include "tool/denial.hpp"

namespace holdfast::cli {
namespace {

using kind = command_reply::kind;
using words = std::vector<std::string>;

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

// ---- what a reply means

// A state in which the server refuses any command. It says nothing about this one.
bool is_passing(std::string_view error)
{
    constexpr std::array states{"BUSY", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "OOM", "MISCONF"};
    return std::ranges::any_of(states, [&](auto const* s) { return error.starts_with(s); });
}

verdict any_reply(command_reply const& r)
{
    if (r.type == kind::none || (r.type == kind::error && is_passing(r.text)))
        return verdict::untested;
    return r.type == kind::error ? verdict::lacks : verdict::works;
}

// Valkey 8.0 refuses to end what is not subscribed, so the user may call the command.
verdict unsubscribe_reply(command_reply const& r)
{
    return r.type == kind::error && r.text.starts_with("NOSUB") ? verdict::works : any_reply(r);
}

verdict script_reply(command_reply const& r)
{
    return denies_scripts(r) ? verdict::untested : any_reply(r);
}

// For what a script may do on the server: what the access rules deny to the user says nothing about it.
verdict permitted_script_reply(command_reply const& r)
{
    return r.type == kind::error && is_denial(r.text) ? verdict::untested : script_reply(r);
}

// For a command that the client sends by itself: that a script may not call it says nothing about it.
verdict denied_to_script(command_reply const& r)
{
    auto const v = script_reply(r);
    return v == verdict::lacks && !is_denial(r.text) ? verdict::untested : v;
}

// For what a key is called: that the command is denied says nothing about it.
verdict key_reply(command_reply const& r)
{
    return r.type == kind::error && contains(r.text, "'exists'") ? verdict::untested : any_reply(r);
}

// The reply is the number of connections that were ended.
verdict killed_one(command_reply const& r)
{
    return r.type == kind::integer && r.integer != 1 ? verdict::lacks : any_reply(r);
}

// ---- commands

words with(words command, words const& more)
{
    command.insert(command.end(), more.begin(), more.end());
    return command;
}

words subscribe(probe_names const& n)
{
    return with({"SUBSCRIBE"}, n.channels);
}

words unsubscribe(probe_names const& n)
{
    return with({"UNSUBSCRIBE"}, n.channels);
}

// One channel, because several may be in several hash slots.
words subscribe_sharded(probe_names const& n)
{
    return {"SSUBSCRIBE", n.channels.front()};
}

words unsubscribe_sharded(probe_names const& n)
{
    return {"SUNSUBSCRIBE", n.channels.front()};
}

words publish_sharded(probe_names const& n)
{
    return with({"EVAL", "for _, c in ipairs(ARGV) do redis.call('spublish', c, '0') end return 1", "0"}, n.channels);
}

// It answers, and suppresses no reply.
words reply_on(probe_names const&)
{
    return {"CLIENT", "REPLY", "ON"};
}

// It concerns the next command of the connection only.
words asking(probe_names const&)
{
    return {"ASKING"};
}

// Nobody subscribes to these channels.
words publish_in_script(probe_names const& n)
{
    return with({"EVAL", "for _, c in ipairs(ARGV) do redis.call('publish', c, '0') end return 1", "0"}, n.channels);
}

words companions(probe_names const& n)
{
    return with({"EXISTS"}, n.companions);
}

// Three keys, because two may have the same slot.
words several_slots(probe_names const& n)
{
    return {"EVAL", "return #KEYS", "3", n.key + ":a", n.key + ":b", n.key + ":c"};
}

words undeclared_key(probe_names const& n)
{
    return {"EVAL", "return redis.call('exists', ARGV[1])", "0", n.key};
}

// In a script, because a session expects no list of lists but in its greeting.
words cluster_slots(probe_names const&)
{
    return {"EVAL", "return #redis.call('cluster', 'slots')", "0"};
}

// The spare connection ends itself, so that no balancer or proxy can lead the command to a server on which another
// connection has this number.
words kill_spare(probe_names const& n)
{
    return {"CLIENT", "KILL", "ID", n.spare_id, "SKIPME", "no"};
}

// The greatest number, which no connection ever has.
words kill_nobody(probe_names const&)
{
    return {"CLIENT", "KILL", "ID", "9223372036854775807"};
}

words node_id(probe_names const&)
{
    return {"CLUSTER", "MYID"};
}

// It waits for no replica and for no time.
words wait_for_none(probe_names const&)
{
    return {"WAIT", "0", "0"};
}

// ---- the table

constexpr std::string_view barrier_lacks =
    "after a lost connection the server may still execute its commands: one key that no client renews may stay until "
    "its lease time ends";

// CLIENT KILL comes first: the number of the spare connection was read just before.
constexpr std::array table{
    probe{
        "CLIENT KILL",
        sender::spare,
        condition::spare_is_known,
        kill_spare,
        killed_one,
        "a new connection ends the previous one",
        grade::doubtful,
        barrier_lacks},
    probe{
        "CLIENT KILL",
        sender::client,
        condition::spare_is_unknown,
        kill_nobody,
        any_reply,
        "permitted; not tried on a connection, because CLIENT ID is denied",
        grade::doubtful,
        barrier_lacks},
    probe{
        "keys",
        sender::client,
        condition::always,
        companions,
        key_reply,
        "the keys that belong to a lock may be accessed",
        grade::doubtful,
        "fenced locks, fair_lock, read_write_lock and semaphore end with errc::not_permitted where they use such a "
        "key"},
    probe{
        "SUBSCRIBE",
        sender::subscriber,
        condition::plain_messages,
        subscribe,
        any_reply,
        "messages wake waiters",
        grade::doubtful,
        "waiters poll: they try again when the time to live of the lock ends, or after config::poll_interval (5 s)"},
    probe{
        "UNSUBSCRIBE",
        sender::subscriber,
        condition::plain_messages,
        unsubscribe,
        unsubscribe_reply,
        "the client leaves a channel one second after the last waiter",
        grade::doubtful,
        "one second after the last waiter of a lock the connection is closed, and waiters of the next one poll"},
    probe{
        "PUBLISH",
        sender::client,
        condition::plain_messages,
        publish_in_script,
        script_reply,
        "a script that releases a lock may send messages",
        grade::doubtful,
        "a release wakes no waiter: waiters try again when the time to live of the lock ends, or after "
        "config::poll_interval (5 s)"},
    probe{
        "several slots",
        sender::client,
        condition::slots_outside_cluster_mode,
        several_slots,
        permitted_script_reply,
        "one script renews, releases or acquires several locks",
        grade::doubtful,
        "locks are renewed and released one by one after the first refusal in a connection; a multi_lock of mutexes "
        "of several hash slots ends with errc::protocol"},
    probe{
        "several slots",
        sender::client,
        condition::slots_of_only_node,
        several_slots,
        permitted_script_reply,
        "one script may name several hash slots; Holdfast sends one for each",
        grade::good,
        "only the locks of one hash slot are renewed and released together; a multi_lock may hold some of its members "
        "for a moment"},
    probe{
        "undeclared keys",
        sender::client,
        condition::always,
        undeclared_key,
        permitted_script_reply,
        "a script may read keys that it does not declare",
        grade::doubtful,
        "operations on a read_write_lock that has readers, holdfast list and the dashboard end with an error; other "
        "locks need no such key"},
    probe{
        "CLUSTER SLOTS",
        sender::client,
        condition::only_node,
        cluster_slots,
        denied_to_script,
        "a member of a larger cluster is refused",
        grade::doubtful,
        "a member of a larger cluster is not refused: operations on keys of other members end with errc::protocol"},
    probe{
        "SSUBSCRIBE",
        sender::subscriber,
        condition::outside_cluster,
        subscribe_sharded,
        any_reply,
        "permitted; only redis+cluster:// uses it",
        grade::good,
        "Holdfast does not need it: redis:// waits by SUBSCRIBE"},
    probe{
        "SSUBSCRIBE",
        sender::subscriber,
        condition::sharded_messages,
        subscribe_sharded,
        any_reply,
        "messages wake waiters",
        grade::doubtful,
        "waiters poll: they try again when the time to live of the lock ends, or after config::poll_interval (5 s)"},
    probe{
        "SUNSUBSCRIBE",
        sender::subscriber,
        condition::sharded_messages,
        unsubscribe_sharded,
        unsubscribe_reply,
        "the client leaves a channel one second after the last waiter",
        grade::doubtful,
        "the client stays subscribed to the channels of the locks for which it has waited"},
    probe{
        "SPUBLISH",
        sender::client,
        condition::sharded_messages,
        publish_sharded,
        script_reply,
        "a script that releases a lock may send messages",
        grade::doubtful,
        "a release wakes no waiter: waiters try again when the time to live of the lock ends, or after "
        "config::poll_interval (5 s)"},
    probe{
        "CLIENT REPLY",
        sender::spare,
        condition::sharded_messages,
        reply_on,
        any_reply,
        "a refused subscription costs no connection",
        grade::doubtful,
        "waiters poll: without CLIENT REPLY SKIP a subscription that is refused, as while a hash slot moves, would end "
        "the connection"},
    probe{
        "ASKING",
        sender::spare,
        condition::over_cluster,
        asking,
        any_reply,
        "commands follow a key that has left while its hash slot is being moved",
        grade::doubtful,
        "while a hash slot is being moved, the client cannot renew a lock whose key has left: its lease may be lost"},
    probe{
        "CLUSTER SLOTS",
        sender::client,
        condition::over_cluster,
        cluster_slots,
        denied_to_script,
        "any client can learn from this node which primary has which hash slots",
        grade::doubtful,
        "a client cannot begin with this node, nor learn of a failover from it: it asks another one"},
    probe{
        "CLUSTER MYID",
        sender::spare,
        condition::over_cluster,
        node_id,
        any_reply,
        "a client knows this primary by its id",
        grade::doubtful,
        "a client does not notice that a node of another cluster has got the address of this primary"},
    probe{
        "WAIT",
        sender::client,
        condition::always,
        wait_for_none,
        any_reply,
        "permitted: config::acknowledged_by can be used",
        grade::good,
        "config::acknowledged_by cannot be used: a grant counts before a replica has it"},
};

// ---- the limit of output

// A thousand messages and replies that the server writes in one turn are about a tenth of it. The default of Redis is
// eight times as much.
constexpr std::int64_t least_output = 1 << 20;

struct output_limit {
    std::int64_t hard = 0;  // bytes; 0: none
    std::int64_t soft = 0;
    std::int64_t seconds = 0;  // for which the soft one may be exceeded
};

// Of the class of clients with subscriptions: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60". All
// zero: it has none, or the text is of another form.
output_limit limit_of_subscribers(std::string_view text)
{
    std::istringstream in{std::string(text)};
    std::string class_name;
    for (output_limit l; in >> class_name >> l.hard >> l.soft >> l.seconds;)
        if (class_name == "pubsub")
            return l;
    return {};
}

}  // namespace

std::span<probe const> probes()
{
    return table;
}

bool applies(condition when, probe_names const& n)
{
    bool const has_tag = contains(n.key, "{");
    switch (when) {
        case condition::always: return true;
        case condition::only_node: return n.in_cluster_mode && !n.over_cluster;
        case condition::slots_of_only_node: return n.in_cluster_mode && !n.over_cluster && !has_tag;
        case condition::slots_outside_cluster_mode: return !n.in_cluster_mode && !n.over_cluster && !has_tag;
        case condition::over_cluster: return n.over_cluster;
        case condition::plain_messages: return !n.sharded_messages;
        case condition::sharded_messages: return n.sharded_messages;
        case condition::outside_cluster: return !n.over_cluster;
        case condition::spare_is_known: return !n.spare_id.empty();
        case condition::spare_is_unknown: return n.spare_id.empty();
    }
    return false;
}

finding to_finding(probe const& p, command_reply const& r)
{
    std::string const said = r.type == kind::error ? " (" + r.text + ")" : "";
    switch (p.judge(r)) {
        case verdict::works: return {grade::good, std::string(p.topic), std::string(p.success)};
        case verdict::lacks: return {p.without, std::string(p.topic), "no: " + std::string(p.consequence) + said};
        case verdict::untested: break;
    }
    auto const why = r.type == kind::none ? std::string(": the server did not reply in time") : said;
    return {p.without, std::string(p.topic), "not tested" + why};
}

words output_limit_words()
{
    return {"CONFIG", "GET", "client-output-buffer-limit"};
}

finding judge_output_limit(command_reply const& r)
{
    std::string const topic("output limit");
    if (r.items.size() != 2)
        return {grade::good, topic, "not known" + (r.type == kind::error ? " (" + r.text + ")" : "")};
    auto const l = limit_of_subscribers(r.items[1]);
    bool const is_small = (l.hard > 0 && l.hard < least_output) || (l.soft > 0 && l.soft < least_output);
    auto const setting = "client-output-buffer-limit pubsub " + std::to_string(l.hard) + ' ' + std::to_string(l.soft)
                         + ' ' + std::to_string(l.seconds);
    if (!is_small)
        return {grade::good, topic, setting};
    return {
        grade::doubtful,
        topic,
        setting
            + ": the server closes the connection of a client that waits for many locks; set at least "
              "1mb, or 0 for no limit"};
}

}  // namespace holdfast::cli
