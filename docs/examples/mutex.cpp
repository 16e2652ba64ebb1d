//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// README's program: runs a coroutine while it holds a lock. Needs a Redis or Valkey server.
//
//     holdfast_example_mutex [URL]

#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex nightly{client, "nightly"};
    co_await holdfast::with_lock(nightly, [&](holdfast::lease&) -> asio::awaitable<void> {
        std::cout << "no other process is in here\n";  // this coroutine is cancelled if the lease is lost
        co_return;
    });
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);  // connects, and again after each loss of the connection, until shutdown()
    asio::co_spawn(ioc, work(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
