//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A worker whose locks Prometheus can watch.
//
//     metrics [URL [PORT]]

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include <boost/asio.hpp>
#include <prometheus/exposer.h>

#include <holdfast.hpp>
#include <holdfast/prometheus.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> one_job(holdfast::lease&)
{
    asio::steady_timer job(co_await asio::this_coro::executor, 20ms);
    co_await job.async_wait();
}

asio::awaitable<void> work(holdfast::client& client)
{
    holdfast::mutex lock{client, "job"};
    try {
        for (;;)
            co_await holdfast::with_lock(lock, one_job);
    } catch (boost::system::system_error const& e) {
        std::cout << e.code().message() << '\n';  // errc::client_stopped: the shutdown ends the loop
    }
}

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

    auto const metrics = std::make_shared<holdfast::prometheus_collector>();
    metrics->add("worker", client);
    // It answers scrapes on a thread of its own. Declared after the client, so it ends before it.
    prometheus::Exposer exposer{"127.0.0.1:" + std::string(argc > 2 ? argv[2] : "9100")};
    exposer.RegisterCollectable(metrics);
    std::cout << "port " << exposer.GetListeningPorts().front() << std::endl;

    asio::co_spawn(ioc, work(client), asio::detached);
    asio::co_spawn(ioc, shut_down_on_signal(client), asio::detached);
    ioc.run();
} catch (std::exception const& e) {
    std::cerr << "metrics: " << e.what() << '\n';
    return 1;
}
