//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The memory of completions that are posted to their handlers' executors.

#include <cstddef>
#include <memory>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

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

// One block holds the handler during the operation, one the posted completion. An io_context takes the allocator for
// its own block; a strand does not.
TEST_CASE(
    "a completion uses its handler's allocator and frees that memory before the handler is called", "[completion]")
{
    arena a;
    auto& c = a.client();
    probe early, done, tried;
    lease held;
    bool const is_strand = GENERATE(false, true);
    a.run([&]() -> awaitable<void> {
        auto here = co_await asio::this_coro::executor;
        if (is_strand)
            here = asio::make_strand(here);
        co_await c.ready();
        mutex(c, "").is_locked(early.handler(here));  // completes at once
        mutex(c, "m").is_locked(done.handler(here));  // when the server has replied
        held = co_await multi_lock(mutex(c, "x"), mutex(c, "y")).acquire();
        held.release(tried.handler(here));  // when the members are released
        co_await a.sleep(1s);
    });
    CAPTURE(is_strand);
    for (auto const* p : {&early, &done, &tried}) {
        CHECK(p->called);
        CHECK(p->used.blocks == 2);
        CHECK(p->live_then == 0);
    }
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
