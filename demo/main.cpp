//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// The flash sale: four processes with 250 buyers each compete for 100 items. Each buyer reads the stock, pays, and
// writes the stock less one. The first sale uses no lock, the second one a holdfast::mutex. In the third one a process
// is killed and another one is stopped while it holds the lock. The exit status is 0 if all checks succeed. The script
// scripts/demo runs this program.

#include <cstdio>
#include <exception>
#include <signal.h>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "private_redis.hpp"
#include "progress.hpp"
#include "sale.hpp"
#include "seller_process.hpp"
#include "table.hpp"

namespace demo {
namespace {

using namespace std::chrono_literals;

constexpr auto short_lease = 1s;

asio::awaitable<results> hold_all(std::string const socket, progress& p)
{
    results r;
    r.lease_when_hurt = short_lease;
    sale_options first;
    first.title = "[1/3] without a lock";
    first.socket = socket;
    first.name = "1";
    first.guard = guard::none;
    r.unguarded = co_await hold_sale(first, p);

    sale_options second = first;
    second.title = "[2/3] with holdfast::mutex";
    second.name = "2";
    second.guard = guard::lock;
    r.locked = co_await hold_sale(second, p);

    sale_options third = second;
    third.title = "[3/3] with a kill -9 and a kill -STOP";
    third.name = "3";
    third.guard = guard::lock_and_token;
    third.lease = short_lease;
    third.killed = 1;
    third.stopped = 2;
    r.hurt = co_await hold_sale(third, p);
    co_return r;
}

int run()
{
    std::printf(
        "%d processes with %d buyers each, %d items. A buyer reads the stock, pays, and writes the stock less one;\n"
        "the stock is a plain key in Redis: GET, a pause of 2 ms, SET.\n\n",
        processes,
        buyers_per_process,
        goods);
    private_redis const server;
    progress p;
    int status = 128 + SIGINT;
    std::exception_ptr failure;

    asio::io_context context(1);
    asio::signal_set interruptions(context, SIGINT, SIGTERM);
    interruptions.async_wait([&](boost::system::error_code ec, int signal) {
        if (ec)
            return;
        status = 128 + signal;
        context.stop();
    });
    asio::co_spawn(context, hold_all(server.socket(), p), [&](std::exception_ptr e, results const& r) {
        context.stop();
        failure = e;
        if (e)
            return;
        print_table(r);
        bool const good = check(r);
        print_end(good);
        status = good ? 0 : 1;
    });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
    return status;
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv)
{
    std::vector<std::string> const words(argv + 1, argv + argc);
    try {
        if (!words.empty() && words.front() == "seller")
            return demo::run_seller(demo::from_words({words.begin() + 1, words.end()}));
        return demo::run();
    } catch (std::exception const& e) {
        std::fprintf(stderr, "demo: %s\n", e.what());
        return 1;
    }
}
