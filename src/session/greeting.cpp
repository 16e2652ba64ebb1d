//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/greeting.hpp"

#include <charconv>
#include <utility>

#include <holdfast/error.hpp>

#include "core/hash_slot.hpp"
#include "core/server_age.hpp"
#include "session/cluster_slots.hpp"

namespace holdfast::session {
namespace {

using engine::refusal;

bool is_busy(std::string_view words)
{
    return engine::classify(words) == refusal::not_now;
}

// Temporary refusals that begin only with ERR, so that engine::classify() does not know them: the server has reached
// its limit of clients.
bool passes(std::string_view words)
{
    return words.find("max number of clients") != words.npos || words.find("max clients") != words.npos;
}

// The value of a field of INFO; empty if it is missing. The name must begin a line: it may also be the end of another
// name.
std::string_view field(std::string_view info, std::string_view name)
{
    for (auto at = info.find(name); at != info.npos; at = info.find(name, at + 1)) {
        bool const begins_line = at == 0 || info[at - 1] == '\n';
        auto const value = info.substr(at + name.size());
        if (begins_line && value.starts_with(':'))
            return value.substr(1, value.find_first_of("\r\n") - 1);
    }
    return {};
}

// Sharded messages came with version 7.0.
bool has_sharded_messages(std::string_view version, sharded_messages use)
{
    if (use != sharded_messages::automatic)
        return use == sharded_messages::yes;
    int major = 0;
    auto const parsed = std::from_chars(version.data(), version.data() + version.size(), major);
    return parsed.ec == std::errc() && major >= 7;
}

// What INFO says of the server; the rest is that of HELLO.
engine::server_identity identity_of(std::string_view info, core::instant now, engine::server_identity const& hello)
{
    using id = engine::server_identity::run_id_type;
    auto const run = field(info, "run_id").substr(0, id::static_capacity);  // a longer one would throw
    auto const uptime = field(info, "uptime_in_seconds");
    std::int64_t seconds = 0;
    auto const parsed = std::from_chars(uptime.data(), uptime.data() + uptime.size(), seconds);
    bool const is_known = parsed.ec == std::errc() && !uptime.empty();
    return {
        .run_id = id(run.data(), run.size()),
        .running_since = is_known ? core::latest_start(std::chrono::seconds(seconds), now) : core::never,
        .slots = hello.slots,
        .messages = hello.messages};
}

// Without a limit (maxmemory 0) nothing is evicted, whatever the policy is.
std::string_view eviction_policy_of(std::string_view info)
{
    auto const policy = field(info, "maxmemory_policy");
    auto const most = field(info, "maxmemory");
    return most.empty() || most == "0" || policy == "noeviction" ? std::string_view() : policy;
}

// The value with that key in a map, which a reply represents as a list of keys and values in turn, or nil.
engine::reply value_of(std::string_view key, engine::reply const& map)
{
    for (std::size_t i = 0; i + 1 < map.items.size(); i += 2)
        if (map.items[i].text == key)
            return map.items[i + 1];
    return {};
}

std::string reason_to_refuse(core::cluster_map const& c)
{
    std::string const which = c.primaries.size() > 1
                                  ? "of " + std::to_string(c.primaries.size()) + " primaries"
                                  : "in which " + std::to_string(core::hash_slots - c.covered_slots())
                                        + " of 16384 hash slots have no primary";
    return "the server is a member of a Redis Cluster " + which + ", which redis:// cannot use: write redis+cluster://";
}

}  // namespace

std::vector<std::string_view> hello_words(client_login const& c)
{
    std::vector<std::string_view> words{"HELLO", "3"};
    if (c.has_password)
        words.insert(words.end(), {"AUTH", c.user.empty() ? std::string_view("default") : c.user, c.password});
    if (!c.client_name.empty())
        words.insert(words.end(), {"SETNAME", c.client_name});
    return words;
}

void greeting::begin(bool selects_database, purpose p, std::string_view node_id, sharded_messages use)
{
    step_ = step::hello;
    selects_ = selects_database;
    purpose_ = p;
    node_id_ = node_id;
    sharded_ = use;
    present_ = {};
    eviction_policy_.clear();
}

greeting::outcome greeting::on_reply(engine::reply const& r, core::instant now)
{
    switch (step_) {
        case step::hello: return on_hello(r);
        case step::select: step_ = step::info; return outcome::more;
        case step::info: return on_info(r.text, now);
        case step::node: return on_node(r.text);
        case step::slots: return on_slots(r);
        case step::barrier: return open();
        case step::done: break;
    }
    return outcome::more;
}

greeting::outcome greeting::on_hello(engine::reply const& r)
{
    // In RESP3 the reply is a map. In RESP2 a connection with subscriptions could not send other commands.
    if (r.type != engine::reply::kind::array)
        return refuse({errc::protocol, "the server does not speak RESP3", true});
    present_.number = static_cast<std::uint64_t>(value_of("id", r).integer);
    is_replica_ = value_of("role", r).text == "replica";
    if (value_of("mode", r).text == "cluster")
        present_.server.slots = engine::slot_coverage::unconfirmed;
    else if (is_of_cluster(purpose_))
        return refuse({errc::protocol, "the server is not a node of a Redis Cluster: write redis://", true});
    if (purpose_ == purpose::member && is_replica_)
        return refuse({errc::unavailable, "the node is a replica now", false});
    if (purpose_ == purpose::master && is_replica_)
        return refuse({errc::unavailable, "the sentinels name a server that is a replica", false});
    if (purpose_ == purpose::member && has_sharded_messages(value_of("version", r).text, sharded_))
        present_.server.messages = engine::message_form::sharded;
    step_ = selects_ ? step::select : step::info;
    return outcome::more;
}

greeting::outcome greeting::on_info(std::string_view text, core::instant now)
{
    present_.server = identity_of(text, now, present_.server);
    eviction_policy_ = eviction_policy_of(text);
    if (node_id_.empty())
        return ask_slots();
    step_ = step::node;
    return outcome::more;
}

// An address may lead to a node of another cluster by now: whoever locks there excludes nobody here.
greeting::outcome greeting::on_node(std::string_view id)
{
    if (id != node_id_)
        return refuse(
            {errc::unavailable, "another node, perhaps of another cluster, has the address of the primary", false});
    return ask_slots();
}

// Only a server in cluster mode gets the additional command. A member was found by the slots that a seed has told.
greeting::outcome greeting::ask_slots()
{
    if (purpose_ == purpose::member)
        present_.server.slots = engine::slot_coverage::some;
    if (!present_.server.has_hash_slots() || purpose_ == purpose::member)
        return raise_barrier();
    step_ = step::slots;
    return outcome::slots;
}

greeting::outcome greeting::on_slots(engine::reply const& r)
{
    auto cluster = read_cluster_slots(r);
    if (!cluster)
        return refuse({errc::protocol, "the client does not understand the server's reply to CLUSTER SLOTS", true});
    if (!is_of_cluster(purpose_))
        return check_slots(*cluster);
    if (cluster->covered_slots() == 0)
        return refuse({errc::unavailable, "no node of the cluster has hash slots", false});
    slots_ = std::move(*cluster);
    present_.server.slots = engine::slot_coverage::some;
    return raise_barrier();
}

// Whether a client of one server can use it. A replica shows the slots of its primary, and answers MOVED to every
// write.
greeting::outcome greeting::check_slots(core::cluster_map const& cluster)
{
    if (!cluster.is_one_node())
        return refuse({errc::protocol, reason_to_refuse(cluster), true});
    if (is_replica_)
        return refuse({errc::unavailable, "the server is a replica in a Redis Cluster", false});
    present_.server.slots = engine::slot_coverage::all;
    return raise_barrier();
}

// The previous connection is ended only on the same run of the server: otherwise its number belongs to another client.
greeting::outcome greeting::raise_barrier()
{
    if (!present_.is_beside(previous_))
        return open();
    step_ = step::barrier;
    return outcome::kill;
}

// An error in place of INFO or CLIENT KILL means, as a rule, that the access rules deny them: the connection is used
// without a barrier, and one key may stay until its lease time ends (rule 8). An error in place of CLUSTER SLOTS means
// the same, or that a proxy does not know the command: the server has hash slots, whichever they are. BUSY is
// different: the server will accept these commands later, so the session connects again, and no command of the previous
// connection can be executed behind the new epoch.
greeting::outcome greeting::on_error(std::string_view words)
{
    bool const needs_slots = step_ == step::slots && purpose_ == purpose::seed;
    bool const is_needed = step_ == step::hello || step_ == step::select || needs_slots;
    if (is_needed || is_busy(words))
        return refuse(classify_refusal(words));
    switch (step_) {
        case step::info: step_ = step::node; return node_id_.empty() ? ask_slots() : outcome::more;
        case step::node: return ask_slots();
        case step::slots: return raise_barrier();
        default: return open();
    }
}

// Only a connection that was opened becomes the previous one: a refused connection has carried no command of the
// engine.
greeting::outcome greeting::open()
{
    step_ = step::done;
    previous_ = present_;
    return outcome::open;
}

greeting::outcome greeting::refuse(engine::closing const& why)
{
    step_ = step::done;
    words_ = why.words;
    refusal_ = {why.code, words_, why.permanent};
    return outcome::refused;
}

// A permanent refusal ends the waiting acquires with its error; after any other one they wait for the next connection.
engine::closing classify_refusal(std::string_view words)
{
    switch (engine::classify(words)) {
        case refusal::not_permitted: return {errc::not_permitted, words, true};
        case refusal::not_now:
        case refusal::read_only: return {errc::unavailable, words, false};
        case refusal::out_of_resources: return {errc::server_refused, words, false};
        default: break;
    }
    if (words.starts_with("DENIED"))  // Redis is in protected mode
        return {errc::not_permitted, words, true};
    if (passes(words))
        return {errc::unavailable, words, false};
    return {errc::protocol, words, true};
}

bool leads_to_another_server(engine::refusal why, engine::server_identity const& server) noexcept
{
    bool const has_lost_slots = why == refusal::moved && server.slots == engine::slot_coverage::all;
    return why == refusal::read_only || has_lost_slots;
}

}  // namespace holdfast::session
