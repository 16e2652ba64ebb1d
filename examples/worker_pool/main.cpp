//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A pool of workers, in any number of processes, that share one printer. Jobs are served in the order of their arrival;
// a job of higher priority precedes those of lower ones.
//
//     worker_pool [URL] <JOBS          each line is a job: PRIORITY NAME, for example `5 invoice`

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> print(holdfast::lease&)
{
    asio::steady_timer printer(co_await asio::this_coro::executor, 200ms);
    co_await printer.async_wait();
}

asio::awaitable<void> work(holdfast::client& client, int priority, std::string name)
{
    holdfast::fair_lock printer{client, "printer", {.waiter_timeout = 5s}};
    try {
        co_await holdfast::with_lock(printer, {.wait = std::chrono::milliseconds::max(), .priority = priority}, print);
        std::cout << "printed " << name << std::endl;
    } catch (boost::system::system_error const& e) {
        std::cout << "not printed " << name << ": " << e.what() << std::endl;
    }
}

void start(holdfast::client& client, asio::any_io_executor const& on, std::string_view line)
{
    std::istringstream words{std::string(line)};
    int priority = 0;
    std::string name;
    if (words >> priority >> name)
        asio::co_spawn(on, work(client, priority, name), asio::detached);
    else
        std::cout << "not a job: " << line << std::endl;
}

asio::awaitable<void> read_jobs(holdfast::client& client)
{
    auto const executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor input(executor, ::dup(STDIN_FILENO));
    std::string text;
    for (;;) {
        auto const [end, size] = co_await asio::async_read_until(
            input, asio::dynamic_buffer(text), '\n', asio::as_tuple);
        if (end)
            co_return;
        start(client, executor, std::string_view(text).substr(0, size - 1));
        text.erase(0, size);
    }
}

// Jobs that wait end with errc::client_stopped. The one that is printed has ten seconds to finish.
asio::awaitable<void> shut_down_on_signal(asio::io_context& ioc, holdfast::client& client)
{
    asio::signal_set signals(ioc, SIGINT, SIGTERM);
    co_await signals.async_wait();
    co_await client.shutdown({.grace = 11s, .cancel_after = 10s});
    asio::post(ioc, [&] { ioc.stop(); });  // after the completion of the jobs
}

int main(int argc, char** argv)
try {
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, read_jobs(client), asio::detached);
    asio::co_spawn(ioc, shut_down_on_signal(ioc, client), asio::detached);
    ioc.run();
    std::cout << "the pool has ended\n";
} catch (std::exception const& e) {
    std::cerr << "worker_pool: " << e.what() << '\n';
    return 1;
}
