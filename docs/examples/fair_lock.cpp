//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A fair_lock with priorities, and its queue. See docs/fair_lock.md.
//
//     holdfast_example_fair_lock [URL]

#include <chrono>
#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::fair_lock printer{client, "printer", {.waiter_timeout = 5s}};
    auto lease = co_await printer.acquire({.priority = 8});
    for (auto const& waiter : co_await printer.waiters())
        std::cout << waiter.id << (waiter.mine ? " of this client" : "") << ", priority " << waiter.priority << '\n';
    std::cout << "the printer is ours, those above wait\n";
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
