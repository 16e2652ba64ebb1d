//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A schedule that runs on one of several hosts. All hosts start this program; the one that holds the lock runs the job.
// When its process ends, however it ends, another takes over.
//
//     cron_singleton [URL [PERIOD_MS]]

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Runs the job at each multiple of the period. It returns only by cancellation: when the lease is lost, or at the end of
// the process.
asio::awaitable<void> run_schedule(milliseconds period)
{
    asio::system_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        auto const number = std::chrono::system_clock::now().time_since_epoch() / period + 1;
        timer.expires_at(std::chrono::system_clock::time_point(number * period));
        co_await timer.async_wait();
        std::cout << "job " << number << std::endl;
    }
}

asio::awaitable<void> take_part(holdfast::client& client, milliseconds period)
{
    holdfast::mutex lock{client, "cron:report"};
    asio::steady_timer pause{co_await asio::this_coro::executor};
    auto const schedule = [period](holdfast::lease&) { return run_schedule(period); };
    for (;;) {
        try {
            // Waits until this process is the one. The others take over 2 s after it was killed, or at once after a
            // shutdown.
            co_await holdfast::with_lock(lock, {.wait = milliseconds::max(), .lease = 2s, .renew = true}, schedule);
        } catch (boost::system::system_error const& e) {
            if (e.code() == holdfast::errc::client_stopped)
                co_return;
            std::cerr << e.what() << std::endl;  // for example: lock "cron:report": the lease was lost
        }
        pause.expires_after(1s);  // a server that refuses the lock refuses it at once
        co_await pause.async_wait();
    }
}

// shutdown() cancels the schedule, and waits until its lock is released.
asio::awaitable<void> shut_down_on_signal(holdfast::client& client)
{
    asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
    co_await signals.async_wait();
    co_await client.shutdown({.grace = 5s});
}

int main(int argc, char** argv)
try {
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    milliseconds const period{argc > 2 ? std::stoi(argv[2]) : 60'000};
    asio::co_spawn(ioc, take_part(client, period), asio::detached);
    asio::co_spawn(ioc, shut_down_on_signal(client), asio::detached);
    ioc.run();
    std::cout << "the schedule has ended\n";
} catch (std::exception const& e) {
    std::cerr << "cron_singleton: " << e.what() << '\n';
    return 1;
}
