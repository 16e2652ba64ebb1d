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

#include "engine/port/reply.hpp"
#include "engine/port/session.hpp"

namespace holdfast::session {

// Who the client says it is.
struct credentials {
    bool has_password = false;
    std::string user;  // empty: the default user
    std::string password;
    std::string client_name;
    unsigned database = 0;
};

// HELLO with credentials and name.
std::vector<std::string_view> hello_words(credentials const&);

// A connection as its server knows it. A server that was started anew counts its connections from 1 again, so the
// number alone may belong to another client.
struct connection_id {
    std::uint64_t number = 0;
    engine::server_identity server;  // empty: the access rules keep INFO from this client

    // They are connections to the same run of one server, but not the same.
    bool is_beside(connection_id const& other) const noexcept
    {
        return server.is_same_server(other.server) && number != other.number && other.number != 0;
    }
};

// The first commands of a connection, and what their replies mean. HELLO asks for no right and tells the number of the
// connection, INFO tells the run of the server, and since when it runs. CLIENT KILL is the barrier of rule 8: it ends
// the connection before this one, whose bytes could still reach the server.
//
// | step    | reply                    | next    | outcome                                                             |
// |---------|--------------------------|---------|---------------------------------------------------------------------|
// | hello   | a map                    | select  | more; without a database other than 0 the next step is info         |
// | select  | OK                       | info    | more                                                                |
// | info    | text, same run as before | barrier | kill: the connection before this one is not over for the server     |
// | info    | text, another run        | done    | open                                                                |
// | info    | an error but BUSY        | done    | open: without the right to INFO there is no barrier                 |
// | info    | BUSY                     | done    | refused: a busy server cannot raise a barrier                       |
// | barrier | any but BUSY             | done    | open                                                                |
// | barrier | BUSY                     | done    | refused                                                             |
// | hello, select | an error           | done    | refused                                                             |
class greeting {
public:
    enum class step : std::uint8_t { hello, select, info, barrier, done };
    enum class outcome : std::uint8_t { more, kill, open, refused };

    // A new connection. What the last one that was opened is called is remembered.
    void begin(bool selects_database) noexcept;

    outcome on_reply(engine::reply const&, core::instant now);
    // `words`: of the server.
    outcome on_error(std::string_view words);

    step current_step() const noexcept { return step_; }
    // The connection that is greeted, as far as is known, and the one before, which is to be ended.
    connection_id const& id() const noexcept { return present_; }
    connection_id const& previous() const noexcept { return previous_; }
    // Why the server refused, when it did.
    engine::closing const& refusal() const noexcept { return refusal_; }

private:
    outcome on_hello(engine::reply const&);
    outcome on_info(std::string_view text, core::instant now);
    outcome open();
    outcome refuse(engine::closing const&);

    step step_ = step::done;
    bool selects_ = false;
    connection_id present_;
    connection_id previous_;
    std::string words_;
    engine::closing refusal_;
};

// What it means that the server does not accept a client, by its words.
engine::closing classify_refusal(std::string_view words);

}  // namespace holdfast::session

#endif
