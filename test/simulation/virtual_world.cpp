//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The simulated time and scheduler, on which all other simulations depend.

#include "support/virtual_world.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include "support/process.hpp"

namespace holdfast::test {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::awaitable;

std::string order_of_ten(world_options o)
{
    virtual_world world(o);
    std::string order;
    for (char c = '0'; c <= '9'; ++c)
        asio::post(world.get_executor(), [&order, c] { order += c; });
    world.run();
    return order;
}

TEST_CASE("the seed determines the order of ready handlers", "[simulation]")
{
    CHECK(order_of_ten({.seed = 1}) == order_of_ten({.seed = 1}));
    CHECK(order_of_ten({.seed = 1}) != order_of_ten({.seed = 2}));
    CHECK(order_of_ten({.seed = 1}) != "0123456789");
    CHECK(order_of_ten({.fifo = true}) == "0123456789");
}

TEST_CASE("handlers on a strand run in order", "[simulation]")
{
    virtual_world world({.seed = 7});
    auto const strand = asio::make_strand(asio::any_io_executor(world.get_executor()));
    std::string order;
    for (char c = '0'; c <= '9'; ++c) {
        asio::post(strand, [&order, c] { order += c; });
        asio::post(world.get_executor(), [] {});
    }
    world.run();
    CHECK(order == "0123456789");
}

TEST_CASE("dispatch inside a handler runs at once unless inline_dispatch is off", "[simulation]")
{
    for (bool const inline_dispatch : {true, false}) {
        virtual_world world({.inline_dispatch = inline_dispatch});
        std::string order;
        auto const e = world.get_executor();
        asio::post(e, [&, e] {
            asio::dispatch(e, [&] { order += "a"; });
            order += "b";
        });
        world.run();
        CHECK(order == (inline_dispatch ? "ab" : "ba"));
    }
}

TEST_CASE("virtual time jumps to the next timer that is due", "[simulation]")
{
    virtual_world world;
    auto const begin = world.now();
    std::vector<core::duration> woken;
    for (auto const d : {3h, 1h, 2h})
        asio::co_spawn(
            world.get_executor(),
            [&, d]() -> awaitable<void> {
                co_await world.main().sleep(d);
                woken.push_back(world.now() - begin);
            },
            asio::detached);
    CHECK(world.unfinished() > 0);
    CHECK(world.run_for(90min));
    CHECK(woken == std::vector<core::duration>{1h});
    CHECK(world.now() == begin + 90min);
    CHECK(world.run_until([&] { return woken.size() == 2; }));
    CHECK(world.now() == begin + 2h);
    world.run();
    CHECK(woken == std::vector<core::duration>{1h, 2h, 3h});
    CHECK(world.unfinished() == 0);
    CHECK_FALSE(world.run_until([] { return false; }));
}

TEST_CASE("unfinished() counts work that never completes", "[simulation]")
{
    virtual_world world;
    asio::any_completion_handler<void()> lost;
    asio::co_spawn(
        world.get_executor(),
        [&]() -> awaitable<void> {
            co_await asio::async_initiate<asio::use_awaitable_t<> const, void()>(
                [&](auto h) { lost = std::move(h); }, asio::use_awaitable);
        },
        asio::detached);
    world.run();
    CHECK(world.unfinished() > 0);
    lost = nullptr;
    world.run();
    CHECK(world.unfinished() == 0);
}

TEST_CASE("a sleep can be cancelled", "[simulation]")
{
    using namespace asio::experimental::awaitable_operators;
    virtual_world world;
    auto const begin = world.now();
    std::size_t first = 9;
    asio::co_spawn(
        world.get_executor(),
        [&]() -> awaitable<void> {
            auto const which = co_await (
                world.main().sleep(1h, asio::use_awaitable) || world.main().sleep(1s, asio::use_awaitable));
            first = which.index();
        },
        asio::detached);
    world.run();
    CHECK(first == 1);
    CHECK(world.now() == begin + 1s);
    CHECK(world.unfinished() == 0);
}

TEST_CASE("a paused process continues later, and a killed process never continues", "[simulation]")
{
    virtual_world world;
    auto& a = world.start_process("A");
    auto& b = world.start_process("B");
    std::string events;
    for (auto* const p : {&a, &b})
        asio::co_spawn(
            p->get_executor(),
            [&events, p]() -> awaitable<void> {
                co_await p->sleep(1s);
                events += p->name();
            },
            asio::detached);
    world.run_for(1ms);
    a.pause_for(5s);
    auto const begin = world.now();
    SECTION("paused")
    {
        world.run();
        CHECK(events == "BA");
        CHECK(world.now() == begin + 5s);
    }
    SECTION("killed while paused")
    {
        a.kill();
        world.run();
        CHECK(events == "B");
        CHECK(a.unfinished() > 0);
        CHECK(b.unfinished() == 0);
    }
}

TEST_CASE("a livelock ends with an exception after max_steps handlers", "[simulation]")
{
    virtual_world world({.max_steps = 1000});
    std::function<void()> again = [&] { asio::post(world.get_executor(), again); };
    again();
    CHECK_THROWS(world.run());
}

}  // namespace
}  // namespace holdfast::test
