//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Step 5 of docs/tutorial.md: a TCP server. Each connection counts up a number that all processes of the service share.
//
//     holdfast_example_tutorial_server [URL [PORT]]

#include <chrono>
#include <csignal>
#include <iostream>
#include <string>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

// Serves one connection: it holds the lock while it works, and waits for the lock for 500 ms at most.
asio::awaitable<void> serve(tcp::socket socket, holdfast::client& client)
{
    holdfast::mutex lock{client, "counter"};
    auto [error, lease] = co_await lock.try_acquire({.wait = 500ms}, asio::as_tuple);
    std::string answer = "done\n";
    if (error)
        answer = "failed: " + error.message() + '\n';  // for example: Redis cannot be reached
    else if (!lease)
        answer = "busy\n";
    // Here the server would read, change and write the shared number.
    co_await asio::async_write(socket, asio::buffer(answer), asio::as_tuple);
}  // the lease goes out of scope, which releases the lock

asio::awaitable<void> listen(tcp::acceptor& acceptor, holdfast::client& client)
{
    for (;;) {
        auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple);
        if (error)
            co_return;  // the acceptor was closed
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), client), asio::detached);
    }
}

asio::awaitable<void> shut_down_on_signal(tcp::acceptor& acceptor, holdfast::client& client)
{
    asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
    co_await signals.async_wait();
    acceptor.close();
    co_await client.shutdown({.grace = 5s});  // waits until the leases have been released
    std::cout << "the server has ended" << std::endl;
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    auto const port = static_cast<unsigned short>(argc > 2 ? std::stoi(argv[2]) : 8000);
    tcp::acceptor acceptor(ioc, {tcp::v4(), port});
    asio::co_spawn(ioc, listen(acceptor, client), asio::detached);
    asio::co_spawn(ioc, shut_down_on_signal(acceptor, client), asio::detached);
    std::cout << "port " << acceptor.local_endpoint().port() << std::endl;
    ioc.run();
}
