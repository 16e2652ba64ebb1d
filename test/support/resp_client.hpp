//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_RESP_CLIENT_HPP
#define HOLDFAST_TEST_SUPPORT_RESP_CLIENT_HPP

#include <string>
#include <string_view>
#include <vector>

#include "sim/value.hpp"

namespace holdfast::test {

// A blocking client over a UNIX socket, with which a test observes the server beside the code under test. It keeps the
// distinctions that the model of a server makes: a status from a bulk string, a push from a reply. Throws
// std::runtime_error if the connection fails or nothing arrives for ten seconds.
class resp_client {
public:
    enum class protocol { resp2, resp3 };  // scripts see replies as in RESP2; pushes need RESP3

    explicit resp_client(std::string const& socket_path) : resp_client(socket_path, protocol::resp2) {}
    resp_client(std::string const& socket_path, protocol);
    ~resp_client();
    resp_client(resp_client const&) = delete;
    resp_client& operator=(resp_client const&) = delete;

    // Sends one command and returns its reply; pushes before it are dropped.
    simulated::value command(simulated::words);
    simulated::value command(std::vector<std::string> const&);

    void send(simulated::words);

    // The next push or reply of the server.
    struct said {
        bool is_push;
        simulated::value what;
    };
    said read();

private:
    simulated::value read_value(std::string const& line);
    std::string read_line();
    std::string read_bytes(std::size_t);
    void fill();

    int fd_;
    std::string buffer_;
};

}  // namespace holdfast::test

#endif
