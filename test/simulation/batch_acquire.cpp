//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Members of a multi_lock that belong to one client: one script grants all of them or none.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "simulation/arena.hpp"
#include "support/redirect.hpp"
#include "support/script_word.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// Records which keys were set, also by scripts.
class batch_arena : public arena {
public:
    batch_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}})
    {
        server().check([this](executed const& e) {
            if (e.what.args.size() > 1 && (e.what.args[0] == "SET" || e.what.args[0] == "set"))
                was_set_.emplace(e.what.args[1]);
        });
    }

    std::set<std::string> was_set() { return std::exchange(was_set_, {}); }

    // Loads the scripts into the server, and leaves no lock held.
    awaitable<void> warm_up(holdfast::client& c)
    {
        co_await c.ready();
        auto l = co_await multi_lock(mutex(c, "v"), mutex(c, "w")).acquire();
        co_await l.release();
        co_await sleep(10ms);
        commands();
        was_set();
    }

private:
    std::set<std::string> was_set_;
};

TEST_CASE("a multi_lock acquires several free mutexes of one client with one command", "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        auto const start = a.now();
        auto l = co_await multi_lock(mutex(c, "x"), mutex(c, "y"), mutex(c, "z")).acquire();
        CHECK(a.now() - start == 2ms);
        CHECK(a.commands() == std::vector<std::string>{"EVALSHA"});
        CHECK(l.valid());
        CHECK(a.was_set() == std::set<std::string>{"x", "y", "z"});
        co_await a.sleep(10s);
        CHECK(l.valid());  // each has a token of its own, which is renewed
        co_await l.release();
        CHECK_FALSE((a.exists("x") || a.exists("y") || a.exists("z")));
    });
    CHECK(a.census(c) == engine::client_engine::census{});
}

TEST_CASE(
    "when one mutex of a batch is held, none of the others is granted, not even for a moment",
    "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    auto& rival = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        auto in_the_way = co_await mutex(rival, "y").acquire();
        a.commands();
        a.was_set();
        multi_lock all(mutex(c, "x"), mutex(c, "y"), mutex(c, "z"));
        auto l = co_await all.try_acquire();
        CHECK(l.empty());
        CHECK(a.commands() == std::vector<std::string>{"EVALSHA"});
        CHECK(a.was_set().empty());

        a.spawn([&]() -> awaitable<void> { l = co_await all.acquire(); });
        co_await a.sleep(2s);
        CHECK(l.empty());
        auto const vain = a.was_set();
        CHECK(vain.count("x") + vain.count("z") == 0);
        auto const released = a.now();
        co_await in_the_way.release();
        while (l.empty() && a.now() < released + 1s)
            co_await a.sleep(1ms);
        CHECK(a.now() - released < 15ms);  // the client waited for the message of the missing member
        CHECK(l.valid());
    });
    CHECK(a.census(rival) == engine::client_engine::census{});
}

TEST_CASE(
    "try_acquire of a multi_lock is busy without a command when its client holds a member",
    "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        auto const held = co_await mutex(c, "z").acquire();
        a.commands();
        auto const start = a.now();
        auto const l = co_await multi_lock(mutex(c, "x"), mutex(c, "y"), mutex(c, "z")).try_acquire();
        CHECK(l.empty());
        CHECK(a.now() == start);
        CHECK(a.commands().empty());
    });
}

TEST_CASE(
    "the client sends attempts on members of other kinds in the same write as the batch", "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        reentrant_lock mine(c, "mine", c.make_owner());
        multi_lock all(mutex(c, "x"), mine, mutex(c, "y"), mutex(c, "f", {.fencing = true}));
        for (int i = 0; i < 2; ++i) {
            a.commands();
            auto const start = a.now();
            auto l = co_await all.acquire();
            CHECK(l.valid());
            CHECK(l.fencing_token("f").has_value());
            if (i == 1) {
                CHECK(a.now() - start == 2ms);
                CHECK(a.commands() == std::vector<std::string>(3, "EVALSHA"));
            }
            co_await l.release();
            co_await a.sleep(10ms);
        }
    });
}

TEST_CASE("a multi_lock completes with the error of the member that the server refused", "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        a.server().execute({"RPUSH", "list", "x"});
        error_code ec;
        auto const l = co_await multi_lock(mutex(c, "x"), mutex(c, "list"), mutex(c, "y")).acquire(redirect(ec));
        CHECK(ec == errc::wrong_type);
        auto const line = std::ranges::find_if(a.log(), [](auto const& s) { return s.find("list") != s.npos; });
        CHECK(line != a.log().end());
        CHECK(c.last_failure().message.find("\"x\"") == std::string::npos);
        co_await a.sleep(10ms);
        CHECK_FALSE((a.exists("x") || a.exists("y")));
    });
    CHECK(a.census(c) == engine::client_engine::census{});
}

