//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A deposit to an account in SQLite, under a lock with a fencing token. A process that was stopped between its read and
// its write, and has lost the lock meanwhile, cannot overwrite the deposit of its successor.
//
//     fenced_sqlite DATABASE AMOUNT [URL [stop]]        `stop`: the process stops itself (SIGSTOP) before it writes

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>

#include <boost/asio.hpp>

#include <holdfast.hpp>

#include "account.hpp"

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct deposit {
    account to;
    long amount;
    bool stops;  // stands for a virtual machine that is suspended, or a host without memory
};

asio::awaitable<bool> perform(holdfast::client& client, deposit& d)
{
    holdfast::mutex lock{client, "account:1", {.fencing = true}};
    auto lease = co_await lock.acquire({.lease = 1s, .renew = true});
    auto const token = lease.fencing_token().value();
    long balance = 0;
    bool is_written = d.to.read(token, balance);
    if (d.stops)
        std::raise(SIGSTOP);
    // Without the token, a check of lease.valid() here would not suffice: the process may be stopped after it.
    is_written = is_written && d.to.write(token, balance + d.amount);
    std::cout
        << (is_written ? "deposited, balance " + std::to_string(balance + d.amount)
                       : "refused: a later holder has used the account")
        << std::endl;
    co_await lease.release(asio::as_tuple);  // an error if the lease was lost: the database has decided already
    co_await client.shutdown();
    co_return is_written;
}

int main(int argc, char** argv)
try {
    if (argc < 3) {
        std::cerr << "usage: fenced_sqlite DATABASE AMOUNT [URL [stop]]\n";
        return 2;
    }
    deposit d{account(argv[1]), std::stol(argv[2]), argc > 4 && argv[4] == std::string("stop")};
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 3 ? argv[3] : "redis://localhost"}};
    client.run(asio::detached);
    bool is_written = false;
    asio::co_spawn(ioc, perform(client, d), [&](std::exception_ptr error, bool result) {
        if (error)
            std::rethrow_exception(error);
        is_written = result;
    });
    ioc.run();
    return is_written ? 0 : 3;
} catch (std::exception const& e) {
    std::cerr << "fenced_sqlite: " << e.what() << '\n';
    return 1;
}
