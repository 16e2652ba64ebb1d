//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a lease can do.
//
//     holdfast_example_lease [URL]

#include <chrono>
#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex lock{client, "lease"};

    auto lease = co_await lock.acquire();  // waits as long as it takes; the client renews the lease
    co_await lease.release();              // or let it go out of scope

    // With a lease time of its own a lease is fixed: it is not renewed, unless `.renew = true` is given, too.
    lease = co_await lock.acquire({.lease = 10s});
    // Waits for 500 ms at most. An empty lease: the lock is busy.
    auto other = co_await lock.try_acquire({.wait = 500ms});
    if (lease && !other)             // held, by the clock, now
        co_await lease.extend(20s);  // counted from now
    co_await lease.release();

    lease = co_await lock.acquire({.lease = 200ms});
    holdfast::loss why = co_await lease.lost();  // completes when the lease is lost, with the reason
    std::cout << (why == holdfast::loss::expired ? "the lease has expired\n" : "the lease was lost\n");

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
