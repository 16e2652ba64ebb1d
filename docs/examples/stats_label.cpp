//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Statistics by a label that the program makes of the names of its locks.
//
//     holdfast_example_stats_label [URL]

#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(holdfast::client& client)
{
    for (auto const* name : {"orders:1", "orders:2", "stock:1"}) {
        auto lease = co_await holdfast::mutex{client, name}.acquire();
        co_await lease.release();
    }
    for (auto const& part : client.stats().parts)
        std::cout << to_string(part.kind) << ' ' << part.label << ": " << part.acquired << '\n';
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::config config;
    config.stats_label = [](std::string_view name) { return std::string(name.substr(0, name.find(':'))); };
    config.max_stats_labels = 10;  // further labels count as "other"
    config.url = argc > 1 ? argv[1] : "redis://localhost";
    holdfast::client client{ioc, config};
    client.run(asio::detached);
    asio::co_spawn(ioc, work(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
