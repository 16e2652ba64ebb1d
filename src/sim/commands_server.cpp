//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <cctype>

#include "sim/command_words.hpp"
#include "sim/redis_model.hpp"
#include "sim/sha1.hpp"

namespace holdfast::simulated {
namespace {

std::string lower(std::string_view s)
{
    std::string text(s);
    for (auto& x : text)
        x = x >= 'A' && x <= 'Z' ? char(x + 32) : x;
    return text;
}

// The table has only a lower limit for the number of words.
value run_ping(call& c)
{
    if (c.args.size() > 2)
        return wrong_arity("ping");
    return c.args.size() == 2 ? bulk(c.args[1]) : status("PONG");
}

value run_echo(call& c)
{
    return bulk(c.args[1]);
}

// Two strings, as in Redis. Scripts read the server's clock by it: the clock of a client is never used (rule 2).
value run_time(call& c)
{
    auto const us = c.keys.now_us();
    return array({bulk(std::to_string(us / 1'000'000)), bulk(std::to_string(us % 1'000'000))});
}

// As Redis computes it: the difference of two clock readings, each cut to whole seconds. So the result may be up to a
// second too long. A red_lock must subtract that second (core/server_age.hpp), and the simulation tests it with this
// model.
std::int64_t uptime_in_seconds(call const& c)
{
    auto const now = c.keys.now_us();
    return now / 1'000'000 - (now - c.server.uptime_us()) / 1'000'000;
}

// A demoted master reports itself as a replica.
bool is_replica(call const& c)
{
    return c.server.state() == condition::replica || c.server.state() == condition::stale;
}

// The lines that the library and its tool read, for every section: the greeting of a session reads run_id and
// uptime_in_seconds.
value run_info(call& c)
{
    std::string text = "# Server\r\nredis_version:7.0.15\r\nredis_mode:";
    text.append(c.server.is_cluster() ? "cluster" : "standalone").append("\r\n");
    text.append("run_id:")
        .append(c.server.run_id())
        .append("\r\nuptime_in_seconds:")
        .append(std::to_string(uptime_in_seconds(c)));
    text.append("\r\n\r\n# Clients\r\nconnected_clients:").append(std::to_string(c.server.connection_count()));
    text.append("\r\n\r\n# Memory\r\nmaxmemory_policy:noeviction\r\n\r\n# Persistence\r\nloading:");
    text.append(c.server.state() == condition::loading ? "1" : "0").append("\r\naof_enabled:0\r\n");
    text.append("\r\n# Replication\r\nrole:").append(is_replica(c) ? "slave" : "master").append("\r\n");
    return bulk(text);
}

// AUTH [user] password.
value run_auth(call& c)
{
    if (c.args.size() > 3)
        return syntax_error();
    if (c.args.size() == 2 && !c.server.has_users())
        return error(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure your "
            "configuration is correct?");
    return c.server.authenticate(c.from, c.args.size() == 3 ? c.args[1] : "default", c.args.back());
}

// The options of HELLO. Returns the error of a refused login, else OK.
value take_options(call& c)
{
    auto result = ok();
    for (std::size_t i = 2; i + 1 < c.args.size(); ++i) {
        auto const option = lower(c.args[i]);
        if (option == "setname")
            c.from.name = c.args[++i];
        else if (option == "auth" && i + 2 < c.args.size())
            result = c.server.authenticate(c.from, c.args[i + 1], c.args[i + 2]), i += 2;
    }
    return result;
}

// HELLO 3 [AUTH user password] [SETNAME name]. The reply is a map, as a list of names and values in turn: a session
// reads the connection's id from it, which the barrier of the next connection needs (rule 8).
value run_hello(call& c)
{
    // RESP2 is not modelled: in it a connection with subscriptions can send no other commands.
    if (c.args.size() < 2 || c.args[1] != "3")
        return error("NOPROTO unsupported protocol version");
    if (auto const login = take_options(c); login.is_error())
        return login;
    if (!c.from.is_authenticated)
        return error("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> "
                     "AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol "
                     "version at the same time");
    return array(
        {bulk("server"),
         bulk("redis"),
         bulk("version"),
         bulk("7.0.15"),
         bulk("proto"),
         of(3),
         bulk("id"),
         of(std::int64_t(c.from.id)),
         bulk("mode"),
         bulk(c.server.is_cluster() ? "cluster" : "standalone"),
         bulk("role"),
         bulk(is_replica(c) ? "replica" : "master"),
         bulk("modules"),
         array({})});
}

value run_dbsize(call& c)
{
    return of(std::int64_t(c.keys.names().size()));
}

// The keys of all databases, of which the model has one. Scripts stay, as in Redis.
value run_flushall(call& c)
{
    c.keys.clear();
    return ok();
}

value run_publish(call& c)
{
    return of(c.server.publish(c.args[1], c.args[2]));
}

// In RESP3 the confirmation is a push, and no reply follows. That is why the session sends a PING behind it (rule 10).
value run_subscribe(call& c)
{
    for (auto const channel : c.args.subspan(1))
        c.server.subscribe(c.from, channel);
    return no_reply();
}

value run_unsubscribe(call& c)
{
    for (auto const channel : c.args.subspan(1))
        c.server.unsubscribe(c.from, channel);
    return no_reply();
}

value run_spublish(call& c)
{
    return of(c.server.publish_sharded(c.args[1], c.args[2]));
}

value run_ssubscribe(call& c)
{
    for (auto const channel : c.args.subspan(1))
        c.server.subscribe_sharded(c.from, channel);
    return no_reply();
}

value run_sunsubscribe(call& c)
{
    for (auto const channel : c.args.subspan(1))
        c.server.unsubscribe_sharded(c.from, channel);
    return no_reply();
}

// EVAL stores the script: an EVALSHA that follows finds it, so a client sends the text once (rule 20).
value run_eval(call& c)
{
    auto const name = sha1(c.args[1]);
    auto failed = c.server.load_script(name, c.args[1]);
    return failed.is_error() ? failed : c.server.evaluate(c, name);
}

// Redis accepts the SHA1 in upper case, too.
value run_evalsha(call& c)
{
    auto const name = lower(c.args[1]);
    return c.server.knows_script(name) ? c.server.evaluate(c, name)
                                       : error("NOSCRIPT No matching script. Please use EVAL.");
}

// Redis writes the command in capitals here, in whatever case it was sent.
value unknown_subcommand(call& c)
{
    auto help = std::string(c.args[0]);
    std::ranges::transform(help, help.begin(), [](unsigned char x) { return char(std::toupper(x)); });
    return error("ERR unknown subcommand '" + std::string(c.args[1]) + "'. Try " + help + " HELP.");
}

value script_load(call& c)
{
    auto const name = sha1(c.args[2]);
    auto failed = c.server.load_script(name, c.args[2]);
    return failed.is_error() ? failed : bulk(name);
}

value script_exists(call& c)
{
    std::vector<value> all;
    for (auto const name : c.args.subspan(2))
        all.push_back(of(c.server.knows_script(lower(name))));
    return array(std::move(all));
}

value run_script(call& c)
{
    auto const sub = lower(c.args[1]);
    if (sub == "load" && c.args.size() == 3)
        return script_load(c);
    if (sub == "exists" && c.args.size() >= 3)
        return script_exists(c);
    // Redis distinguishes a wrong number of words from an unknown subcommand.
    if (sub == "load" || sub == "exists")
        return wrong_arity("script|" + sub);
    if (sub != "flush")
        return unknown_subcommand(c);
    c.server.flush_scripts();
    return ok();
}

// CLIENT KILL ID n: the barrier between two connections of one client (rule 8). The other filters are not modelled. The
// reply is the number of connections that were closed.
value client_kill(call& c)
{
    if (c.args.size() != 4 || lower(c.args[2]) != "id")
        return syntax_error();
    auto const id = to_integer(c.args[3]);
    if (!id || *id <= 0)
        return error("ERR client-id should be greater than 0");
    // Redis closes the caller's own connection after the reply. Here it stays open, because no client of the library
    // does this, and execute() still refers to it.
    bool const own = connection_id(*id) == c.from.id;
    return of(!own && c.server.kill(connection_id(*id)));
}

// CLIENT REPLY SKIP suppresses its own reply and that to the next command; OFF is not modelled.
value client_reply(call& c)
{
    auto const mode = lower(c.args[2]);
    if (mode == "on")
        return ok();
    if (mode != "skip")
        return syntax_error();
    c.from.skips_reply = true;
    return no_reply();
}

value run_client(call& c)
{
    auto const sub = lower(c.args[1]);
    if (sub == "id" && c.args.size() == 2)
        return of(std::int64_t(c.from.id));
    if (sub == "kill" && c.args.size() >= 3)
        return client_kill(c);
    if (sub == "setname" && c.args.size() == 3)
        return c.from.name = c.args[2], ok();
    if (sub == "getname" && c.args.size() == 2)
        return c.from.name.empty() ? nil() : bulk(c.from.name);
    if (sub == "reply" && c.args.size() == 3)
        return client_reply(c);
    // As in run_script(): the number of words is wrong.
    if (sub == "id" || sub == "kill" || sub == "setname" || sub == "getname" || sub == "reply")
        return wrong_arity("client|" + sub);
    return unknown_subcommand(c);
}

value node_of(std::string const& name, std::string const& host)
{
    return array({bulk(host), of(6379), bulk(sha1(name)), array({})});
}

// CLUSTER SLOTS. The other subcommands are not modelled. The id of a node is computed from its name.
value run_cluster(call& c)
{
    if (lower(c.args[1]) != "slots" || c.args.size() != 2)
        return unknown_subcommand(c);
    if (!c.server.is_cluster())
        return error("ERR This instance has cluster support disabled");
    std::vector<value> ranges;
    for (auto const& r : c.server.slots()) {
        std::vector<value> range{of(r.first), of(r.last), node_of(r.primary, r.host)};
        for (auto const& each : r.replicas)
            range.push_back(node_of(each.name, each.host));
        ranges.push_back(array(std::move(range)));
    }
    return array(std::move(ranges));
}

// WAIT replicas timeout.
value run_wait(call& c)
{
    if (is_replica(c))
        return error("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a "
                     "replica is configured to be writable (which is not the default) writes to replicas are just "
                     "local and are not propagated.");
    auto const replicas = to_integer(c.args[1]);
    if (!replicas)
        return not_an_integer();
    auto const timeout = to_integer(c.args[2]);
    if (!timeout)
        return error("ERR timeout is not an integer or out of range");
    if (*timeout < 0)
        return error("ERR timeout is negative");
    return c.server.wait(c.from, *replicas, *timeout);
}

// For the next command, besides this one.
value run_asking(call& c)
{
    if (!c.server.is_cluster())
        return error("ERR This instance has cluster support disabled");
    c.from.asks = 2;
    return ok();
}

constexpr auto always = trait::while_loading;
constexpr auto outside = trait::not_in_script;

// A busy server executes HELLO, but neither INFO nor CLIENT: the session meets a connection that has no barrier yet,
// and must not use it (rule 8).
constexpr std::array table{
    command_spec{"ping", -1, trait::none, run_ping},
    command_spec{"echo", 2, trait::while_loading, run_echo},
    command_spec{"time", 1, trait::while_loading, run_time},
    command_spec{"info", -1, trait::while_loading, run_info},
    command_spec{"hello", -1, always | outside | trait::while_busy, run_hello},
    command_spec{"auth", -2, always | outside | trait::while_busy, run_auth},
    command_spec{"dbsize", 1, trait::none, run_dbsize},
    command_spec{"flushall", -1, trait::writes, run_flushall},
    command_spec{"publish", 3, always, run_publish},
    command_spec{"subscribe", -2, always | outside, run_subscribe},
    command_spec{"unsubscribe", -2, always | outside, run_unsubscribe},
    command_spec{"spublish", 3, always | trait::keyed, run_spublish},
    command_spec{"ssubscribe", -2, always | outside, run_ssubscribe},
    command_spec{"sunsubscribe", -2, always | outside, run_sunsubscribe},
    command_spec{"eval", -3, outside, run_eval},
    command_spec{"evalsha", -3, outside, run_evalsha},
    command_spec{"script", -2, outside, run_script},
    command_spec{"client", -2, always | outside, run_client},
    command_spec{"cluster", -2, always | outside, run_cluster},
    command_spec{"wait", 3, outside, run_wait},
    command_spec{"asking", 1, trait::none, run_asking},
};

}  // namespace

std::span<command_spec const> server_commands()
{
    return table;
}

}  // namespace holdfast::simulated
