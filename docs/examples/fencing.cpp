//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A holder that was paused beyond the end of its lease writes after its successor. The resource refuses the write,
// because its fencing token is smaller. See docs/fencing.md.
//
//     holdfast_example_fencing [URL]       exit status 0: the write was refused

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// The resource that the lock protects. It checks the token of each write: a holder may be paused between its own check
// of lease.valid() and its write.
class account {
public:
    bool write(std::uint64_t token, int balance)
    {
        return gate_.pass(token, [&] { balance_ = balance; });
    }
    int balance() const { return balance_; }

private:
    holdfast::fence_gate gate_;
    int balance_ = 0;
};

// Each holder passes its token to the resource.
asio::awaitable<bool> write(holdfast::client& client, account& resource, int balance)
{
    holdfast::mutex lock{client, "account:1", {.fencing = true}};
    auto lease = co_await lock.acquire();
    co_return resource.write(lease.fencing_token().value(), balance);
}

// Returns whether the resource refused the stale write.
asio::awaitable<bool> sleepy_and_successor(holdfast::client& client, account& resource)
{
    holdfast::mutex lock{client, "account:1", {.fencing = true}};
    auto sleepy = co_await lock.acquire({.lease = 200ms});
    auto const its_token = sleepy.fencing_token().value();
    co_await sleepy.lost();  // stands for a process that is stopped here and does not detect the end of its lease

    // The successor waits until the key of the first lease has expired.
    bool const written = co_await write(client, resource, 34);
    bool const is_stale_refused = written && !resource.write(its_token, 33);
    co_await client.shutdown();
    co_return is_stale_refused;
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    // memory:// is a server in this process, so the example runs without Redis.
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "memory://"}};
    client.run(asio::detached);
    account resource;
    bool is_refused = false;
    asio::co_spawn(ioc, sleepy_and_successor(client, resource), [&](std::exception_ptr error, bool result) {
        if (error)
            std::rethrow_exception(error);
        is_refused = result;
    });
    ioc.run();

    std::cout << "balance: " << resource.balance() << "; the stale write of 33 was "
              << (is_refused ? "refused" : "NOT refused") << '\n';
    return is_refused ? 0 : 1;
}
