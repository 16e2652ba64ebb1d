//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/redis_model.hpp"

#include <algorithm>

#include "sim/command_words.hpp"
#include "sim/sha1.hpp"

namespace holdfast::simulated {
namespace {

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

}  // namespace

value no_reply()
{
    return status({});
}
bool is_no_reply(value const& v)
{
    return v.type == value::kind::status && v.text.empty();
}

namespace {

template <class Map>
void remove(Map& subscribers, std::string_view channel, connection const& c)
{
    auto const at = subscribers.find(channel);
    std::erase(at->second, &c);
    if (at->second.empty())
        subscribers.erase(at);
}

template <class Map>
std::int64_t send(Map const& subscribers, char const* kind, std::string_view channel, std::string_view text)
{
    auto const at = subscribers.find(channel);
    if (at == subscribers.end())
        return 0;
    auto const message = array({bulk(kind), bulk(channel), bulk(text)});
    // In the order of their subscriptions, the publisher itself included, and before the reply to PUBLISH.
    for (auto* const c : at->second)
        c->peer->on_push(message);
    return std::int64_t(at->second.size());
}

void confirm(connection& c, char const* kind, std::string_view channel, std::size_t count)
{
    c.peer->on_push(array({bulk(kind), bulk(channel), of(std::int64_t(count))}));
}

}  // namespace

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
    // Before the entry is erased, to which the subscriptions refer.
    auto& c = at->second;
    for (auto const& name : std::exchange(c.channels, {}))
        remove(subscribers_, name, c);
    for (auto const& name : std::exchange(c.sharded_channels, {}))
        remove(sharded_subscribers_, name, c);
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
    replicas_.detach_all();
    scripts_.clear();  // with the data or without: Redis does not save scripts
    started_us_.reset();
    ++runs_;  // another run id: the session does not send CLIENT KILL with a number of the run before
    if (data_lost)
        keys_.clear();
}

void redis_model::set_cluster_mode(bool yes)
{
    slots_.set_cluster_mode(yes);
}

void redis_model::set_slots(std::vector<slot_range> ranges, std::string_view self)
{
    slots_.assign(std::move(ranges), self);
    end_subscriptions_elsewhere();
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
    bool const is_skipped = std::exchange(from.skips_reply, false);
    wrote_ = false;
    if (from.asks > 0)
        --from.asks;
    auto reply = check_and_run(from, args);
    if (wrote_)
        note_write(from);
    bool const none = is_skipped || is_no_reply(reply);
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
    if (auto refused = refuse(from, *spec, args))
        return *refused;
    return run(*spec, from, args);
}

value redis_model::run(command_spec const& spec, connection& from, words args)
{
    call c{*this, keys_, from, args};
    auto reply = spec.run(c);
    // One that changes nothing counts, too, other than in Redis.
    wrote_ = wrote_ || (has(spec.traits, trait::writes) && !reply.is_error());
    return reply;
}

value redis_model::authenticate(connection& c, std::string_view user, std::string_view password) const
{
    auto const found = users_.find(user);
    bool const is_right = users_.empty() || (found != users_.end() && found->second == password);
    c.is_authenticated = c.is_authenticated || is_right;
    return is_right ? ok() : error("WRONGPASS invalid username-password pair or user is disabled.");
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
    if (bus_)
        bus_(channel, text);
    return send_to_subscribers(channel, text);
}

std::int64_t redis_model::send_to_subscribers(std::string_view channel, std::string_view text)
{
    return send(subscribers_, "message", channel, text);
}

std::int64_t redis_model::publish_sharded(std::string_view channel, std::string_view text)
{
    return send(sharded_subscribers_, "smessage", channel, text);
}

void redis_model::subscribe(connection& c, std::string_view channel)
{
    // A second subscription to a channel is confirmed like the first, but does not count.
    if (c.channels.emplace(channel).second)
        subscribers_[std::string(channel)].push_back(&c);
    confirm(c, "subscribe", channel, c.channels.size());
}

void redis_model::unsubscribe(connection& c, std::string_view channel)
{
    // A channel without a subscription is confirmed, too, as in Redis.
    if (c.channels.erase(std::string(channel)) != 0)
        remove(subscribers_, channel, c);
    confirm(c, "unsubscribe", channel, c.channels.size());
}

void redis_model::subscribe_sharded(connection& c, std::string_view channel)
{
    if (c.sharded_channels.emplace(channel).second)
        sharded_subscribers_[std::string(channel)].push_back(&c);
    confirm(c, "ssubscribe", channel, c.sharded_channels.size());
}

void redis_model::unsubscribe_sharded(connection& c, std::string_view channel)
{
    if (c.sharded_channels.erase(std::string(channel)) != 0)
        remove(sharded_subscribers_, channel, c);
    confirm(c, "sunsubscribe", channel, c.sharded_channels.size());
}

// Redis ends the subscriptions of a slot that has left the node, and tells the subscribers.
void redis_model::end_subscriptions_elsewhere()
{
    for (auto& [id, c] : connections_) {
        auto const channels = c.sharded_channels;
        for (auto const& name : channels)
            if (slots_.is_elsewhere(name))
                unsubscribe_sharded(c, name);
    }
}

}  // namespace holdfast::simulated
