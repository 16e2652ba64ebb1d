//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_GREETING_HPP
#define HOLDFAST_REDIS_GREETING_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/redis/adapter/any_adapter.hpp>
#include <boost/redis/request.hpp>
#include <boost/system/error_code.hpp>

#include "engine/session.hpp"
#include "redis/url.hpp"

namespace holdfast::redis {

// A connection as its server knows it. The numbers of a server that was started anew begin at 1 again, so a number
// alone may belong to a stranger.
struct connection_id {
    std::uint64_t number = 0;
    std::string server_run;  // empty: the access rules keep INFO from us

    bool is_known() const noexcept { return number != 0 && !server_run.empty(); }
};

// The first words on a connection: HELLO (which asks for no right and tells the connection's number), SELECT, INFO, and
// CLIENT KILL of the connection before it. A server that is busy with a script refuses the last two: what they are for is
// not had then, and the connection is given up.
class greeting {
public:
    greeting(endpoint const&, std::string_view client_name);

    boost::redis::request const& request() const noexcept { return request_; }
    boost::redis::any_adapter adapter();
    // Of the reply to CLIENT KILL.
    boost::redis::any_adapter barrier_adapter();

    connection_id const& id() const noexcept { return id_; }

    // The server's words when it refused one of them, else empty. Without the right to INFO or CLIENT KILL the connection
    // is used all the same: there is no barrier then.
    std::string const& refused() const noexcept { return refused_; }

private:
    enum class step : std::uint8_t { hello, select, info };

    void read(boost::redis::resp3::node_view const&, boost::system::error_code&);
    void read_hello(boost::redis::resp3::node_view const&);
    void read_info(boost::redis::resp3::node_view const&, boost::system::error_code&);
    void give_up_if_busy(boost::redis::resp3::node_view const&, boost::system::error_code&);
    void next_step() noexcept;

    boost::redis::request request_;
    connection_id id_;
    std::string refused_;
    bool selects_;
    bool number_follows_ = false;
    step step_ = step::hello;
};

// HELLO with credentials and name, and SELECT: what Sentinel mode must say before Boost.Redis asks for the ROLE.
void say_hello(boost::redis::request&, endpoint const&, std::string_view client_name);

// What it means that the server would not have us, by its words.
engine::closing judge_refusal(std::string_view words);

}  // namespace holdfast::redis

#endif
