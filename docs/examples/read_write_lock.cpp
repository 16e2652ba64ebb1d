//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Reads, then writes, then reads on without a gap in which another contender could write. See docs/read_write_lock.md.
//
//     holdfast_example_read_write_lock [URL]

#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::read_write_lock doc{client, "doc:1", client.make_owner()};
    auto reader = co_await doc.read().acquire();
    co_await reader.release();  // an owner that reads cannot write: errc::would_deadlock
    auto writer = co_await doc.write().acquire();
    auto after = co_await writer.downgrade();  // a read; no other contender wrote in between
    std::cout << (after ? "reads what it has written\n" : "lost\n");
    co_await after.release();
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
