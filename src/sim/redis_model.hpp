//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REDIS_MODEL_HPP
#define HOLDFAST_TESTING_REDIS_MODEL_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sim/command_table.hpp"
#include "sim/keyspace.hpp"
#include "sim/lua_engine.hpp"
#include "sim/node_slots.hpp"
#include "sim/replication.hpp"
#include "sim/value.hpp"

namespace holdfast::simulated {

using connection_id = std::uint64_t;

// The client's end of a connection. It must exist until disconnect() or on_kill(). The functions are called while a
// command is executed, and must not call the model.
class peer {
public:
    virtual void on_push(value const&) = 0;     // [message, channel, text], [subscribe, channel, count] ...
    virtual void on_kill() = 0;                 // the server has closed the connection
    virtual void on_unblocked(value const&) {}  // the reply to a WAIT that has blocked the connection

protected:
    ~peer() = default;
};

// A WAIT that has no reply yet: the connection is blocked.
struct wait_under_way {
    std::uint64_t number;         // differs from that of every other one
    std::int64_t replicas;        // it waits for so many
    replication::offset written;  // to acknowledge this write
    std::int64_t timeout_ms;      // 0: none
};

struct connection {
    connection_id id = 0;
    simulated::peer* peer = nullptr;
    std::string name = {};
    std::unordered_set<std::string> channels = {};
    std::unordered_set<std::string> sharded_channels = {};
    bool is_authenticated = true;
    bool skips_reply = false;         // to the next command (CLIENT REPLY SKIP)
    std::uint8_t asks = 0;            // for how many commands, the present one included, ASKING holds
    replication::offset written = 0;  // its last write; 0: none
    std::optional<wait_under_way> blocked = {};
};

// The states of a server. Each but `normal` refuses some commands, with the error message of Redis.
enum class condition : std::uint8_t { normal, busy, loading, out_of_memory, disk_error, no_replicas, replica, stale };

// A command that the server has executed, for checks and traces of the tests. Valid during the call.
struct execution {
    connection_id from;
    words args;
    value const* reply;  // null: a subscription, which has no reply
    bool in_script;      // a script called it
    std::int64_t now_us;
};

// A model of one Redis server, version 7.0 with RESP3, as a state machine: keys, scripts, connections, subscriptions.
// It has no clock, queue or thread: the caller passes the time with each command, and executes one command after
// another. So the same model serves memory:// URLs in real time and the simulator in virtual time. Not thread-safe.
//
// test/conformance sends the same commands to the model and to a redis-server, and compares the replies.
class redis_model final : script_host {
public:
    // Servers may share an engine: it keeps compiled scripts only, and they are expensive to compile.
    explicit redis_model(std::shared_ptr<lua_engine> = std::make_shared<lua_engine>());

    connection_id connect(peer&);
    void disconnect(connection_id);
    bool is_connected(connection_id id) const { return connections_.contains(id); }

    // Executes one command, and returns its reply. Nothing: SUBSCRIBE or UNSUBSCRIBE, which lead to a push only; the
    // connection skips the reply; or WAIT, which blocks it. If a subscription is refused, the error is returned as a
    // reply (rule 10). Precondition: the connection exists and is not blocked; the command may end it.
    std::optional<value> execute(connection_id, words, std::int64_t now_us);

    // ---- faults
    void set_condition(condition c) { condition_ = c; }
    void deny_command(std::string_view name) { denied_commands_.emplace(name); }  // as an ACL: "set", "client|kill"
    void deny_channels(bool yes) { channels_denied_ = yes; }
    void deny_key(std::string_view name) { denied_keys_.emplace(name); }
    // As a proxy that refuses writes and scripts with words of its own; empty: it does not.
    void refuse_as_proxy(std::string_view error) { proxy_error_ = error; }
    void allow_all() { denied_commands_.clear(), denied_keys_.clear(), channels_denied_ = false; }
    // From now on only such users may log in, each with one password; connections that exist stay, as with ACL SETUSER.
    // Without users every login is accepted. Without a password, the user is disabled.
    void set_user(std::string name, std::optional<std::string> password) { users_[name] = std::move(password); }
    // As a node of a cluster: a command with keys of several hash slots is refused. Yes: it has all slots.
    void set_cluster_mode(bool yes);
    // As a node of a cluster in which these primaries have slots; `self` is this one. Other slots have no primary. The
    // names are also the hosts of the nodes.
    void set_slots(std::vector<slot_range> ranges, std::string_view self = own_name);
    // As a node that is moving a slot key by key, or that gets it so. Ends when set_slots() gives it another primary.
    void migrate_slot(std::uint16_t slot, std::string to) { slots_.migrate(slot, std::move(to)); }
    void import_slot(std::uint16_t slot) { slots_.import(slot); }
    // In a cluster, each message that a client publishes here is passed on to the other nodes, which deliver() it.
    void set_bus(std::function<void(std::string_view channel, std::string_view text)> b) { bus_ = std::move(b); }
    void deliver(std::string_view channel, std::string_view text) { send_to_subscribers(channel, text); }
    // As a node that is moving a hash slot to another one, which has this key already: a script that touches the key,
    // but does not name it in KEYS, fails there.
    void give_away(std::string_view key) { given_keys_.emplace(key); }
    void take_back_all() { given_keys_.clear(); }
    void disconnect_all();
    // Closes all connections and forgets all scripts. Without `data_lost` the keys remain, as with an append-only file.
    void restart(bool data_lost);
    // Must be different for each server: run_id() is computed from it.
    void set_identity(std::string identity) { identity_ = std::move(identity); }
    void flush_scripts() { scripts_.clear(); }

