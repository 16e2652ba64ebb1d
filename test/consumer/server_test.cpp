//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// A user's test: another program holds a lock of the in-process server, and then releases it.

#include <iostream>

#include <boost/asio/io_context.hpp>

#include <holdfast/testing/server.hpp>

int main()
{
    boost::asio::io_context context;
    holdfast::testing::server redis(context);
    redis.hold("seat");
    bool const held = redis.is_locked("seat");
    redis.release("seat");
    bool const free = !redis.is_locked("seat");
    std::cout << (held && free ? "held and released\n" : "failed\n");
    return held && free ? 0 : 1;
}
