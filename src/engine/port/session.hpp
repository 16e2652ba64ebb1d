//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SESSION_HPP
#define HOLDFAST_ENGINE_SESSION_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <boost/system/error_code.hpp>

#include "core/clock.hpp"
#include "engine/port/command.hpp"
#include "engine/port/script.hpp"
#include "engine/port/server_identity.hpp"

namespace holdfast::engine {

// Why an epoch ended or could not be opened.
struct closing {
    boost::system::error_code code;  // errc::not_permitted and the like when `permanent`, else the transport's
    std::string_view words = {};     // the server's or the system's, without secrets; valid during the call
    bool permanent = false;          // trying again will not cure it (wrong password, unknown user ...)
};

// What a session tells the engine: always on the strand, never from inside a call of the engine.
class session_events {
public:
    // A new epoch: the connection is authenticated and nothing of the previous one can land any more (rule 8).
    // What is submitted during this call leaves first: subscriptions, compensations, renewals, re-checks.
    virtual void on_open() = 0;
    // The epoch ended (every unanswered command was answered `unknown` before this), or one could not be opened.
    // The session keeps trying, with backoff.
    virtual void on_closed(closing const&) = 0;
    // A message came on a channel that we asked for. A hint, never authority.
    virtual void on_message(std::string_view channel) = 0;
    // Before what was submitted in a turn leaves: what is submitted during this call leaves with it. The session may be
    // stopped or dropped within.
    virtual void on_turn_end() = 0;
    // The instant given to wake_at() has passed.
    virtual void on_alarm() = 0;

protected:
    ~session_events() = default;
};

// The port through which the engine sees the world: commands, pushes, epochs, time, randomness. Everything on one
// strand, except now(), which any thread may call. There is one implementation: session::session.
class session {
public:
    virtual ~session() = default;

    // Starts to connect, and connects again after each loss, until stop().
    virtual void start(session_events&) = 0;

    // Ends all: no event and no answer is delivered from here on, unanswered command records are forgotten.
    // Idempotent; the object may be destroyed later, from any thread.
    virtual void stop() noexcept = 0;

    // True from just before on_open() until the connection is lost.
    virtual bool is_open() const noexcept = 0;

    // The server of the present epoch. Precondition: is_open().
    virtual server_identity const& server() const noexcept = 0;

    // Sends one command, words as given, after all that were submitted before it; what is submitted in one turn of
    // the loop leaves in one write. The words are copied. Precondition: is_open().
    // Ends as `unknown` after config.command_timeout; a later reply is read and dropped.
    virtual void submit(command&, std::span<std::string_view const> words) = 0;

    // Asks for an on_turn_end() although nothing is submitted yet; none comes when the connection is lost before.
    // Precondition: is_open().
    virtual void await_turn_end() = 0;

    // SUBSCRIBE / UNSUBSCRIBE, in order with the commands, guarded (rule 10). The session does not restore them:
    // after on_open() the engine asks again. Several of one kind in a row are one command. Precondition: is_open() and,
    // for subscribe, notifies().
    virtual void subscribe(std::string_view channel) = 0;
    virtual void unsubscribe(std::string_view channel) = 0;

    // False after the server refused a subscription for lack of permission, until the epoch after the next: waiting
    // means polling then.
    virtual bool notifies() const noexcept = 0;

    // Closes the connection, because what it does can no longer be trusted; on_closed() follows.
    virtual void drop(std::string_view why) = 0;

    // CLOCK_BOOTTIME, or virtual time. Any thread.
    virtual core::instant now() const noexcept = 0;

    // Asks for one on_alarm(), not before that instant. An earlier request replaces a later one; a later one while
    // an earlier is pending is ignored (on_alarm() asks anew).
    virtual void wake_at(core::instant) = 0;

    // For jitter.
    virtual std::uint64_t random() noexcept = 0;

    // 128 bits from the operating system, new at each call: who this process is.
    virtual std::array<std::uint8_t, 16> identity() = 0;

    // Changes when the process was forked: the child must not use the parent's identity.
    virtual std::uint64_t incarnation() const noexcept = 0;
};

// Sends a script: by its SHA1, or after NOSCRIPT, as a new decision, by its text.
enum class script_form : std::uint8_t { sha1, text };

void submit_script(
    session&,
    command&,
    script const&,
    script_form,
    std::span<std::string_view const> keys,
    std::span<std::string_view const> arguments);

}  // namespace holdfast::engine

#endif
