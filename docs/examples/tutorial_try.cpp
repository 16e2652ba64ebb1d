//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Step 2 of docs/tutorial.md: waits for a limited time, and does something else if the lock is busy.
//
//     holdfast_example_tutorial_try [URL]

#include <chrono>
#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> try_report(holdfast::client& client)
{
    holdfast::mutex lock{client, "report"};
    auto lease = co_await lock.try_acquire({.wait = 200ms});
    if (lease)
        std::cout << "this process writes the report" << std::endl;
    else
        std::cout << "another process writes the report" << std::endl;
}

asio::awaitable<void> twice(holdfast::client& client)
{
    holdfast::mutex lock{client, "report"};
    auto lease = co_await lock.acquire();
    co_await try_report(client);  // the lock is busy: `lease` holds it
    co_await lease.release();
    co_await try_report(client);  // the lock is free
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, twice(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
