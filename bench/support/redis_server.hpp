//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_REDIS_SERVER_HPP
#define HOLDFAST_BENCH_SUPPORT_REDIS_SERVER_HPP

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace holdfast::bench {

// The counters of the server since its start.
struct server_counters {
    double commands = 0;  // executed, including those that scripts call
    double bytes = 0;     // received and sent
};

// A command in the form in which it is sent.
std::string to_resp(std::vector<std::string_view> const& words);

// The transport to a server. A server with TLS also accepts the other two.
enum class transport { unix_socket, tcp_loopback, tls };

// Chooses the constructor of a replica.
struct replica_of {
    unsigned short port;
};

// Chooses the constructor of a node of a Redis Cluster.
struct cluster_node {};

// A private redis-server without persistence, on a UNIX socket in a temporary folder. It replies when the constructor
// returns, and ends with the destructor or with this process.
class redis_server {
public:
    // `transport`: that of the measured connections. The control connection always uses the UNIX socket.
    explicit redis_server(transport = transport::unix_socket);
    // It has all data of its primary when the constructor returns.
    explicit redis_server(replica_of);
    // Has a port, and no slots yet.
    explicit redis_server(cluster_node);
    ~redis_server();
    redis_server(redis_server const&) = delete;
    redis_server& operator=(redis_server const&) = delete;

    std::string socket_path() const { return folder_ / "redis.sock"; }
    std::string url() const { return url(transport_); }
    std::string url(transport) const;
    // The self-signed certificate of the server; only with TLS.
    std::string certificate() const { return folder_ / "server.crt"; }
    bool is_tcp() const { return transport_ == transport::tcp_loopback; }
    unsigned short port() const { return port_; }
    // For the other nodes of the cluster; 0: it is no node.
    unsigned short bus_port() const { return bus_port_; }
    // host:port; not with unix_socket.
    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    std::string version();

    // The processor time of the server since its start.
    std::chrono::duration<double> cpu_time();

    // The commands that read the counters are counted, too.
    server_counters counters();

    // Deletes all keys.
    void clear();

    // Loads the script, so that EVALSHA finds it; returns its SHA1.
    std::string load(std::string_view script);

    // Sends one command over the control connection; the reply must be a simple string or a bulk string.
    std::string query(std::vector<std::string_view> const& words);

private:
    std::vector<std::string> command_line() const;
    void start();
    void await_start();
    void await_data();
    void end() noexcept;
    bool try_connect();
    std::string info(std::string_view field);

    transport transport_;
    std::filesystem::path folder_;
    unsigned short port_ = 0;
    unsigned short tls_port_ = 0;
    unsigned short bus_port_ = 0;
    unsigned short primary_ = 0;  // the port of the primary; 0: this is no replica
    pid_t pid_ = -1;
    boost::asio::io_context context_;
    boost::asio::local::stream_protocol::socket control_{context_};
};

using servers = std::vector<std::reference_wrapper<redis_server>>;

}  // namespace holdfast::bench

#endif
