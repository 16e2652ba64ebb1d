//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One lock over five independent servers. See docs/red_lock.md.
//
//     holdfast_example_red_lock [URL URL URL URL URL]

#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> work(std::vector<holdfast::client>& clients)
{
    holdfast::red_lock nightly{clients, "nightly"};
    auto lease = co_await nightly.acquire();  // held while three of the five hold it
    std::cout << (lease ? "a majority has granted the lock\n" : "lost\n");
    co_await lease.release();
    for (auto& each : clients)
        co_await each.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    std::vector<holdfast::client> clients;
    for (int i = 1; i <= 5; ++i) {
        // A server that has just started does not count for this lease time.
        holdfast::config each{.url = i < argc ? argv[i] : "redis://redis" + std::to_string(i), .lease = 2s};
        clients.emplace_back(ioc, each).run(asio::detached);
    }
    asio::co_spawn(ioc, work(clients), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
