//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CONFORMANCE_RESP_PEER_HPP
#define HOLDFAST_TEST_CONFORMANCE_RESP_PEER_HPP

#include <string>
#include <vector>

#include "testing/value.hpp"

namespace holdfast::test {

// A blocking connection to a real server that keeps what the model distinguishes: a status from a bulk string, a push
// from a reply. RESP2 for commands, because scripts see replies so; RESP3 for pushes.
class resp_peer {
public:
    enum class protocol { resp2, resp3 };

    resp_peer(std::string const& socket_path, protocol);
    ~resp_peer();
    resp_peer(resp_peer const&) = delete;
    resp_peer& operator=(resp_peer const&) = delete;

    void send(simulated::words);

    // The next thing the server says, push or reply.
    struct said {
        bool is_push;
        simulated::value what;
    };
    said read();

    // One command and its reply; pushes before it are kept in pushes().
    simulated::value command(simulated::words);
    std::vector<simulated::value>& pushes() noexcept { return pushes_; }

private:
    std::string read_line();
    simulated::value read_value(std::string const& line);
    std::string read_bytes(std::size_t);
    void fill();

    int fd_;
    std::string buffer_;
    std::vector<simulated::value> pushes_;
};

}  // namespace holdfast::test

#endif
