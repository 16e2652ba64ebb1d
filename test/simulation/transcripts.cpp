//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// docs/transcripts: what each kind of lock sends, in stories. The pages are those that these tests write:
// HOLDFAST_TRANSCRIPTS=1 simulation_tests "[transcripts]" replaces them.

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "simulation/cluster_client_arena.hpp"
#include "simulation/red_arena.hpp"
#include "simulation/transcript.hpp"
#include "support/cancellable_acquire.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using lock_of_client = std::function<any_lock(client&)>;

std::string content_of(std::string const& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void compare_page(std::string_view kind, std::string_view intro, std::string const& stories)
{
    auto const path = std::string(HOLDFAST_DOCS "/transcripts/").append(kind).append(".md");
    auto const page =
        std::string("# Transcripts: ").append(kind).append("\n").append(intro).append("\n").append(stories);
    if (std::getenv("HOLDFAST_TRANSCRIPTS") != nullptr)
        std::ofstream(path) << page;
    CHECK(content_of(path) == page);
}

// The clients A and B, whose leases last for 3 s, and one server.
struct stage : arena {
    explicit stage(lock_of_client make) : make_(std::move(make))
    {
        told.listen(server());
        run([this]() -> awaitable<void> {
            co_await a.ready();
            co_await b.ready();
        });
    }

    any_lock of_a() { return make_(a); }
    any_lock of_b() { return make_(b); }

    holdfast::client& a = client("A");
    holdfast::client& b = client("B");
    transcript told;

private:
    lock_of_client const make_;
};

// A holds the lock, is renewed, and releases it.
void tell_of_a_hold(stage& s)
{
    s.told.begin("A free lock", "A acquires it, holds it for longer than a third of its lease time, and releases it.");
    s.run([&]() -> awaitable<void> {
        auto const lock = s.of_a();
        s.told.say("A: co_await lock.acquire()");
        auto held = co_await lock.acquire();
        s.told.say("A: works for 1.5 s");
        co_await s.sleep(1500ms);
        s.told.say("A: co_await lease.release()");
        co_await held.release();
    });
    s.told.end();
}

awaitable<void> acquire_and_release(stage& s)
{
    auto const lock = s.of_b();
    s.told.say("B: co_await lock.acquire()");
    auto held = co_await lock.acquire();
    s.told.say("B: is granted the lock; co_await lease.release()");
    co_await held.release();
}

void tell_of_a_hand_over(stage& s)
{
    s.told.begin("A contended lock", "B waits until A releases the lock. The message of the release wakes it.");
    s.run([&]() -> awaitable<void> {
        auto const lock = s.of_a();
        s.told.say("A: co_await lock.acquire()");
        auto held = co_await lock.acquire();
        s.spawn(acquire_and_release(s), "B");
        co_await s.sleep(200ms);
        s.told.say("A: co_await lease.release()");
        co_await held.release();
        co_await s.sleep(2s);
    });
    s.told.end();
}

void tell_of_a_cancellation(stage& s)
{
    s.told.begin("A cancelled wait", "B waits, and is cancelled. Nothing is left behind.");
    s.run([&]() -> awaitable<void> {
        auto const lock = s.of_a();
        s.told.say("A: co_await lock.acquire()");
        auto held = co_await lock.acquire();
        cancellable_acquire attempt;
        s.told.say("B: co_await lock.acquire()");
        attempt.start(s.of_b());
        co_await s.sleep(200ms);
        s.told.say("B: is cancelled");
        attempt.cancel(asio::cancellation_type::terminal);
        co_await s.sleep(2s);
        s.told.say("A: co_await lease.release()");
        co_await held.release();
    });
    s.told.end();
}

void tell_of_a_loss(stage& s, std::string_view key)
{
    s.told.begin("A lost lease", "Somebody deletes the key. A learns of it with its next renewal.");
    s.run([&]() -> awaitable<void> {
        auto const lock = s.of_a();
        s.told.say("A: co_await lock.acquire()");
        auto held = co_await lock.acquire();
        s.told.say(std::string("an operator: DEL ").append(key));
        s.server().execute({"DEL", key});
        s.told.say("A: co_await lease.lost()");
        auto const why = co_await held.lost();
        s.told.say(std::string("A: the lease is lost: ").append(to_string(why)));
        s.told.say("A: co_await lease.release()");
        error_code ec;
        co_await held.release(asio::redirect_error(asio::use_awaitable, ec));
    });
    s.told.end();
}

void tell_of_a_moved_slot(transcript& told, lock_of_client const& make)
{
    cluster_client_arena a;
    for (auto const& name : a.cluster.names())
        told.listen(a.server(name), name);
    a.run([&]() -> awaitable<void> {
        for (auto const* const name : {"{a}", "{b}", "{c}"})  // connects to each node
            co_await mutex(a.c(), name).is_locked();
        told.begin("A moved slot", "In a cluster, the slot of the lock moves to another node while A holds it.");
        auto const lock = make(a.c());
        told.say("A: co_await lock.acquire()");
        auto held = co_await lock.acquire();
        told.say("an operator: moves the slot from node-2 to node-1");
        a.cluster.move("{a}", 1);
        told.say("A: works for 1.5 s");
        co_await a.sleep(1500ms);
        told.say("A: co_await lease.release()");
        co_await held.release();
        told.end();
    });
}

std::string stories_of(lock_of_client const& make, std::string_view key)
{
    std::string all;
    for (auto const tell : {&tell_of_a_hold, &tell_of_a_hand_over, &tell_of_a_cancellation}) {
        stage s(make);
        tell(s);
        all += s.told.text();
    }
    {
        stage s(make);
        tell_of_a_loss(s, key);
        all += s.told.text();
    }
    transcript moved;
    tell_of_a_moved_slot(moved, make);
    return all + moved.text();
}

constexpr auto how_to_read =
    "What the clients A and B send, and what the server replies. Below a script are its calls. "
    "[How to read them](index.md).";

TEST_CASE("the transcripts of a mutex are those of the documentation", "[transcripts]")
{
    compare_page("mutex", how_to_read, stories_of([](client& c) { return mutex(c, "{a}"); }, "{a}"));
}

TEST_CASE("the transcripts of a mutex with fencing tokens are those of the documentation", "[transcripts]")
{
    auto const make = [](client& c) { return mutex(c, "{a}", {.fencing = true}); };
    compare_page("fenced_mutex", how_to_read, stories_of(make, "{a}"));
}

TEST_CASE("the transcripts of a reentrant_lock are those of the documentation", "[transcripts]")
{
    auto const make = [](client& c) { return reentrant_lock(c, "{a}", c.make_owner()); };
    compare_page("reentrant_lock", how_to_read, stories_of(make, "{a}"));
}

TEST_CASE("the transcripts of a fair_lock are those of the documentation", "[transcripts]")
{
    compare_page("fair_lock", how_to_read, stories_of([](client& c) { return fair_lock(c, "{a}"); }, "{a}"));
}

TEST_CASE("the transcripts of a read_write_lock are those of the documentation", "[transcripts]")
{
    auto const read = [](client& c) { return read_write_lock(c, "{a}").read(); };
    auto const write = [](client& c) { return read_write_lock(c, "{a}").write(); };
    compare_page("read_lock", how_to_read, stories_of(read, "{a}"));
    compare_page("write_lock", how_to_read, stories_of(write, "{a}"));
}

TEST_CASE("the transcripts of a semaphore are those of the documentation", "[transcripts]")
{
    auto const plain = [](client& c) { return semaphore(c, "{a}", {.permits = 1}); };
    auto const fair = [](client& c) { return semaphore(c, "{a}", {.permits = 1, .fair = true}); };
    auto const numbered = [](client& c) { return semaphore(c, "{a}", {.permits = 1, .numbered = true}); };
    compare_page("semaphore", how_to_read, stories_of(plain, "{a}:timeout"));
    compare_page("fair_semaphore", how_to_read, stories_of(fair, "{a}:timeout"));
    compare_page("numbered_semaphore", how_to_read, stories_of(numbered, "{a}:timeout"));
}

TEST_CASE("the transcripts of a multi_lock are those of the documentation", "[transcripts]")
{
    auto const make = [](client& c) { return multi_lock(mutex(c, "{a}"), mutex(c, "b{a}")); };
    compare_page("multi_lock", how_to_read, stories_of(make, "{a}"));
}

TEST_CASE("the transcripts of a red_lock are those of the documentation", "[transcripts]")
{
    nodes n(3);
    transcript told;
    for (unsigned i = 0; i < 3; ++i)
        told.listen(n.node(i), server_of(i));
    auto const a = n.clients("A");
    auto const b = n.clients("B");
    n.run([&]() -> awaitable<void> {
        co_await ready(a);
        co_await ready(b);
        red_lock const of_a(a, "r", trusting);
        red_lock const of_b(b, "r", trusting);
        told.begin("A contended lock", "Three servers. A has the lock; B tries for half a second, and gives up.");
        told.say("A: co_await lock.acquire()");
        auto held = co_await of_a.acquire();
        told.say("B: co_await lock.try_acquire({.wait = 500ms})");
        auto const none = co_await of_b.try_acquire({.wait = 500ms});
        told.say(none.empty() ? "B: gets no lease" : "B: is granted the lock");
        told.say("A: co_await lease.release()");
        co_await held.release();
        told.end();
    });
    compare_page("red_lock", how_to_read, told.text());
}

TEST_CASE("the transcripts of a latch are those of the documentation", "[transcripts]")
{
    arena s;
    transcript told;
    told.listen(s.server());
    auto& a = s.client("A");
    auto& b = s.client("B");
    s.run([&]() -> awaitable<void> {
        co_await a.ready();
        co_await b.ready();
        latch const of_a(a, "l");
        latch const of_b(b, "l");
        told.begin("A latch", "B waits until A has counted down to zero.");
        told.say("A: co_await latch.set(2)");
        co_await of_a.set(2);
        s.spawn(
            [&]() -> awaitable<void> {
                told.say("B: co_await latch.wait()");
                co_await of_b.wait();
                told.say("B: the latch is open");
            },
            "B");
        co_await s.sleep(200ms);
        told.say("A: co_await latch.count_down()");
        co_await of_a.count_down();
        told.say("A: co_await latch.count_down()");
        co_await of_a.count_down();
        co_await s.sleep(2s);
        told.end();
    });
    compare_page("latch", how_to_read, told.text());
}

TEST_CASE("the transcripts of an election are those of the documentation", "[transcripts]")
{
    arena s;
    transcript told;
    told.listen(s.server());
    auto& a = s.client("A");
    auto& b = s.client("B");
    s.run([&]() -> awaitable<void> {
        co_await a.ready();
        co_await b.ready();
        election const of_a(a, "boss");
        election const of_b(b, "boss");
        told.begin("An election", "A leads and publishes a value; B is the next leader.");
        told.say("A: co_await election.campaign(\"host a\")");
        auto leads = co_await of_a.campaign("host a");
        s.spawn(
            [&]() -> awaitable<void> {
                told.say("B: co_await election.campaign(\"host b\")");
                auto next = co_await of_b.campaign("host b");
                told.say("B: leads; co_await leadership.resign()");
                co_await next.resign();
            },
            "B");
        co_await s.sleep(200ms);
        told.say("A: co_await leadership.proclaim(\"host a, ready\")");
        co_await leads.proclaim("host a, ready");
        told.say("A: co_await leadership.resign()");
        co_await leads.resign();
        co_await s.sleep(2s);
        told.end();
    });
    compare_page("election", how_to_read, told.text());
}

}  // namespace
}  // namespace holdfast::test
