//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_PROXY_HPP
#define HOLDFAST_TEST_SUPPORT_PROXY_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::test {

// A TCP proxy on a free port of 127.0.0.1 before a server's UNIX socket, with a thread of its own. Each switch holds
// for all its connections, those to come included, until it is set again. Any thread may call.
class proxy {
public:
    enum class direction { to_server, to_client };

    explicit proxy(std::string const& socket_path);
    ~proxy();
    proxy(proxy const&) = delete;
    proxy& operator=(proxy const&) = delete;

    std::uint16_t port() const;
    std::string url() const;  // redis://127.0.0.1:port

    // What comes is taken and lost: the sender sees nothing wrong.
    void drop(direction, bool = true);

    // Both directions: as if a cable were out.
    void black_hole(bool = true);

    // What comes is passed on in order, so much later.
    void delay(direction, std::chrono::milliseconds);

    // At most so many bytes at a time; 0: as they come.
    void slice(std::size_t);

    // Closes every connection, by RST if asked.
    void cut(bool reset = false);

    // Ends what drop() and black_hole() began, as a network does: what was lost stays lost with its connections.
    void heal();

    // New connections are closed at once.
    void refuse(bool = true);

    // How many connections were made so far, refused ones included.
    std::uint64_t accepted() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace holdfast::test

#endif