TEST_CASE(
    "a contender queued behind a failed batch attempt acquires its mutex in the next round trip",
    "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    auto& rival = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        auto const in_the_way = co_await mutex(rival, "x").acquire();
        lease tried, single;
        a.spawn([&]() -> awaitable<void> { tried = co_await multi_lock(mutex(c, "x"), mutex(c, "y")).try_acquire(); });
        a.spawn([&]() -> awaitable<void> { single = co_await mutex(c, "y").acquire(); });
        co_await a.sleep(5ms);  // two round trips: the batch, and its own
        CHECK(tried.empty());
        CHECK(single.valid());
    });
}

TEST_CASE(
    "try_acquire of a multi_lock is busy even if the held member becomes free during the attempt",
    "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        auto& server = a.server();
        server.execute({"SET", "x", "somebody else's", "PX", "60000"});
        server.check([&server](executed const& e) {
            if (!e.what.in_script && e.what.args[0] == "EVALSHA")
                server.execute({"DEL", "x"});
        });
        error_code ec;
        auto l = co_await multi_lock(mutex(c, "x"), mutex(c, "y")).try_acquire(redirect(ec));
        CHECK(l.empty());
        CHECK_FALSE(ec);
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("x"));
        CHECK_FALSE(a.exists("y"));
    });
}

// In every phase of the first round: the command is under way, answered NOSCRIPT, sent again as text, granted.
TEST_CASE(
    "a batch acquire that is cancelled at any moment leaves no key on the server",
    "[multi_lock][batch_acquire][cancellation]")
{
    for (auto after = 0us; after <= 6000us; after += 250us) {
        CAPTURE(after);
        batch_arena a;
        auto& c = a.client();
        a.run([&]() -> awaitable<void> {
            co_await c.ready();
            asio::cancellation_signal signal;
            error_code ec;
            lease l;
            a.spawn([&]() -> awaitable<void> {
                l = co_await multi_lock(mutex(c, "x"), mutex(c, "y"))
                        .acquire(asio::bind_cancellation_slot(signal.slot(), redirect(ec)));
            });
            co_await a.sleep(after);
            signal.emit(asio::cancellation_type::terminal);
            co_await a.sleep(0us);
            CHECK((l.valid() || ec == asio::error::operation_aborted));
            l = lease();
            co_await a.sleep(20ms);
            CHECK_FALSE((a.exists("x") || a.exists("y")));
        });
        CHECK(a.census(c) == engine::client_engine::census{});
    }
}

TEST_CASE("a batch acquire that the server executes after its time-out is released", "[multi_lock][batch_acquire]")
{
    batch_arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        a.server().pause();
        error_code ec;
        auto l = co_await multi_lock(mutex(c, "x"), mutex(c, "y")).try_acquire({.wait = 100ms}, redirect(ec));
        CHECK(ec == errc::unavailable);
        co_await a.sleep(1s);  // the command timed out
        a.server().resume();   // and is executed
        co_await a.sleep(1s);
        CHECK(a.was_set() == std::set<std::string>{"x", "y"});
        CHECK_FALSE((a.exists("x") || a.exists("y")));
        l = co_await multi_lock(mutex(c, "x"), mutex(c, "y")).try_acquire();
        CHECK(l.valid());
    });
}

TEST_CASE(
    "a script grants at most 500 of the mutexes of a multi_lock, all or none of which are held", "[multi_lock][bounds]")
{
    constexpr std::size_t members = 1'203;
    batch_arena a;
    auto& c = a.client();
    auto& other = a.client("B");
    std::vector<std::size_t> scripts;
    a.server().check([&](executed const& e) {
        auto const words = e.what.args;
        if (words.size() > 2 && is_script(words[1], engine::scripts::mutex_acquire_all))
            scripts.push_back(std::stoul(std::string(words[2])));
    });
    auto const count = [&] { return a.server().execute({"DBSIZE"}).integer; };
    std::vector<any_lock> locks;
    for (std::size_t i = 0; i < members; ++i)
        locks.emplace_back(mutex(c, "m" + std::to_string(i)));
    multi_lock const all(locks);
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        scripts.clear();
        auto l = co_await all.acquire();
        CHECK(l.valid());
        CHECK(count() == members);
        std::ranges::sort(scripts);
        CHECK(scripts == std::vector<std::size_t>{203, 500, 500});
        co_await l.release();
        co_await a.sleep(10ms);
        CHECK(count() == 0);

        // A member of the first script, and one of the last.
        for (auto const* const held : {"m7", "m1200"}) {
            auto const busy = co_await mutex(other, held).acquire();
            CHECK_FALSE(co_await all.try_acquire());
            co_await a.sleep(10ms);
            CHECK(count() == 1);
        }
        co_await a.sleep(10ms);
        CHECK(count() == 0);
    });
}

}  // namespace
}  // namespace holdfast::test
