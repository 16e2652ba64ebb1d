//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A client whose password changes: it asks a provider for each connection, and again before the password ends. See
// docs/operations.md.
//
//     holdfast_example_credentials [URL]

#include <chrono>
#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// In the place of the timer: a request to the service that issues the tokens.
asio::awaitable<holdfast::credentials> fetch_token(holdfast::credentials_request)
{
    asio::steady_timer request(co_await asio::this_coro::executor, 10ms);
    co_await request.async_wait();
    co_return holdfast::credentials{.user = "default", .password = "token", .valid_for = 15min};
}

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex nightly{client, "nightly"};
    {
        auto lease = co_await nightly.acquire();
        std::cout << "the server has accepted the token\n";
        co_await lease.release();
    }
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::config config{.url = argc > 1 ? argv[1] : "redis://localhost"};
    config.credentials = holdfast::coroutine_provider(fetch_token);
    holdfast::client client{ioc, config};
    client.run(asio::detached);
    asio::co_spawn(ioc, work(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
