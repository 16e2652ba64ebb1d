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

// A TCP proxy on a free port of 127.0.0.1 in front of a server's UNIX socket, with a thread of its own. Each switch
// applies to all its connections, including future ones, until it is set again. Any thread may call.
class proxy {
public:
    enum class direction { to_server, to_client };

    explicit proxy(std::string const& socket_path);
    ~proxy();
    proxy(proxy const&) = delete;
    proxy& operator=(proxy const&) = delete;

    std::uint16_t port() const;
    std::string url() const;  // redis://127.0.0.1:port

    // Data is accepted and lost, and the sender notices nothing.
    void drop(direction, bool = true);

    // drop() in both directions: as if a cable were disconnected.
    void black_hole(bool = true);

    // Data is passed on in order, later by this time.
    void delay(direction, std::chrono::milliseconds);

    // Passes on at most this number of bytes at a time; 0: as they come.
    void slice(std::size_t);

    // Closes every connection; with `reset` by RST.
    void cut(bool reset = false);

    // Ends drop() and black_hole() as a network does: the data that was lost stays lost, and so do its connections.
    void heal();

    // Closes new connections at once.
    void refuse(bool = true);

    // The number of connections so far, refused ones included.
    std::uint64_t accepted() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace holdfast::test

#endif
