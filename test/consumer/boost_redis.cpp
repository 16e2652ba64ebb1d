//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// A user's program with a Boost.Redis of its own: it reads and writes a value under a lock of Holdfast, both by the
// UNIX socket that its argument names. Holdfast opens the first socket of the io_context. At the end the program
// catches an exception of the library and compares its error.

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/redis/connection.hpp>
#include <boost/redis/src.hpp>
#include <boost/system/system_error.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
namespace redis = boost::redis;

namespace {

asio::awaitable<void> count(redis::connection& connection, holdfast::client& client)
{
    co_await client.ready();
    holdfast::mutex const lock{client, "counter:lock"};
    auto lease = co_await lock.acquire();
    redis::request request;
    request.push("INCR", "counter");
    redis::response<int> reply;
    co_await connection.async_exec(request, reply);
    if (std::get<0>(reply).value() != 1)
        throw std::runtime_error("the counter is not 1");
    co_await lease.release();

    client.stop();
    try {
        co_await lock.acquire();
    } catch (boost::system::system_error const& e) {
        if (e.code() == holdfast::errc::client_stopped && e.code() == holdfast::cond::stopped)
            co_return;
    }
    throw std::runtime_error("a stopped client does not say so");
}

void run(std::string const& socket)
{
    asio::io_context context;
    holdfast::client client{context, {.url = "unix://" + socket}};
    client.run(asio::detached);

    redis::connection connection(context, redis::logger(redis::logger::level::disabled));
    redis::config config;
    config.unix_socket = socket;
    connection.async_run(config, asio::detached);

    std::exception_ptr failure;
    asio::co_spawn(context, count(connection, client), [&](std::exception_ptr e) {
        failure = e;
        client.stop();
        connection.cancel();
    });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
}

}  // namespace

int main(int, char** argv)
{
    try {
        run(argv[1]);
        std::cout << "counted under a lock\n";
    } catch (std::exception const& e) {
        std::cout << "failed: " << e.what() << '\n';
        return 1;
    }
}
