//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_GREETING_HPP
#define HOLDFAST_SESSION_GREETING_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/config.hpp>

#include "core/cluster_map.hpp"
#include "engine/port/reply.hpp"
#include "engine/port/session.hpp"
#include "session/cluster_slots.hpp"

namespace holdfast::session {

// For what a client connects to a server.
enum class purpose : std::uint8_t {
    one_server,  // the only server of the client
    master,      // the same; sentinels name it
    seed,        // any node of a cluster: the client asks it for the slots of all nodes
    member,      // a primary of a cluster
};

constexpr bool is_of_cluster(purpose p) noexcept
{
    return p == purpose::seed || p == purpose::member;
}

// What a client sends in its greeting: its credentials, its name and its database.
struct client_login {
    bool has_password = false;
    std::string user;  // empty: the default user
    std::string password;
    std::string client_name;
    unsigned database = 0;
};

// The words of HELLO with the credentials and the client name, as views into its argument.
std::vector<std::string_view> hello_words(client_login const&);

using engine::connection_id;

// The first commands of a connection, and the meaning of their replies. HELLO needs no permission, and its reply
// contains the number of the connection and whether the server is in cluster mode. The reply to INFO contains the run
// of the server, its uptime, and whether it evicts keys. CLUSTER SLOTS is sent in cluster mode only, and not to a member: a client of one server
// can use a server that has all hash slots, and no other member of a cluster. CLIENT KILL is the barrier of rule 8: it
// ends the previous connection, from which the server could still read commands. The session sends the commands; this
// class only decides, so that each row can be tested without a server.
//
// | step          | reply                    | next    | outcome                                                     |
// |---------------|--------------------------|---------|-------------------------------------------------------------|
// | hello         | a map                    | select  | more; the next step is info if the database is 0            |
// | hello         | a map, not of a cluster, | done    | refused, for good                                           |
// |               | to a seed or a member    |         |                                                             |
// | hello         | a map of a replica, to a | done    | refused, for now                                            |
// |               | member or a master       |         |                                                             |
// | select        | OK                       | info    | more                                                        |
// | info          | any but BUSY, in cluster | slots   | slots: which slots does the server have?                    |
// |               | mode, not to a member    |         |                                                             |
// | info          | text, same run as before | barrier | kill: the server may still read from the old connection     |
// | info          | text, another run        | done    | open                                                        |
// | info          | an error but BUSY        | done    | open: without the right to INFO there is no barrier         |
// | info          | BUSY                     | done    | refused: a busy server cannot raise a barrier               |
// | info          | text, to a member with a | node    | more: the session has sent CLUSTER MYID, too                |
// |               | known id                 |         |                                                             |
// | node          | that id, or an error but | barrier | kill or open, as after INFO: the access rules may deny it   |
// |               | BUSY                     | or done |                                                             |
// | node          | another id               | done    | refused, for now: a node of another cluster, for example,   |
// |               |                          |         | has the address now                                         |
// | slots         | one primary has all      | barrier | kill or open, as after INFO                                 |
// |               |                          | or done |                                                             |
// | slots         | of a seed: a primary has | barrier | the same                                                    |
// |               | a slot                   | or done |                                                             |
// | slots         | of a seed: no slot has a | done    | refused, for now                                            |
// |               | primary                  |         |                                                             |
// | slots         | of a seed: an error      | done    | refused                                                     |
// | slots         | an error but BUSY        | barrier | kill or open, as after INFO: the slots are not confirmed    |
// |               |                          | or done |                                                             |
// | slots         | any other reply          | done    | refused: a member of a cluster, for good; a replica, for    |
// |               |                          |         | now                                                         |
// | slots         | BUSY                     | done    | refused                                                     |
// | barrier       | any but BUSY             | done    | open: the old connection is or was closed, or the access    |
// |               |                          |         | rules deny CLIENT KILL                                      |
// | barrier       | BUSY                     | done    | refused                                                     |
// | hello, select | an error                 | done    | refused                                                     |
//
// BUSY stands for every error that engine::classify() calls not_now.
class greeting {
public:
    enum class step : std::uint8_t { hello, select, info, node, slots, barrier, done };
    enum class outcome : std::uint8_t { more, slots, kill, open, refused };

    // The session takes the place of another one, whose last connection this is. Call before begin().
    void follow(connection_id const& last) { previous_ = last; }
    // Starts for a new connection. It keeps previous(), even if this connection is refused: the last connection that
    // was opened is the one that has carried commands of the engine. `node_id`: that of the member, if it is known.
    void begin(
        bool selects_database, purpose, std::string_view node_id = {}, sharded_messages = sharded_messages::automatic);

    outcome on_reply(engine::reply const&, core::instant now);
    // `words`: the error text of the server.
    outcome on_error(std::string_view words);

    step current_step() const noexcept { return step_; }
    // The current connection, as far as its replies have arrived.
    connection_id const& id() const noexcept { return present_; }
    // The connection to end, before outcome::open; after it, the current one.
    connection_id const& previous() const noexcept { return previous_; }
    // The maxmemory-policy of a server that evicts keys, and so locks, when memory is short; empty: it does not, or that
    // is not known.
    std::string const& eviction_policy() const noexcept { return eviction_policy_; }
    // The slots of the cluster, of a seed, after outcome::open.
    core::cluster_map const& slots() const noexcept { return slots_; }
    // Why the server refused this client, after outcome::refused.
    engine::closing const& refusal() const noexcept { return refusal_; }

private:
    outcome on_hello(engine::reply const&);
    outcome on_info(std::string_view text, core::instant now);
    outcome on_node(std::string_view id);
    outcome ask_slots();
    outcome on_slots(engine::reply const&);
    outcome check_slots(core::cluster_map const&);
    outcome raise_barrier();
    outcome open();
    outcome refuse(engine::closing const&);

    step step_ = step::done;
    bool selects_ = false;
    purpose purpose_ = purpose::one_server;
    std::string node_id_;  // empty: not checked
    sharded_messages sharded_ = sharded_messages::automatic;
    bool is_replica_ = false;
    connection_id present_;
    connection_id previous_;
    std::string eviction_policy_;
    core::cluster_map slots_;
    std::string words_;  // a copy for refusal_: the words of the server are valid during a call only
    engine::closing refusal_;
};

// Classifies the error text of a server that does not accept this client: whether another attempt can help.
engine::closing classify_refusal(std::string_view words);

// Whether an error in place of a reply means that the next connection may be one to another server, or be refused.
// READONLY: the master was demoted to a replica, and the next connection may lead to the new master. MOVED from a
// server that had all hash slots: its cluster has another primary by now.
bool leads_to_another_server(engine::refusal, engine::server_identity const&) noexcept;

}  // namespace holdfast::session

#endif
