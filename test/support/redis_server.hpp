//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_REDIS_SERVER_HPP
#define HOLDFAST_TEST_SUPPORT_REDIS_SERVER_HPP

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "support/resp_client.hpp"

namespace holdfast::test {

// A private redis-server: in a temporary folder, on a UNIX socket and a free port of 127.0.0.1, without persistence. It
// answers when the constructor returns, and ends with the destructor or with this process.
//
//     redis_server server;                                   // or server{"requirepass secret", "maxclients 5"}
//     cfg.url = server.url();
//     server.command({"CONFIG", "SET", "maxmemory", "1"});
//     server.kill(); ... server.restart();
//
// Throws std::runtime_error when redis-server is not installed or does not start. Not for more than one thread.
class redis_server {
public:
    // With more lines of redis.conf, which override the default ones.
    explicit redis_server(std::vector<std::string> lines = {});
    redis_server(std::initializer_list<std::string> lines) : redis_server(std::vector(lines)) {}
    ~redis_server();
    redis_server(redis_server const&) = delete;
    redis_server& operator=(redis_server const&) = delete;

    // Whether redis-server can be run at all; tests use SKIP() otherwise.
    static bool is_installed();

    std::string url() const;      // unix:///.../redis.sock
    std::string tcp_url() const;  // redis://127.0.0.1:port
    std::uint16_t port() const { return port_; }
    std::string socket_path() const { return folder_ / "redis.sock"; }
    std::filesystem::path const& folder() const { return folder_; }
    pid_t pid() const { return pid_; }
    bool is_running() const { return pid_ > 0; }

    // Sends one command, over a connection of its own that is kept. If the user "default" needs a password, send AUTH
    // first.
    simulated::value command(std::vector<std::string> const& words);

    // The next command opens another connection: sentinels close those of a server that they promote.
    void reconnect() { client_.reset(); }

    // The value of `field` in INFO, or an empty string.
    std::string info(std::string const& field);

    // How many replicas have received all data: these can acknowledge writes.
    int online_replicas();

    // How often `name` was called (INFO commandstats), such as "set" or "client|kill".
    std::int64_t calls(std::string const& name);

    void freeze();   // SIGSTOP: connections stay, but are not answered
    void thaw();     // SIGCONT
    void kill();     // SIGKILL, and waits for the end
    void restart();  // kill() and start anew, on the same port and socket; empty

private:
    void write_config();
    void start();
    bool answers();
    std::string last_words() const;  // of its log

    std::filesystem::path folder_;
    std::uint16_t port_;
    std::vector<std::string> lines_;
    pid_t pid_ = -1;
    std::unique_ptr<resp_client> client_;
};

}  // namespace holdfast::test

#endif
