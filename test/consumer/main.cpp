//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// A user's program: acquires and releases a lock of the in-process server. With the argument `--without-testing` it
// expects the error of a program that is not linked with holdfast::testing.

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

namespace {

asio::awaitable<void> lock_once(holdfast::client& client)
{
    holdfast::mutex const seat{client, "seat"};
    auto lease = co_await seat.acquire();
    if (!lease)
        throw std::runtime_error("an acquired lease is not valid");
    co_await lease.release();
    client.stop();
}

void run()
{
    holdfast::config cfg;
    cfg.url = "memory://";
    asio::io_context context;
    holdfast::client client{context, cfg};
    client.run(asio::detached);

    std::exception_ptr failure;
    asio::co_spawn(context, lock_once(client), [&](std::exception_ptr e) {
        failure = e;
        client.stop();
    });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
}

}  // namespace

int main(int argc, char** argv)
{
    bool const without_testing = argc > 1 && argv[1] == std::string_view("--without-testing");
    try {
        run();
        std::cout << "locked and released\n";
        return without_testing ? 1 : 0;
    } catch (std::invalid_argument const& e) {
        std::cout << "refused: " << e.what() << '\n';
        std::string_view const error = e.what();
        bool const clear = error.find("memory://") != error.npos && error.find("holdfast::testing") != error.npos;
        return without_testing && clear ? 0 : 1;
    } catch (std::exception const& e) {
        std::cout << "failed: " << e.what() << '\n';
        return 1;
    }
}
