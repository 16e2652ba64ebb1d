//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A semaphore: a lease of several of its permits, permits with numbers, and a rate limit. See docs/semaphore.md.
//
//     holdfast_example_semaphore [URL]

#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::semaphore gpus{client, "gpus", {.permits = 8}};
    auto lease = co_await gpus.acquire({.weight = 4});
    auto const count = co_await gpus.permits();
    std::cout << count.held << " of " << count.total << " GPUs are in use\n";
    co_await lease.release();
}

asio::awaitable<void> call_service(holdfast::client& client)
{
    holdfast::semaphore calls{client, "calls of the service", {.permits = 100, .fair = true}};
    auto const lease = co_await calls.acquire({.at_least = 1s});
    std::cout << "at most 100 calls begin within any second\n";
}

asio::awaitable<void> be_a_worker(holdfast::client& client)
{
    holdfast::semaphore slots{client, "slots", {.permits = 16, .numbered = true}};
    auto const slot = co_await slots.acquire();
    std::cout << "worker " << slot.number().value() << " has token " << slot.fencing_token().value() << '\n';
}

asio::awaitable<void> run(holdfast::client& client)
{
    co_await work(client);
    co_await be_a_worker(client);
    co_await call_service(client);
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, run(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
