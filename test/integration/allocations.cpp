//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Counts the memory allocations of an acquire and a release. The budget is in bench/README.md.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/pooled.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace {

std::atomic<std::size_t> allocations = 0;

void* allocate(std::size_t size)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* p = std::malloc(size ? size : 1))
        return p;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size)
{
    return allocate(size);
}
void* operator new[](std::size_t size)
{
    return allocate(size);
}
void operator delete(void* p) noexcept
{
    std::free(p);
}
void operator delete[](void* p) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept
{
    std::free(p);
}

namespace holdfast::test {
namespace {

// Contenders that acquire and release again and again, each a lock of its own. They use callbacks, because the frames
// of coroutines would be counted.
template <class Lock>
class crowd {
public:
    crowd(asio::io_context& c, std::vector<Lock> locks) : context_(c), held_(locks.size()), locks_(std::move(locks)) {}

    // Returns the allocations of one pair: an acquire and its release.
    double measure()
    {
        constexpr std::size_t pairs = 4000;
        run(pairs);  // buffers and tables reach their size
        auto const before = allocations.load();
        run(pairs);
        return double(allocations.load() - before) / double(pairs);
    }

private:
    void run(std::size_t pairs)
    {
        to_begin_ = to_end_ = pairs;
        for (std::size_t i = 0; i < locks_.size(); ++i)
            go_on(i);
        context_.restart();
        context_.run();
        REQUIRE(to_end_ == 0);
    }

    void go_on(std::size_t i)
    {
        if (to_begin_ == 0)
            return;
        --to_begin_;
        locks_[i].acquire([this, i](error_code ec, lease l) {
            REQUIRE(!ec);
            held_[i] = std::move(l);
            held_[i].release([this, i](error_code end) {
                REQUIRE(!end);
                --to_end_ == 0 ? context_.stop() : go_on(i);
            });
        });
    }

    asio::io_context& context_;
    std::vector<lease> held_;
    std::vector<Lock> locks_;
    std::size_t to_begin_ = 0;
    std::size_t to_end_ = 0;
};

// With one contender at a time each command is a request of its own to the connection; with many they share one.
TEST_CASE("an uncontended acquire and its release stay within their budget of allocations", "[allocations]")
{
    redis_server server;
    asio::io_context context;
    client c(context, {.url = server.url(), .log = [](auto, auto) {}});
    c.run(asio::detached);
    c.ready([&](error_code) { context.stop(); });
    context.run();

    // A build for memory checkers does not reuse the six objects of a pair, nor the additional one of a fair lock.
    double const unkept = core::most_idle == 0 ? 7 : 0;
    auto const check = [&](std::string const& kind, auto make, double alone, double among_many) {
        for (std::size_t const contenders : {1u, 100u}) {
            std::vector<decltype(make(kind))> locks;
            for (std::size_t i = 0; i < contenders; ++i)
                locks.push_back(make(kind + std::to_string(i)));
            auto const each = crowd(context, std::move(locks)).measure();
            WARN(kind << ", " << contenders << " at once: " << each << " allocations of a pair");
            CHECK(each <= (contenders == 1 ? alone : among_many) + unkept);
        }
    };
    check(
        "mutex", [&](std::string const& name) { return mutex(c, name); }, 12, 1);
    check(
        "reentrant_lock", [&](std::string const& name) { return reentrant_lock(c, name, c.make_owner()); }, 12, 1);
    check(
        "fair_lock", [&](std::string const& name) { return fair_lock(c, name); }, 18, 8);
}

}  // namespace
}  // namespace holdfast::test
