//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Step 1 of docs/tutorial.md: acquires a lock, holds it, and releases it.
//
//     holdfast_example_tutorial_mutex [URL]

#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> report(holdfast::client& client)
{
    holdfast::mutex lock{client, "report"};
    auto lease = co_await lock.acquire();  // suspends this coroutine, not the thread
    std::cout << "this process writes the report" << std::endl;
    co_await lease.release();
    co_await client.shutdown();  // client.run() ends, and then ioc.run()
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, report(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
