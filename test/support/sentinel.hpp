//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SENTINEL_HPP
#define HOLDFAST_TEST_SUPPORT_SENTINEL_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "support/redis_server.hpp"

namespace holdfast::test {

struct sentinel_options {
    std::string password = {};            // of the master
    std::string own_password = {};        // of the sentinel
    unsigned quorum = 1;                  // so many sentinels must agree that the master is down
    std::uint16_t own_port = 0;           // 0: a free one
    std::uint16_t port = 0;               // by which clients reach it; 0: that without TLS
    std::uint16_t master_port = 0;        // the same of the master
    std::vector<std::string> lines = {};  // more lines of sentinel.conf
};

// A private redis-sentinel that monitors one master, named "mymaster". It has answered when the constructor returns.
class sentinel {
public:
    explicit sentinel(redis_server const& master, sentinel_options = {});
    ~sentinel();
    sentinel(sentinel const&) = delete;
    sentinel& operator=(sentinel const&) = delete;

    std::string host() const;  // 127.0.0.1:port
    simulated::value command(std::vector<std::string> const& words) const;

    // Tells clients that the master is there from now on, whatever the truth is.
    void announce(std::uint16_t port) const;
    // The port of the master that it tells clients.
    std::uint16_t announced() const;
    // How often a client has connected.
    std::int64_t connections() const;
    void kill();
    // It accepts connections and does not answer any more.
    void freeze() const;
    // Begins a planned failover of a master that is well. False: it knows no replica that could take over.
    bool fail_over() const { return command({"SENTINEL", "FAILOVER", "mymaster"}).text == "OK"; }
    // It knows so many sentinels and replicas, and a majority can decide.
    bool knows(unsigned sentinels, std::size_t replicas) const;
    // Forgets the sentinels and replicas that it knows, and looks for those that are there.
    void reset() const { command({"SENTINEL", "RESET", "mymaster"}); }

private:
    std::string socket() const { return folder_ / "sentinel.sock"; }
    bool answers() const;

    std::filesystem::path folder_;
    std::uint16_t port_;
    std::uint16_t announced_port_;
    std::string own_password_;
    pid_t pid_ = -1;
    mutable std::unique_ptr<resp_client> client_;  // connections are counted
};

// redis+sentinel:// with those sentinels.
std::string sentinel_url(std::vector<std::string> const& hosts, std::string const& scheme = "redis+sentinel");

}  // namespace holdfast::test

#endif
