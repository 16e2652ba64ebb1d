//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// An election: a leader with a term and a value, and an observer. See docs/election.md.
//
//     holdfast_example_election [URL]

#include <cstdint>
#include <exception>
#include <iostream>

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> observe(holdfast::election boss)
{
    auto watch = boss.observe();
    while (auto const leader = co_await watch.next())
        std::cout << "the leader is at " << leader->value << '\n';
    std::cout << "nobody leads\n";
}

asio::awaitable<void> serve(std::uint64_t term)
{
    std::cout << "leads in term " << term << '\n';
    co_return;
}

asio::awaitable<void> lead_until_asked(holdfast::election boss)
{
    using namespace asio::experimental::awaitable_operators;
    auto me = co_await boss.campaign("10.0.0.7:8000", {.priority = 3});
    co_await (serve(me.term()) || me.lost(asio::use_awaitable) || me.asked_to_yield(asio::use_awaitable));
    co_await me.resign();
}

struct replica_state {
    bool is_up_to_date() const { return true; }
};

asio::awaitable<void> lead_while_healthy(holdfast::client& client, replica_state const& replica)
{
    holdfast::election boss{client, "boss", {}, [&] { return replica.is_up_to_date(); }};
    co_await lead_until_asked(boss);
}

asio::awaitable<void> lead_after_settling(holdfast::client& client)
{
    holdfast::election primary{client, "primary of the archive", {.settle = 5s}};
    auto me = co_await primary.campaign("10.0.0.7:8000");
    co_await me.resign();
}

asio::awaitable<void> stand(holdfast::election boss)
{
    auto const work = [](holdfast::leadership& me) { return serve(me.term()); };
    co_await holdfast::lead(boss, "10.0.0.7:9000", {.lease = 10s}, work);
}

asio::awaitable<void> run(holdfast::client& client)
{
    holdfast::election boss{client, "boss"};
    auto me = co_await boss.campaign("10.0.0.7:8000");
    asio::co_spawn(co_await asio::this_coro::executor, observe(boss), asio::detached);
    auto const now = co_await boss.current();
    std::cout << now->value << " leads\n";
    co_await me.proclaim("10.0.0.7:9000");
    co_await me.resign();
    co_await stand(boss);
    replica_state const replica;
    co_await lead_while_healthy(client, replica);
    co_await lead_after_settling(client);
    co_await client.shutdown();
}

int main(int argc, char** argv)
{
    asio::io_context ioc;
    holdfast::client client{ioc, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    asio::co_spawn(ioc, run(client), [](std::exception_ptr error) {
        if (error)
            std::rethrow_exception(error);
    });
    ioc.run();
}
