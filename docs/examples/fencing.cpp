//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A holder that was paused beyond the end of its lease writes after its successor. The resource refuses the write,
// because its fencing token is smaller.
//
//     holdfast_example_fencing [URL]       exit status 0: the write was refused
#include <cstdint>
#include <iostream>
#include <string>

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

struct outcome {
    bool is_stale_refused = false;
    int balance = 0;
};

asio::awaitable<void> sleepy_and_successor(holdfast::client& client, outcome& result)
{
    holdfast::mutex lock{client, "account:1", {.fencing = true}};
    account guarded;

    auto sleepy = co_await lock.acquire({.lease = 200ms});
    auto const its_token = sleepy.fencing_token().value();
    co_await sleepy.lost();  // stands for a process that is stopped here and does not detect the end of its lease

    // Waits until the key of the first lease has expired.
    auto successor = co_await lock.acquire();
    bool const written = guarded.write(successor.fencing_token().value(), 34);
    co_await successor.release();

    result = {.is_stale_refused = written && !guarded.write(its_token, 33), .balance = guarded.balance()};
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    // memory:// is a server in this process, so the example runs without Redis.
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "memory://"}};
    client.run(asio::detached);
    outcome result;
    asio::co_spawn(ioc, sleepy_and_successor(client, result), asio::detached);
    ioc.run();

    std::cout << "balance: " << result.balance << "; the stale write of 33 was "
              << (result.is_stale_refused ? "refused" : "NOT refused") << '\n';
    return result.is_stale_refused ? 0 : 1;
}
