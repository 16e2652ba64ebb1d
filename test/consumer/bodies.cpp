//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// scripts/check_consumers compiles it: GCC 12 must refuse each body that stands in place, and no other.

#include <memory>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using asio::awaitable, asio::deferred, asio::use_awaitable;
using holdfast::lead, holdfast::leadership, holdfast::lease, holdfast::with_lock;

awaitable<void> in_place(holdfast::mutex lock, holdfast::election boss, std::shared_ptr<int> p)
{
    co_await with_lock(lock, [p](lease&) -> awaitable<void> { co_return; });
    co_await with_lock(lock, {}, [p](lease&) -> awaitable<void> { co_return; });
    co_await with_lock(
        lock, [p](lease&) -> awaitable<void> { co_return; }, deferred);
    co_await with_lock(
        lock, {}, [p](lease&) -> awaitable<void> { co_return; }, use_awaitable);
    co_await lead(boss, "me", {}, [p](leadership&) -> awaitable<void> { co_return; });
    co_await lead(
        boss, "me", {}, [p](leadership&) -> awaitable<void> { co_return; }, deferred);
    co_await lead(
        boss, "me", {}, [p](leadership&) -> awaitable<void> { co_return; }, use_awaitable);
}

awaitable<void> named(holdfast::mutex lock, holdfast::election boss, std::shared_ptr<int> p)
{
    auto work = [p](lease&) -> awaitable<void> { co_return; };
    auto rule = [p](leadership&) -> awaitable<void> { co_return; };
    co_await with_lock(lock, work);
    co_await with_lock(lock, {}, work, deferred);
    co_await with_lock(lock, {}, work, use_awaitable);
    co_await lead(boss, "me", {}, rule);
    co_await lead(boss, "me", {}, rule, deferred);
    co_await lead(boss, "me", {}, rule, use_awaitable);
    // By reference.
    co_await with_lock(lock, [&p](lease&) -> awaitable<void> { co_return p.reset(); });
    co_await lead(boss, "me", {}, [&p](leadership&) -> awaitable<void> { co_return p.reset(); });
}

// Nobody can await a callback or a future.
void not_awaited(holdfast::mutex lock, holdfast::election boss, std::shared_ptr<int> p)
{
    with_lock(
        lock, [p](lease&) -> awaitable<void> { co_return; }, asio::detached);
    with_lock(
        lock, [p](lease&) -> awaitable<void> { co_return; }, asio::use_future)
        .get();
    lead(
        boss, "me", {}, [p](leadership&) -> awaitable<void> { co_return; }, asio::detached);
}

int main() {}
