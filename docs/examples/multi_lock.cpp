//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Two locks as one. See docs/multi_lock.md.
//
//     holdfast_example_multi_lock [URL]

#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex from{client, "account:1"}, to{client, "account:2"};
    holdfast::multi_lock both{from, to};
    auto lease = co_await both.acquire();  // both or none, in any order of names
    std::cout << (lease ? "both accounts are locked\n" : "lost\n");
    co_await lease.release();
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, work(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
