//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Runs a coroutine while it holds a lock. Needs a Redis or Valkey server on this host.

#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex nightly{client, "nightly"};
    co_await holdfast::with_lock(nightly, [&](holdfast::lease&) -> asio::awaitable<void> {
        std::cout << "nobody else is in here\n";  // cancelled if the lease is lost
        co_return;
    });
    co_await client.shutdown();
}

int main()
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = "redis://localhost"}};
    client.run(asio::detached);  // connects, and again after each loss of the connection, until shutdown()
    asio::co_spawn(ioc, work(client), asio::detached);
    ioc.run();
}