    keyspace& keys() noexcept { return keys_; }

    // ---- replicas
    // A server without replicas has one that is always up to date: so WAIT blocks nobody, as memory:// URLs need it.
    void assume_replicas(bool yes) { assumes_replicas_ = yes; }
    replication& replicas() noexcept { return replicas_; }
    // A replica has told that it has all writes up to that one: WAITs end, by peer::on_unblocked().
    void acknowledge(replication::replica, replication::offset);
    // The WAIT of that connection; null: it is not blocked, and reads commands.
    wait_under_way const* blocked(connection_id) const;
    // The timeout of that WAIT is over. Nothing, if it has ended before.
    void end_wait(connection_id, std::uint64_t number);
    // The server becomes a replica: it refuses writes from here on, closes blocked connections, and no replica counts.
    // Its keys stay until it takes over others.
    void demote();
    // The server becomes a primary with that data, which its replication brought. It has none of its primary's scripts.
    void promote(keyspace const& data);

    // ---- for INFO. A run begins with its first command, because the model has no clock of its own.
    condition state() const noexcept { return condition_; }
    std::string run_id() const;
    std::int64_t uptime_us() const noexcept { return keys_.now_us() - started_us_.value_or(keys_.now_us()); }
    bool is_cluster() const noexcept { return slots_.is_cluster(); }
    std::vector<slot_range> const& slots() const noexcept { return slots_.ranges(); }
    std::size_t connection_count() const noexcept { return connections_.size(); }

    // The function is called after each command, including those of scripts. It must not call the model.
    void watch(std::function<void(execution const&)> watcher) { watcher_ = std::move(watcher); }

    // ---- for the functions of commands
    // AUTH, also as a part of HELLO: returns OK or an error, after which the connection keeps the login that it has.
    value authenticate(connection&, std::string_view user, std::string_view password) const;
    bool has_users() const noexcept { return !users_.empty(); }
    // Returns the number of subscribers of this server.
    std::int64_t publish(std::string_view channel, std::string_view text);
    void subscribe(connection&, std::string_view channel);
    void unsubscribe(connection&, std::string_view channel);
    // Sharded messages, which do not reach other nodes.
    std::int64_t publish_sharded(std::string_view channel, std::string_view text);
    void subscribe_sharded(connection&, std::string_view channel);
    void unsubscribe_sharded(connection&, std::string_view channel);
    value evaluate(call&, std::string_view sha1);
    bool knows_script(std::string_view sha1) const { return scripts_.contains(sha1); }
    value load_script(std::string_view sha1, std::string_view text);
    // WAIT: the reply, or nothing if it blocks the connection.
    value wait(connection&, std::int64_t replicas, std::int64_t timeout_ms);
    bool kill(connection_id);
    bool channels_denied() const noexcept { return channels_denied_; }

private:
    value invoke(words) override;
    value check_and_run(connection&, words);
    value run(command_spec const&, connection&, words);
    std::optional<value> refuse(connection const&, command_spec const&, words);
    std::optional<value> refuse_in_script(command_spec const&, words);
    bool is_denied(command_spec const&, words) const;
    std::optional<value> refuse_slot(connection const&, command_spec const&, words);
    using subscriber_map = string_map<std::vector<connection*>>;  // in the order of subscription
    std::int64_t send_to_subscribers(std::string_view channel, std::string_view text);
    void end_subscriptions_elsewhere();
    bool has_denied_key(words keys) const;
    bool has_given_key(words keys) const;
    void note_write(connection&);
    void unblock(connection&, value const& reply);

    keyspace keys_;
    std::shared_ptr<lua_engine> lua_;
    std::unordered_set<std::string, transparent_hash, transparent_equal> scripts_;
    std::map<connection_id, connection> connections_;
    subscriber_map subscribers_;
    subscriber_map sharded_subscribers_;
    connection_id last_id_ = 0;
    connection* script_caller_ = nullptr;
    bool script_wrote_ = false;
    bool wrote_ = false;  // the command under way
    replication replicas_;
    bool assumes_replicas_ = false;
    std::uint64_t waits_ = 0;
    condition condition_ = condition::normal;
    std::optional<std::int64_t> started_us_;
    std::string identity_;
    unsigned runs_ = 1;
    std::set<std::string, std::less<>> denied_commands_;
    std::set<std::string, std::less<>> denied_keys_;
    std::map<std::string, std::optional<std::string>, std::less<>> users_;  // none: every login is accepted
    std::set<std::string, std::less<>> given_keys_;
    bool channels_denied_ = false;
    std::string proxy_error_;
    node_slots slots_;
    std::function<void(std::string_view channel, std::string_view text)> bus_;
    std::function<void(execution const&)> watcher_;
};

// The result of a command that has no reply: a status without text, which no command of Redis returns.
value no_reply();
bool is_no_reply(value const&);

}  // namespace holdfast::simulated

#endif
