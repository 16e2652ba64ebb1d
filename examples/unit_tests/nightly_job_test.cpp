//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Tests of code that uses locks, without a Redis server: the component `testing` has one in the process.

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include <boost/asio.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast.hpp>
#include <holdfast/testing/server.hpp>

#include "nightly_job.hpp"

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A server and a client. The lease is short, so that a loss is noticed soon: at the next renewal, after a third of it.
struct fixture {
    fixture() { client.run(asio::detached); }

    holdfast::config short_lease() const
    {
        auto c = redis.config();
        c.lease = 300ms;
        return c;
    }
    void run(asio::awaitable<void> test)
    {
        std::exception_ptr failure;
        asio::co_spawn(ioc, std::move(test), [&](std::exception_ptr e) {
            failure = e;
            client.stop();
        });
        ioc.run();
        if (failure)
            std::rethrow_exception(failure);
    }

    asio::io_context ioc;
    holdfast::testing::server redis{ioc};
    holdfast::client client{ioc, short_lease()};
};

asio::awaitable<void> nothing()
{
    co_return;
}

asio::awaitable<void> for_an_hour()
{
    asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
    co_await timer.async_wait();
}

asio::awaitable<void> fails()
{
    throw std::runtime_error("disk full");
    co_return;
}

}  // namespace

TEST_CASE_METHOD(fixture, "the job runs, and releases its lock")
{
    run([](fixture& f) -> asio::awaitable<void> {
        auto const result = co_await run_nightly(f.client, nothing);
        CHECK(result == job_result::done);
        CHECK(!f.redis.is_locked("nightly"));
    }(*this));
}

TEST_CASE_METHOD(fixture, "the job does not run while another host runs it")
{
    redis.hold("nightly");
    run([](fixture& f) -> asio::awaitable<void> {
        auto const result = co_await run_nightly(f.client, nothing);
        CHECK(result == job_result::another_host_runs_it);
    }(*this));
}

TEST_CASE_METHOD(fixture, "the job is stopped when its lock is lost")
{
    run([](fixture& f) -> asio::awaitable<void> {
        asio::steady_timer late(f.ioc, 50ms);
        late.async_wait([&f](auto) { f.redis.drop("nightly"); });
        auto const result = co_await run_nightly(f.client, for_an_hour);
        CHECK(result == job_result::stopped);
    }(*this));
}

TEST_CASE_METHOD(fixture, "a job that fails releases its lock")
{
    run([](fixture& f) -> asio::awaitable<void> {
        bool has_failed = false;
        try {
            co_await run_nightly(f.client, fails);
        } catch (std::runtime_error const&) {
            has_failed = true;
        }
        CHECK(has_failed);
        CHECK(!f.redis.is_locked("nightly"));
    }(*this));
}
