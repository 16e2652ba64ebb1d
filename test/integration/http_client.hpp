//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_INTEGRATION_HTTP_CLIENT_HPP
#define HOLDFAST_TEST_INTEGRATION_HTTP_CLIENT_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::test {

// A blocking connection to a port of 127.0.0.1 that sends exactly the bytes that a test gives it.
class raw_connection {
public:
    explicit raw_connection(std::uint16_t port);
    ~raw_connection();
    raw_connection(raw_connection&& other) noexcept;
    raw_connection& operator=(raw_connection&&) = delete;

    void send(std::string const& bytes);

    // Reads until the other side closes the connection, or until `text` has been read; throws std::runtime_error if
    // neither happens in 30 s.
    std::string read_all() { return read_until(""); }
    std::string read_until(std::string const& text);

private:
    int fd_;
    std::string read_;
};

struct http_reply {
    int status = 0;  // 0: closed without a reply
    std::string head;
    std::string body;
};

// Splits what a server has sent.
http_reply to_reply(std::string const& bytes);

// Sends one request on a connection of its own. The fields are lines such as "Origin: http://localhost"; without a line
// for Host it gets the right one.
http_reply http_request(
    std::uint16_t port,
    std::string const& method,
    std::string const& target,
    std::vector<std::string> const& fields = {},
    std::string const& body = "");

}  // namespace holdfast::test

#endif
