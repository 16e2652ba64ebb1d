//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The memory of completions that are posted to their handlers' executors.

#include <cstddef>
#include <memory>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

struct usage {
    int blocks = 0;  // allocated ...
    int live = 0;    // ... and not deallocated yet
};

template <class T>
struct counting_allocator {
    using value_type = T;

    explicit counting_allocator(usage& u) : used(&u) {}
    template <class U>
    counting_allocator(counting_allocator<U> const& o) : used(o.used)
    {}

    T* allocate(std::size_t n)
    {
        ++used->blocks;
        ++used->live;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept
    {
        --used->live;
        std::allocator<T>().deallocate(p, n);
    }
    bool operator==(counting_allocator const&) const = default;

    usage* used;
};

// Records whether the handler was called, and how many blocks were allocated then.
struct probe {
    usage used;
    bool called = false;
    int live_then = -1;

    auto handler(asio::any_io_executor const& e)
    {
        return asio::bind_executor(
            e, asio::bind_allocator(counting_allocator<int>(used), [this](error_code, auto&&...) {
                called = true;
                live_then = used.live;
            }));
    }
};

// One block holds the handler during the operation, one the posted completion.
TEST_CASE(
    "a completion uses its handler's allocator and frees that memory before the handler is called", "[completion]")
{
    arena a;
    auto& c = a.client();
    probe early, done, tried;
    lease held;
    a.run([&]() -> awaitable<void> {
        auto const here = co_await asio::this_coro::executor;
        co_await c.ready();
        mutex(c, "").is_locked(early.handler(here));  // completes at once
        mutex(c, "m").is_locked(done.handler(here));  // when the server has replied
        held = co_await multi_lock(mutex(c, "x"), mutex(c, "y")).acquire();
        held.release(tried.handler(here));  // when the members are released
        co_await a.sleep(1s);
    });
    for (auto const* p : {&early, &done, &tried}) {
        CHECK(p->called);
        CHECK(p->used.blocks == 2);
        CHECK(p->live_then == 0);
    }
}

// An io_context takes the allocator for a block of its own.
TEST_CASE("a completion that an io_context runs uses its handler's allocator, too", "[completion]")
{
    probe p;
    asio::io_context context;
    client c(context, {.url = "memory://", .log = [](log_level, std::string_view) {}});
    c.run(asio::detached);
    c.ready([&](error_code) { mutex(c, "m").is_locked(p.handler(context.get_executor())); });
    while (!p.called && context.run_one() != 0) {}
    CHECK(p.called);
    CHECK(p.used.blocks == 2);
    CHECK(p.live_then == 0);
}

TEST_CASE("the memory of a completion is freed when its context is destroyed before delivery", "[completion]")
{
    probe p;
    {
        asio::io_context context;
        client c(context, {.url = "memory://", .log = [](log_level, std::string_view) {}});
        mutex(c, "").is_locked(p.handler(context.get_executor()));
    }
    CHECK_FALSE(p.called);
    CHECK(p.used.blocks == 2);
    CHECK(p.used.live == 0);
}

}  // namespace
}  // namespace holdfast::test
