//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Step 4 of docs/tutorial.md: the file of reports refuses a writer whose lease has ended.
//
//     holdfast_example_tutorial_fencing [URL]

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Stands for a database or a file server: each write carries a fencing token.
class storage {
public:
    void write(std::uint64_t token, std::string const& text)
    {
        bool const is_written = gate_.pass(token, [&] { text_ = text; });
        std::cout << text << (is_written ? ": written" : ": refused") << std::endl;
    }

private:
    holdfast::fence_gate gate_;
    std::string text_;
};

asio::awaitable<void> two_writers(holdfast::client& client, storage& reports)
{
    holdfast::mutex lock{client, "report", {.fencing = true}};
    auto first = co_await lock.acquire({.lease = 200ms});
    auto const old_token = first.fencing_token().value();
    co_await first.lost();  // as if this process had been stopped for longer than its lease

    auto second = co_await lock.acquire();
    reports.write(second.fencing_token().value(), "the report of the second holder");
    reports.write(old_token, "the late report of the first holder");
    co_await second.release();
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    storage reports;
    asio::co_spawn(ioc, two_writers(client, reports), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
