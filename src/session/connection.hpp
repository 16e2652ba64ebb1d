//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_CONNECTION_HPP
#define HOLDFAST_SESSION_CONNECTION_HPP

#include <span>
#include <string_view>

#include <boost/system/error_code.hpp>

#include "engine/port/reply.hpp"

namespace holdfast::session {

// Why a connection ended, or could not be made.
struct ending {
    boost::system::error_code code;
    std::string_view words = {};  // valid during the call
    bool is_refusal = false;      // the words are the server's: it does not accept this client
};

// What a connection tells its session: always on the strand, and from no call of the session but flush().
class connection_events {
public:
    // A reply to the oldest command that has none yet.
    virtual void on_reply(engine::reply const&) = 0;
    // The same, and the reply is an error: the server's words.
    virtual void on_error(std::string_view words) = 0;
    // A message came on a channel to which the session has subscribed.
    virtual void on_message(std::string_view channel) = 0;
    // The last event.
    virtual void on_ended(ending const&) = 0;

protected:
    ~connection_events() = default;
};

// One connection to one server, from the attempt to connect until it is lost. It carries commands and replies, in
// order, and decides nothing.
class connection {
public:
    virtual ~connection() = default;

    // Adds a command, whose words are copied, to those that the next flush() sends. A command that is sent before the
    // connection exists waits for it.
    virtual void send(std::span<std::string_view const> words) = 0;
    virtual void flush() = 0;

    // No event follows. Commands that were flushed may still reach the server.
    virtual void close() noexcept = 0;
};

}  // namespace holdfast::session

#endif
