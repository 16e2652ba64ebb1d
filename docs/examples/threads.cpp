//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a program does after an operation has completed with an error. See docs/threads.md.
//
//     holdfast_example_threads [URL]

#include <chrono>
#include <exception>
#include <iostream>
#include <string_view>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

std::string_view next_step(holdfast::error_code ec)
{
    if (ec == holdfast::cond::retry_later)  // busy, unavailable, no_quorum, server_refused
        return "the same call may succeed later";
    if (ec == holdfast::cond::ownership_lost)  // lease_lost
        return "another holder may have worked meanwhile: check before you repeat the work";
    if (ec == holdfast::cond::misconfigured)  // wrong_type, not_permitted, protocol
        return "an operator has to act";
    if (ec == holdfast::cond::stopped)  // client_stopped
        return "the client was stopped: end, or make another one";
    if (ec == holdfast::cond::misuse)  // all others
        return "the program has to be corrected";
    return "the operation was called off";  // boost::asio::error::operation_aborted, latch_removed
}

asio::awaitable<void> two_mistakes(holdfast::mutex lock)
{
    try {
        auto lease = co_await lock.acquire({.lease = 5ms});
    } catch (holdfast::error const& e) {
        std::cout << e.what() << '\n';  // lock "threads": lease: must be at least 100 ms: an option is invalid ...
    }
    holdfast::diagnostics diagnostics;
    auto [ec, lease] = co_await lock.acquire({.lease = 5ms}, holdfast::bind_diagnostics(diagnostics, asio::as_tuple));
    if (ec)
        std::cout << diagnostics.message() << '\n';  // lock "threads": lease: must be at least 100 ms
}

// A holder that is late: it releases its lease after the end of its validity.
asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex lock{client, "threads"};
    auto lease = co_await lock.acquire({.lease = 200ms});
    co_await lease.lost();
    auto const [ec] = co_await lease.release(asio::as_tuple);
    std::cout << ec.message() << ": " << next_step(ec) << '\n';
    co_await two_mistakes(lock);
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
