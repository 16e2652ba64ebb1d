//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Tests of a function that uses a lock, on the in-process server. See docs/testing.md. Needs no Redis.
//
//     holdfast_example_testing             exit status 0: all tests have passed

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

#include <boost/asio.hpp>

#include <holdfast.hpp>
#include <holdfast/testing/server.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// The function under test.
asio::awaitable<std::string> run_job(holdfast::client& client, std::chrono::milliseconds duration)
{
    holdfast::mutex lock{client, "job"};
    auto const work = [duration](holdfast::lease&) -> asio::awaitable<void> {
        asio::steady_timer timer(co_await asio::this_coro::executor, duration);
        co_await timer.async_wait();
    };
    try {
        co_await holdfast::with_lock(lock, {.wait = 50ms}, work);
        co_return "done";
    } catch (boost::system::system_error const& e) {
        if (e.code() == holdfast::errc::busy)
            co_return "busy";
        if (e.code() == holdfast::errc::lease_lost)
            co_return "lost";
        if (e.code() == holdfast::errc::server_refused)
            co_return "refused";
        throw;
    }
}

int failures = 0;

void expect(std::string const& what, bool is_true)
{
    std::cout << what << (is_true ? ": passed\n" : ": FAILED\n");
    failures += is_true ? 0 : 1;
}

asio::awaitable<void> test_faults(holdfast::testing::server& redis, holdfast::client& client)
{
    using refusal = holdfast::testing::server::refusal;
    using memory = holdfast::testing::server::memory;

    redis.refuse(refusal::out_of_memory);
    expect("a job does not run while the server refuses to write", co_await run_job(client, 0ms) == "refused");
    redis.accept();

    asio::steady_timer timer(co_await asio::this_coro::executor, 50ms);
    timer.async_wait([&](auto) { redis.restart(memory::lost); });
    expect("a job does not survive a restart without its lock", co_await run_job(client, 1h) == "lost");

    co_await client.ready();
    timer.expires_after(50ms);
    timer.async_wait([&](auto) { redis.advance(1h); });  // the host was suspended for an hour
    expect("a job whose lease ended meanwhile stops", co_await run_job(client, 1h) == "lost");
}

asio::awaitable<void> tests(holdfast::testing::server& redis, holdfast::client& client)
{
    expect("a job runs", co_await run_job(client, 0ms) == "done");
    expect("it releases its lock", !redis.is_locked("job"));

    redis.hold("job");  // another program holds the lock
    expect("a busy job does not run", co_await run_job(client, 0ms) == "busy");
    redis.release("job");

    asio::steady_timer operator_is_late(co_await asio::this_coro::executor, 50ms);
    operator_is_late.async_wait([&](auto) { redis.drop("job"); });  // an operator deletes the key of a job that runs
    expect("a job that lost its lock stops", co_await run_job(client, 1h) == "lost");

    co_await test_faults(redis, client);
    co_await client.shutdown();
}

int main()
{
    asio::io_context ioc;
    holdfast::testing::server redis(ioc);
    auto config = redis.config();
    config.lease = 300ms;  // the client detects a loss at its next renewal, after a third of this time
    holdfast::client client(ioc, config);
    client.run(asio::detached);
    asio::co_spawn(ioc, tests(redis, client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
    return failures == 0 ? 0 : 1;
}
