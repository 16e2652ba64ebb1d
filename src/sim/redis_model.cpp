//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/redis_model.hpp"

#include <algorithm>

#include "core/hash_slot.hpp"
#include "sim/command_words.hpp"
#include "sim/sha1.hpp"

namespace holdfast::simulated {
namespace {

// The name of this server in its cluster.
constexpr std::string_view own_node = "self";

// Redis quotes at most 128 bytes of the name, and 128 bytes of all arguments together.
value unknown_command(words args)
{
    std::string text = "ERR unknown command '" + std::string(args[0].substr(0, 128)) + "', with args beginning with: ";
    std::size_t left = 128;
    for (auto const word : args.subspan(1)) {
        if (left == 0)
            break;
        auto const shown = word.substr(0, left);
        text.append("'").append(shown).append("' ");
        left -= std::min(left, shown.size() + 3);  // Redis also counts the quotes and the blank
    }
    return error(std::move(text));
}

bool arity_fits(command_spec const& spec, words args)
{
    auto const n = int(args.size());
    return spec.arity >= 0 ? n == spec.arity : n >= -spec.arity;
}

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
    if (spec.name == "del" || spec.name == "unlink" || spec.name == "exists" || spec.name == "mget")
        return args.subspan(1);
    return has(spec.traits, trait::keyed) ? args.subspan(1, 1) : words();
}

bool crosses_slots(words keys)
{
    return std::ranges::any_of(
        keys, [&](auto const key) { return core::hash_slot(key) != core::hash_slot(keys.front()); });
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

value no_reply()
{
    return status({});
}
bool is_no_reply(value const& v)
{
    return v.type == value::kind::status && v.text.empty();
}

redis_model::redis_model(std::shared_ptr<lua_engine> lua) : lua_(std::move(lua)) {}

connection_id redis_model::connect(peer& p)
{
    auto const id = ++last_id_;  // never reused: CLIENT KILL with an old number must not end another connection
    connections_.emplace(id, connection{.id = id, .peer = &p, .is_authenticated = users_.empty()});
    return id;
}

void redis_model::disconnect(connection_id id)
{
    auto const at = connections_.find(id);
    if (at == connections_.end())
        return;
    // Before the entry is erased, to which subscribers_ refers.
    auto const channels = std::move(at->second.channels);
    for (auto const& name : channels) {
        auto& listeners = subscribers_[name];
        std::erase(listeners, &at->second);
        if (listeners.empty())
            subscribers_.erase(name);
    }
    connections_.erase(at);
}

void redis_model::disconnect_all()
{
    // Not a loop over the map, because kill() erases from it.
    while (!connections_.empty())
        kill(connections_.begin()->first);
}

void redis_model::restart(bool data_lost)
{
    disconnect_all();
    scripts_.clear();  // with the data or without: Redis does not save scripts
    started_us_.reset();
    ++runs_;  // another run id: the session does not send CLIENT KILL with a number of the run before
    if (data_lost)
        keys_.clear();
}

void redis_model::set_cluster_mode(bool yes)
{
    is_cluster_ = yes;
    slots_.clear();
    if (yes)
        slots_.push_back({0, core::hash_slots - 1, std::string(own_node)});
}

std::string redis_model::run_id() const
{
    return sha1(identity_ + ":" + std::to_string(runs_));
}

bool redis_model::kill(connection_id id)
{
    auto const at = connections_.find(id);
    if (at == connections_.end())
        return false;
    // The connection ends first: in on_kill() it must not exist any more. The pointer is read before disconnect()
    // erases it.
    auto* const p = at->second.peer;
    disconnect(id);
    p->on_kill();
    return true;
}

std::optional<value> redis_model::execute(connection_id id, words args, std::int64_t now_us)
{
    // Once for each command: as in Redis, no key expires during a script.
    keys_.set_time(now_us);
    // The first command of a run sets its start, from which INFO computes the uptime.
    started_us_ = started_us_.value_or(now_us);
    auto& from = connections_.at(id);
    auto reply = check_and_run(from, args);
    bool const none = is_no_reply(reply);
    if (watcher_)
        watcher_({id, args, none ? nullptr : &reply, false, now_us});
    return none ? std::nullopt : std::optional(std::move(reply));
}

// In the order of Redis: an unknown command, the number of words, access rules and states.
value redis_model::check_and_run(connection& from, words args)
{
    auto const* const spec = find_command(args[0]);
    if (!spec)
        return unknown_command(args);
    if (!arity_fits(*spec, args))
        return wrong_arity(spec->name);
    if (!from.is_authenticated && spec->name != "hello" && spec->name != "auth")
        return error("NOAUTH Authentication required.");
    if (auto refused = refuse(*spec, args))
        return *refused;
    return run(*spec, from, args);
}

value redis_model::run(command_spec const& spec, connection& from, words args)
{
    call c{*this, keys_, from, args};
    return spec.run(c);
}

value redis_model::authenticate(connection& c, std::string_view user, std::string_view password) const
{
    auto const found = users_.find(user);
    bool const is_right = users_.empty() || (found != users_.end() && found->second == password);
    c.is_authenticated = c.is_authenticated || is_right;
    return is_right ? ok() : error("WRONGPASS invalid username-password pair or user is disabled.");
}

// An access rule denies a command or one of its subcommands. Most servers have no rules, and the name of a subcommand
// is made only if there are some.
bool redis_model::is_denied(command_spec const& spec, words args) const
{
    return !denied_commands_.empty()
           && (denied_commands_.contains(spec.name) || denied_commands_.contains(full_name(spec, args)));
}

// In the order of Redis. Access rules come before the state of the server: without the right to a command, a user gets
// NOPERM even from a busy server, so waiting for the server would not help the client.
std::optional<value> redis_model::refuse(command_spec const& spec, words args) const
{
    if (is_denied(spec, args))
        return error("NOPERM this user has no permissions to run the '" + full_name(spec, args) + "' command");
    if (has_denied_key(keys_of(spec, args)))
        return error("NOPERM this user has no permissions to access one of the keys used as arguments");
    if (channels_denied_ && (spec.name == "subscribe" || spec.name == "publish"))
        return error("NOPERM this user has no permissions to access one of the channels used as arguments");
    // Redis checks READONLY before MASTERDOWN: the session reacts to the first by a new connection.
    if (condition_ == condition::stale && has(spec.traits, trait::writes))
        return error(words_of(condition::replica));
    if (is_cluster_)
        if (auto refused = refuse_slot(keys_of(spec, args)))
            return refused;
    if (refuses(condition_, spec.traits))
        return error(words_of(condition_));
    return std::nullopt;
}

// Redis checks the slots before it runs the command, so nothing was executed.
std::optional<value> redis_model::refuse_slot(words keys) const
{
    if (keys.empty())
        return std::nullopt;
    if (crosses_slots(keys))
        return error("CROSSSLOT Keys in request don't hash to the same slot");
    auto const slot = core::hash_slot(keys.front());
    auto const has_it = [slot](slot_range const& r) { return r.first <= slot && slot <= r.last; };
    auto const found = std::ranges::find_if(slots_, has_it);
    if (found == slots_.end())
        return error("CLUSTERDOWN Hash slot not served");
    if (found->primary != own_node)
        return error("MOVED " + std::to_string(slot) + " " + found->primary + ":6379");
    return std::nullopt;
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
std::optional<value> redis_model::refuse_in_script(command_spec const& spec, words args) const
{
    if (has(spec.traits, trait::not_in_script))
        return error("ERR This Redis command is not allowed from script");
    if (is_denied(spec, args))
        return error("ERR The user executing the script can't run this command or subcommand");
    if (channels_denied_ && spec.name == "publish")
        return error("ERR The user executing the script can't publish to the channel mentioned in the command");
    if (has_given_key(keys_of(spec, args)))
        return error("ERR Script attempted to access a non local key in a cluster node");
    // Redis does not refuse a write in the middle of a script that has written already: all of its writes must be
    // applied. fair_refresh.lua and engine::may_be_applied() depend on it. A script runs in a busy or loading server
    // only if it began before.
    bool const goes_on = script_wrote_ || condition_ == condition::busy || condition_ == condition::loading;
    if (!goes_on && refuses(condition_, spec.traits))
        return error(words_of(condition_));
    return std::nullopt;
}

value redis_model::invoke(words args)
{
    auto const* const spec = find_command(args[0]);
    if (!spec)
        return error("ERR Unknown Redis command called from script");
    if (!arity_fits(*spec, args))
        return error("ERR Wrong number of args calling Redis command from script");
    auto refused = refuse_in_script(*spec, args);
    // A command that writes counts even if it changes nothing.
    script_wrote_ = script_wrote_ || (!refused && has(spec->traits, trait::writes));
    auto reply = refused ? std::move(*refused) : run(*spec, *script_caller_, args);
    if (watcher_)
        watcher_({script_caller_->id, args, &reply, true, keys_.now_us()});
    return reply;
}

value redis_model::evaluate(struct call& c, std::string_view sha1)
{
    auto const count = to_integer(c.args[2]);
    if (!count)
        return not_an_integer();
    if (*count > std::int64_t(c.args.size()) - 3)
        return error("ERR Number of keys can't be greater than number of args");
    if (*count < 0)
        return error("ERR Number of keys can't be negative");
    // For invoke(). Scripts do not nest, because EVAL has the trait not_in_script.
    script_caller_ = &c.from;
    script_wrote_ = false;
    auto const rest = c.args.subspan(3);
    return lua_->run(sha1, rest.first(std::size_t(*count)), rest.subspan(std::size_t(*count)), *this);
}

value redis_model::load_script(std::string_view sha1, std::string_view text)
{
    if (auto failed = lua_->compile(sha1, text); failed.is_error())
        return failed;
    scripts_.emplace(sha1);
    return nil();
}

std::int64_t redis_model::publish(std::string_view channel, std::string_view text)
{
    auto const at = subscribers_.find(channel);
    if (at == subscribers_.end())
        return 0;
    auto const message = array({bulk("message"), bulk(channel), bulk(text)});
    // In the order of their subscriptions, the publisher itself included, and before the reply to PUBLISH.
    for (auto* const c : at->second)
        c->peer->on_push(message);
    return std::int64_t(at->second.size());
}

void redis_model::subscribe(connection& c, std::string_view channel)
{
    // A second subscription to a channel is confirmed like the first, but does not count.
    if (c.channels.emplace(channel).second)
        subscribers_[std::string(channel)].push_back(&c);
    c.peer->on_push(array({bulk("subscribe"), bulk(channel), of(std::int64_t(c.channels.size()))}));
}

void redis_model::unsubscribe(connection& c, std::string_view channel)
{
    // A channel without a subscription is confirmed, too, as in Redis.
    if (c.channels.erase(std::string(channel)) != 0) {
        auto const at = subscribers_.find(channel);
        std::erase(at->second, &c);
        if (at->second.empty())
            subscribers_.erase(at);
    }
    c.peer->on_push(array({bulk("unsubscribe"), bulk(channel), of(std::int64_t(c.channels.size()))}));
}

}  // namespace holdfast::simulated
