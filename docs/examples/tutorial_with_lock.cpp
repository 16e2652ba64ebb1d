//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Step 3 of docs/tutorial.md: the work ends when the lease is lost.
//
//     holdfast_example_tutorial_with_lock [URL]

#include <chrono>
#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// The work: it would take an hour.
asio::awaitable<void> write_report(holdfast::lease&)
{
    asio::steady_timer work(co_await asio::this_coro::executor, 1h);
    co_await work.async_wait();
}

asio::awaitable<void> report(holdfast::client& client)
{
    holdfast::mutex lock{client, "report"};
    try {
        co_await holdfast::with_lock(lock, {.lease = 1s}, write_report);
        std::cout << "the report is complete" << std::endl;
    } catch (boost::system::system_error const& e) {
        if (e.code() != holdfast::errc::lease_lost)
            throw;
        std::cout << "the lease was lost, and the report was stopped" << std::endl;
    }
    co_await client.shutdown();
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
