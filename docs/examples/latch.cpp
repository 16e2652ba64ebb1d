//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A latch: a task waits until three others have done their part, or one calls it off. See docs/latch.md.
//
//     holdfast_example_latch [URL]

#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(holdfast::latch parts)
{
    co_await parts.count_down();
}

asio::awaitable<void> await_report(holdfast::latch parts)
{
    auto const [ec, is_open] = co_await parts.wait(asio::as_tuple);
    if (ec == holdfast::errc::latch_removed)
        std::cout << "the report was called off\n";
}

asio::awaitable<void> run(holdfast::client& client)
{
    holdfast::latch parts{client, "parts of the report"};
    co_await parts.set(3);
    for (int i = 0; i < 3; ++i)
        asio::co_spawn(co_await asio::this_coro::executor, work(parts), asio::detached);
    co_await parts.wait();
    std::cout << "all parts are there\n";

    co_await parts.set(3);
    co_await parts.remove();
    co_await await_report(parts);
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
