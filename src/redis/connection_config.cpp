//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/connection_config.hpp"

namespace holdfast::redis {
namespace {

using std::chrono::milliseconds;

// Limits each step: resolving the name, connecting, the TLS handshake. The session limits all of them together.
constexpr std::chrono::seconds step_limit{5};
// Shorter, so that the tool, which waits for a connection for 5 s, prints the reason: a server without TLS does not
// answer.
constexpr milliseconds handshake_limit{3000};
// Shorter than the time in which the session opens a connection to a seed, for the same reason.
constexpr milliseconds handshake_limit_of_cluster{1500};

// No reply to a command of the library is nearly as long. A faulty or hostile server must not be able to fill the
// memory of the process, which the default, no limit, would allow.
constexpr std::size_t longest_reply = 1024 * 1024;
// But CLUSTER SLOTS: the reply may name each of the 16384 slots alone, with a primary and its replicas.
constexpr std::size_t longest_reply_of_cluster = 16 * longest_reply;

// Enough for several hundred replies in one read. Boost.Redis clears the new part of its buffer before each read, so a
// larger size would make the reply to a single command slower.
constexpr std::size_t read_size = 16 * 1024;

boost::redis::address to_address(host_and_port const& h)
{
    return {h.host, std::to_string(h.port)};
}

void set_place(boost::redis::config& c, endpoint const& to)
{
    c.use_ssl = has_tls(to);
    c.unix_socket = to.socket_path;
    if (to.transport == transport::tcp || to.transport == transport::tls)
        c.addr = to_address(to.hosts.front());
}

}  // namespace

boost::redis::config make_connection_config(endpoint const& to)
{
    boost::redis::config c;
    c.resolve_timeout = c.connect_timeout = step_limit;
    c.ssl_handshake_timeout = to.is_cluster ? handshake_limit_of_cluster : handshake_limit;
    c.health_check_interval = std::chrono::seconds::zero();    // none: the session checks the connection (rule 12)
    c.reconnect_wait_interval = std::chrono::seconds::zero();  // never: the session reconnects (rule 11)
    c.max_read_size = to.is_cluster ? longest_reply_of_cluster : longest_reply;
    c.read_buffer_append_size = read_size;
    // An empty setup request: the session sends the greeting itself, because it needs the replies.
    c.use_setup = true;
    c.setup.clear();
    set_place(c, to);
    return c;
}

session::client_login login_of(endpoint const& e, std::string const& client_name)
{
    return {e.has_password, e.user, e.password, client_name, e.database};
}

session::client_login sentinel_login_of(endpoint const& e, std::string const& client_name)
{
    return {e.has_sentinel_password, e.sentinel_user, e.sentinel_password, client_name};
}

}  // namespace holdfast::redis
