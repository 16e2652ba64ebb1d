//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_RESP_CLIENT_HPP
#define HOLDFAST_TEST_SUPPORT_RESP_CLIENT_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

// What a server answered, in RESP2.
struct resp_value {
    enum class kind { nil, integer, text, error, array };

    kind type = kind::nil;
    std::int64_t integer = 0;
    std::string text;  // of a text or an error
    std::vector<resp_value> items;

    bool is_nil() const { return type == kind::nil; }
    bool is_error() const { return type == kind::error; }
};

// A blocking client over a UNIX socket, so that a test can look at the server behind the back of what it tests.
// Throws std::runtime_error when the connection fails or nothing comes for ten seconds.
class resp_client {
public:
    explicit resp_client(std::string const& socket_path);
    ~resp_client();
    resp_client(resp_client const&) = delete;
    resp_client& operator=(resp_client const&) = delete;

    resp_value command(std::vector<std::string> const& words);

private:
    resp_value read_value();
    std::string read_line();
    std::string read_bytes(std::size_t);
    void fill();

    int fd_;
    std::string buffer_;
};

}  // namespace holdfast::test

#endif
