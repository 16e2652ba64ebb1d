//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SESSION_HPP
#define HOLDFAST_ENGINE_SESSION_HPP

#include <cstdint>
#include <span>
#include <string_view>

#include <boost/system/error_code.hpp>

#include "core/cluster_map.hpp"
#include "core/redirect.hpp"
#include "engine/port/command.hpp"
#include "engine/port/script.hpp"
#include "engine/port/script_cache.hpp"
#include "engine/port/server_identity.hpp"

// src/engine/port: the interface between the engine and the system, which is its sessions and its world, and between
// the engine and its callers: commands and their replies, calls of scripts, the mailbox. The folder includes only
// itself and src/core, the vocabulary of the public headers (errors, options), and of Asio what names the strand: no
// timer, no socket.
namespace holdfast::engine {

// Why an epoch ended, or could not be opened.
struct closing {
    boost::system::error_code code;  // an errc such as not_permitted if `permanent`, else the error of the transport
    std::string_view words = {};     // the text of the server or the system, without secrets; valid during the call
    bool permanent = false;          // another attempt will not help: a wrong password, an unknown user ...
    bool ended_epoch = false;        // an epoch has ended; else none could be opened
};

// The events of a session. It calls them on the strand, and never from inside a call of the engine, so the engine need
// not expect to be re-entered while it submits a command. The engine may stop or drop the session inside any of them.
class session_events {
public:
    // A new epoch has begun: the connection is authenticated, and the server can no longer execute a command of the
    // previous connection (rule 8). Commands that are submitted during this call are the first of the epoch: first
    // subscriptions, then releases, renewals and new attempts.
    virtual void on_open() = 0;
    // The epoch has ended, or could not be opened. Before this call, every command without a reply ended as `unknown`.
    // The session connects again, with backoff.
    virtual void on_closed(closing const&) = 0;
    // A message arrived on a subscribed channel. It is a hint, never a proof (rule 13): other programs can publish,
    // too.
    virtual void on_message(std::string_view channel) = 0;
    // Of a server with sharded messages only: a requested subscription was confirmed; messages of the channel do not
    // arrive, or not any more: the server has refused the subscription, or the slot of the channel has left the server.
    virtual void on_subscribed(std::string_view) {}
    virtual void on_unsubscribed(std::string_view) {}
    // The session is about to write the commands of this turn. Commands that are submitted during this call leave in
    // the same write: the engine uses it to send the releases that it gathered during the turn.
    virtual void on_turn_end() = 0;

    // Of a session to the seeds of a cluster only: which primary has which hash slots. Before each on_open(), and after
    // request_slots(). Each primary has a host.
    virtual void on_slots(core::cluster_map const&) {}
    // Of a session to a primary of a cluster only: what the client believes of the slots may be out of date. MOVED
    // names the primary of one slot (the host is not empty), before the command gets its outcome. Null: the server said
    // CLUSTERDOWN, or has not answered a command for 250 ms, or doubt() was called.
    virtual void on_doubt(core::redirect const*) {}

protected:
    ~session_events() = default;
};

// The connection to one server, over all its epochs: the way in which the engine sends commands to that server and
// receives pushes from it. Time and random numbers come from the world (world.hpp). All functions are called on the
// strand. session::session implements it, for production and for the simulator.
class session {
public:
    virtual ~session() = default;

    // The last connection that was opened. The server may still read from it, so the next one to the same run of that
    // server ends it first (rule 8).
    virtual connection_id const& last_connection() const noexcept = 0;
    // This session takes the place of one to the same server that has ended: its first connection ends the last one of
    // that session. Call before start().
    virtual void follow(connection_id const& last) = 0;

    // Starts to connect, and connects again after each loss, until stop().
    virtual void start(session_events&) = 0;

    // Ends the session: from now on it calls no event and no command, and it forgets the commands without a reply,
    // whose owners may destroy them. Idempotent. The object may be destroyed later, on any thread.
    virtual void stop() noexcept = 0;

    // True from just before on_open() until the connection is lost or dropped.
    virtual bool is_open() const noexcept = 0;

    // The server of the current epoch. Precondition: is_open().
    virtual server_identity const& server() const noexcept = 0;

    // Which scripts were submitted in this epoch; submit_script() asks it.
    virtual script_cache& scripts() noexcept = 0;

    // Sends one command, after all that were submitted before it. All commands of one turn of the event loop leave in
    // one write. The session copies the words, and keeps the address of the command until it calls on_answer(). A
    // command without a reply after config.command_timeout ends as `unknown`; its late reply is read and dropped.
    // Precondition: is_open().
    virtual void submit(command&, std::span<std::string_view const> words) = 0;

    // Requests an on_turn_end() although no command is submitted yet. There is none if the connection is lost before.
    // Precondition: is_open().
    virtual void await_turn_end() = 0;

    // SUBSCRIBE and UNSUBSCRIBE, in order with the commands, several of one kind in a row with one guard (rule 10); on
    // a server with sharded messages, SSUBSCRIBE and SUNSUBSCRIBE. The session does not restore subscriptions on a new
    // connection, because their order relative to the engine's commands matters: the engine subscribes again in
    // on_open(). Precondition: is_open() and, for subscribe(), notifies().
    virtual void subscribe(std::string_view channel) = 0;
    virtual void unsubscribe(std::string_view channel) = 0;

    // Whether waiters receive messages. False after the server refused a subscription because a permission is missing,
    // until the epoch after the next: meanwhile waiters poll.
    virtual bool notifies() const noexcept = 0;
    // The server goes on refusing a sharded subscription, although it has the slot: notifies() is false from here on.
    // Precondition: is_open().
    virtual void give_up_subscribing(std::string_view channel) = 0;

    // Asks which primary has which hash slots; on_slots() follows, or the end of the connection. Preconditions: it is a
    // session to the seeds of a cluster, and open.
    virtual void request_slots() = 0;

    // The server may be the primary no longer: replicas have not acknowledged what it has executed. With sentinels the
    // session asks them; of a primary of a cluster on_doubt() follows. Of another server this does nothing.
    virtual void doubt() = 0;

    // Closes the connection because its replies cannot be trusted any more; on_closed() follows.
    virtual void drop(std::string_view why) = 0;
};

// Submits ASKING: the server executes the next command although it does not have the hash slot yet. Its reply does not
// matter: if it is refused, the next command is, too. Precondition: the session is open.
void submit_asking(session&);

// Submits EVALSHA, or EVAL if that form needs the text. Precondition: the session is open.
void submit_script(
    session&,
    command&,
    script const&,
    script_form,
    std::span<std::string_view const> keys,
    std::span<std::string_view const> arguments);

}  // namespace holdfast::engine

#endif
