//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_URL_HPP
#define HOLDFAST_REDIS_URL_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::redis {

enum class transport : std::uint8_t {
    tcp,
    tls,
    unix_socket,
    sentinel,      // the client queries the sentinels for the address of the master
    sentinel_tls,  // the same, with TLS to the sentinels and to the master
};

struct host_and_port {
    std::string host;
    std::uint16_t port = 0;
    std::string name = {};  // the host name of its certificate; empty: the host
};

// The contents of a URL, percent-decoded.
struct endpoint {
    redis::transport transport = transport::tcp;
    bool is_cluster = false;           // tcp, tls: the hosts are seeds, any nodes of one Redis Cluster
    std::vector<host_and_port> hosts;  // one for tcp and tls, or the seeds; the sentinels; none for a UNIX socket
    std::string socket_path;           // unix_socket
    std::string master_name;           // sentinel
    std::string user;                  // empty: the server's default user
    std::string password;
    bool has_password = false;  // an empty password counts, too: the client then sends AUTH
    unsigned database = 0;
    std::string sentinel_user;  // of the sentinels; the others are of the master
    std::string sentinel_password;
    bool has_sentinel_password = false;
};

bool has_sentinels(endpoint const&);
bool has_tls(endpoint const&);

// Throws std::invalid_argument. Its text describes the fault and never quotes the URL, which may contain a password.
endpoint parse_url(std::string_view);

// "host:port"
std::string to_text(host_and_port const&);

// The URL of this endpoint for log lines, with *** in place of the password.
std::string redacted(endpoint const&);

// Whether unencrypted data for this endpoint leaves the machine. False only for loopback addresses and UNIX sockets.
bool is_remote(endpoint const&);

}  // namespace holdfast::redis

#endif
