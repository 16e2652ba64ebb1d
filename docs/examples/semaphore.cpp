//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A semaphore, and a lease of several of its permits. See docs/semaphore.md.
//
//     holdfast_example_semaphore [URL]

#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::semaphore gpus{client, "gpus", {.permits = 8}};
    auto lease = co_await gpus.acquire({.weight = 4});
    auto const count = co_await gpus.permits();
    std::cout << count.held << " of " << count.total << " GPUs are in use\n";
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
