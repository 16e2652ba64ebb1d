//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_CONNECTION_HPP
#define HOLDFAST_SESSION_CONNECTION_HPP

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <boost/system/error_code.hpp>

#include "engine/port/reply.hpp"

namespace holdfast::session {

// Why a connection ended, or could not be established.
struct ending {
    boost::system::error_code code;
    std::string_view words = {};  // valid during the call
    bool is_refusal = false;      // the words are an error text of the server, which does not accept this client
};

// The events of a connection. It calls them on the strand. Of its own functions only flush() may call them: a transport
// in memory has the replies at once. The session may close the connection inside each of them.
class connection_events {
public:
    // The reply to the oldest command that has none.
    virtual void on_reply(engine::reply const&) = 0;
    // The same, if the reply is an error. `words`: its text.
    virtual void on_error(std::string_view words) = 0;
    // A message arrived on a subscribed channel.
    virtual void on_message(std::string_view channel) = 0;
    // The server has begun, or ended, a sharded subscription; the end may not have been requested.
    virtual void on_subscribed(std::string_view channel) = 0;
    virtual void on_unsubscribed(std::string_view channel) = 0;
    // The connection has ended, or could not be established. It is the last event, and does not follow close().
    virtual void on_ended(ending const&) = 0;

protected:
    ~connection_events() = default;
};

// The command that suppresses the reply to the next one. It has no reply itself.
inline constexpr std::array<std::string_view, 3> skip_words{"CLIENT", "REPLY", "SKIP"};

// One connection to one server, from the attempt to connect until it is lost. It transports commands and
// replies in order and decides nothing: src/redis implements it over Boost.Redis, src/sim and the simulator of the
// tests in memory, so the decisions of the session are the same in all of them.
class connection {
public:
    virtual ~connection() = default;

    // Adds a command to those that the next flush() sends. The words are copied. Commands that are flushed before the
    // connection is established are sent when it is.
    virtual void send(std::span<std::string_view const> words) = 0;
    // Adds a PING and, behind it, "verb argument" for each argument, with CLIENT REPLY SKIP before it: only the PING
    // has a reply, and a refused command does not take the reply of another one. A transport that counts replies
    // overrides it.
    virtual void send_without_reply(std::string_view verb, std::span<std::string const> arguments)
    {
        send(std::array<std::string_view, 1>{"PING"});
        for (auto const& a : arguments) {
            send(skip_words);
            send(std::array<std::string_view, 2>{verb, a});
        }
    }
    // Sends the added commands in one write.
    virtual void flush() = 0;

    // Closes the connection. No event follows, even if an event calls it. Commands that were flushed may still reach
    // the server: that is why the next connection begins with a barrier (rule 8).
    virtual void close() noexcept = 0;
};

}  // namespace holdfast::session

#endif
