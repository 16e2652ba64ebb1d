//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Releases all locks before the process ends by SIGINT or SIGTERM. The second signal ends it at once, and the keys
// expire. See docs/shutdown.md.
//
//     holdfast_example_shutdown [URL]

#include <chrono>
#include <csignal>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> shut_down_on_signal(holdfast::client& client)
{
    asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
    co_await signals.async_wait();
    signals.async_wait([&](auto ec, int) {
        if (!ec)
            client.stop();
    });
    co_await client.shutdown({.grace = 10s, .cancel_after = 8s});
}

// A job that runs while the lock is held. with_lock() cancels it if the lease is lost, or 8 s after the signal.
asio::awaitable<void> one_job(holdfast::lease&)
{
    std::cout << "a job runs" << std::endl;
    asio::steady_timer job(co_await asio::this_coro::executor, 1s);
    co_await job.async_wait();
}

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex jobs{client, "jobs"};
    try {
        for (;;)
            co_await holdfast::with_lock(jobs, one_job);
    } catch (boost::system::system_error const& e) {
        std::cout << e.code().message() << '\n';  // errc::client_stopped: the shutdown ends the loop
    }
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, shut_down_on_signal(client), asio::detached);
    asio::co_spawn(ioc, work(client), asio::detached);
    ioc.run();
}
