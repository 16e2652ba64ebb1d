//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The copy of a client in a forked child sends nothing and holds nothing, whatever is under way at the fork.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/red_arena.hpp"
#include "support/all_kinds.hpp"
#include "support/all_leases.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr auto tuple = asio::as_tuple(asio::use_awaitable);

class forked : public arena {
public:
    // Holds locks of all kinds, and waits for as many, when the process becomes a forked child.
    awaitable<void> begin()
    {
        co_await home->ready();
        locks = locks_of_all_kinds(*home, {"k"});
        for (auto const& l : locks)
            held.push_back(co_await l.acquire());
        auto& other = client("B");
        for (auto const& l : locks_of_all_kinds(other, {"w"}))
            others.push_back(co_await l.acquire());
        for (auto const& l : locks_of_all_kinds(*home, {"w"}))
            l.acquire([this](error_code ec, lease) { ends.insert(ec); });
        co_await sleep(100ms);
        held.front().lost([](error_code, loss) {});
        ends.clear();  // of readers, which share their lock
        at("A").fork();
        (void)commands();
    }

    holdfast::client* home = &client();
    std::vector<any_lock> locks;
    std::vector<lease> held;
    std::vector<lease> others;
    std::set<error_code> ends;
};

TEST_CASE("a forked child has no valid lease, and those that it destroys keep their keys", "[fork][rule6]")
{
    forked a;
    a.run([&]() -> awaitable<void> {
        co_await a.begin();
        for (auto const& l : a.held) {
            CHECK_FALSE(l.valid());
            CHECK(l.state() == lease_state::lost);
            CHECK(l.valid_until() == std::chrono::steady_clock::time_point());
        }
        a.held.clear();
        a.others.clear();  // the waiters of the child receive messages that these locks are free
        co_await a.sleep(2s);
        for (auto const& what : a.commands())
            CHECK(what != "SET");
        CHECK(a.exists("k-m"));
        CHECK(a.exists("k-r"));
        CHECK(a.exists("k-1"));
        CHECK_FALSE(a.exists("w-m"));
        for (auto const& ec : a.ends)
            CHECK(ec == errc::client_stopped);
    });
}

TEST_CASE("in a forked child every operation completes as client_stopped, and sends nothing", "[fork][rule6]")
{
    forked a;
    a.run([&]() -> awaitable<void> {
        co_await a.begin();
        for (std::size_t i = 0; i < a.locks.size(); ++i) {
            CAPTURE(a.locks[i].name());
            auto const [acquired, l] = co_await a.locks[i].acquire(tuple);
            CHECK(acquired == errc::client_stopped);
            auto const [tried, m] = co_await a.locks[i].try_acquire(tuple);
            CHECK(tried == errc::client_stopped);
            auto const [asked, is_locked] = co_await a.locks[i].is_locked(tuple);
            CHECK(asked == errc::client_stopped);
            auto const [listed, holders] = co_await a.locks[i].holders(tuple);
            CHECK(listed == errc::client_stopped);
            auto const [extended] = co_await a.held[i].extend(10s, tuple);
            CHECK(extended == errc::client_stopped);
            auto const [released] = co_await a.held[i].release(tuple);
            CHECK(released == errc::client_stopped);
        }
        auto const [ready] = co_await a.home->ready(tuple);
        CHECK(ready == errc::client_stopped);
        auto const [shut, left] = co_await a.home->shutdown(tuple);
        CHECK(shut == errc::client_stopped);
        a.destroy(*a.home);
        co_await a.sleep(2s);
        CHECK(a.exists("k-m"));
    });
}

}  // namespace
}  // namespace holdfast::test
