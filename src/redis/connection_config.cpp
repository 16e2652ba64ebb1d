//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/connection_config.hpp"

#include <algorithm>

namespace holdfast::redis {
namespace {

using std::chrono::milliseconds;

// Each part of opening a connection; the session limits all of it.
constexpr std::chrono::seconds step_limit{5};

// No reply to a command of ours comes near it; a server that sends more is none of ours.
constexpr std::size_t longest_reply = 1024 * 1024;

// Several hundred replies to a read. Each read clears as much, so more would cost a lone command.
constexpr std::size_t read_size = 16 * 1024;

milliseconds health_check_interval(milliseconds lease)
{
    // The lower bound leaves a slow link the time to answer.
    return std::clamp(lease / 6, milliseconds(100), milliseconds(2000));
}

boost::redis::address to_address(host_and_port const& h)
{
    return {h.host, std::to_string(h.port)};
}

void set_place(boost::redis::config& c, endpoint const& to)
{
    c.use_ssl = to.transport == transport::tls;
    c.unix_socket = to.socket_path;
    if (to.transport == transport::tcp || to.transport == transport::tls)
        c.addr = to_address(to.hosts.front());
}

void set_sentinels(boost::redis::config& c, endpoint const& to, std::string const& client_name)
{
    for (auto const& h : to.hosts)
        c.sentinel.addresses.push_back(to_address(h));
    c.sentinel.master_name = to.master_name;
    // Boost.Redis asks the master for its ROLE before our greeting.
    auto const who = credentials_of(to, client_name);
    auto const hello = session::hello_words(who);
    c.setup.push_range(hello.front(), hello.begin() + 1, hello.end());
    if (to.database != 0)
        c.setup.push("SELECT", to.database);
}

}  // namespace

boost::redis::config make_connection_config(
    endpoint const& to, std::string const& client_name, holdfast::config const& options)
{
    boost::redis::config c;
    c.resolve_timeout = c.connect_timeout = c.ssl_handshake_timeout = step_limit;
    c.health_check_interval = health_check_interval(options.lease);
    c.health_check_id = "holdfast";
    c.reconnect_wait_interval = std::chrono::seconds::zero();
    c.max_read_size = longest_reply;
    c.read_buffer_append_size = read_size;
    c.use_setup = true;  // none: the greeting is a request of ours, whose replies we can read
    c.setup.clear();
    set_place(c, to);
    if (to.transport == transport::sentinel)
        set_sentinels(c, to, client_name);
    return c;
}

session::credentials credentials_of(endpoint const& e, std::string const& client_name)
{
    return {e.has_password, e.user, e.password, client_name, e.database};
}

}  // namespace holdfast::redis
