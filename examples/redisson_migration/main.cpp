//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The C++ service that takes over from OrderService.java. While both run, they number orders from one file, under the
// same lock.
//
//     order_service FILE COUNT [URL]

#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

void number_an_order(std::string const& file)
{
    long last = 0;
    std::ifstream(file) >> last;
    std::ofstream(file) << last + 1 << '\n';
}

asio::awaitable<void> work(holdfast::client& client, std::string file, int count)
{
    // The data of Redisson's RLock. Like an RLock of a thread, it is held by an owner, who may acquire it again.
    holdfast::reentrant_lock orders{client, "orders", client.make_owner("order service")};
    for (int i = 0; i < count; ++i) {
        auto lease = co_await orders.acquire();
        number_an_order(file);
        co_await lease.release();
    }
    co_await client.shutdown();
}

int main(int argc, char** argv)
try {
    if (argc < 3) {
        std::cerr << "usage: order_service FILE COUNT [URL]\n";
        return 2;
    }
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 3 ? argv[3] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, work(client, argv[1], std::stoi(argv[2])), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
    std::cout << "done\n";
} catch (std::exception const& e) {
    std::cerr << "order_service: " << e.what() << '\n';
    return 1;
}
