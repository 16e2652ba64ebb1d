//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Clients of two execution contexts, of which one ends while operations wait in the other. These tests run in real time
// on memory://, so they wait for events, never for a duration.

#include <chrono>
#include <memory>
#include <optional>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <holdfast.hpp>

#include "client/client_access.hpp"
#include "redlock/red_lock_impl.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// One thread runs both contexts alternately, so that a test knows what has been delivered when the second one ends.
class two_contexts {
public:
    two_contexts() : own_(make_client(here_)), third_(make_client(here_)), other_(make_client(*there_)) {}
    ~two_contexts()
    {
        own_.reset();
        third_.reset();
        other_.reset();
    }

    client& own() { return *own_; }
    client& third() { return *third_; }  // a second one of the first context
    client& other() { return *other_; }
    asio::io_context::executor_type executor() { return here_.get_executor(); }

    // Runs both contexts until the predicate holds.
    template <class Predicate>
    void until(Predicate holds)
    {
        auto const limit = std::chrono::steady_clock::now() + 60s;
        while (!holds() && std::chrono::steady_clock::now() < limit) {
            run_here();
            run_there();
        }
        REQUIRE(holds());
    }

    // Runs both contexts for so many turns: an operation is then in one of its phases.
    void run_for_turns(int turns)
    {
        for (; turns > 0; --turns) {
            run_here();
            run_there();
        }
    }

    // Runs only the first context.
    void run_here()
    {
        here_.restart();
        here_.run_one_for(1ms);
        here_.poll();
    }

    void run_there()
    {
        if (!there_)
            return;
        there_->restart();
        there_->poll();
    }

    // Destroys the second client, then its context, before messages to that client are delivered.
    void end_other()
    {
        other_.reset();
        there_.reset();
    }

    lease acquire(any_lock const& lock)
    {
        std::optional<lease> got;
        lock.acquire(asio::bind_executor(executor(), [&](error_code ec, lease l) {
            CHECK_FALSE(ec);
            got = std::move(l);
        }));
        until([&] { return got.has_value(); });
        return std::move(*got);
    }

    bool is_locked(any_lock const& lock)
    {
        std::optional<bool> answer;
        lock.is_locked(asio::bind_executor(executor(), [&](error_code, bool locked) { answer = locked; }));
        for (auto const limit = std::chrono::steady_clock::now() + 60s;
             !answer && std::chrono::steady_clock::now() < limit;)
            run_here();
        REQUIRE(answer);
        return *answer;
    }

private:
    static std::unique_ptr<client> make_client(asio::io_context& c)
    {
        auto made = std::make_unique<client>(c, config{.url = "memory://", .log = [](log_level, std::string_view) {}});
        made->run([](error_code) {});
        return made;
    }

    asio::io_context here_{1};
    std::unique_ptr<asio::io_context> there_ = std::make_unique<asio::io_context>(1);
    std::unique_ptr<client> own_;
    std::unique_ptr<client> third_;
    std::unique_ptr<client> other_;
};

TEST_CASE(
    "the release of a multi_lock completes as client_stopped when one client's context ends", "[contexts][multi_lock]")
{
    two_contexts w;
    mutex const first(w.own(), "x");
    auto held = w.acquire(multi_lock(first, mutex(w.other(), "y")));
    std::optional<error_code> end;
    bool const is_launched_before = GENERATE(true, false);
    CAPTURE(is_launched_before);
    if (!is_launched_before)
        w.end_other();
    held.release(asio::bind_executor(w.executor(), [&](error_code ec) { end = ec; }));
    if (is_launched_before)
        w.end_other();
    while (w.is_locked(first))
        ;
    w.until([&] { return end.has_value(); });
    CHECK(*end == errc::client_stopped);
}

TEST_CASE(
    "a multi_lock lease that is destroyed after one client's context has ended releases the other member",
    "[contexts][multi_lock]")
{
    two_contexts w;
    mutex const first(w.own(), "x");
    auto held = w.acquire(multi_lock(first, mutex(w.other(), "y")));
    bool const is_dropped_before = GENERATE(true, false);
    CAPTURE(is_dropped_before);
    if (is_dropped_before)
        held = {};
    w.end_other();
    CHECK_FALSE(held.valid());
    held = {};
    while (w.is_locked(first))
        ;
}

TEST_CASE("pending operations complete in the handler's context when the context of their client ends", "[contexts]")
{
    two_contexts w;
    mutex const lock(w.other(), "y");
    auto held = w.acquire(lock);
    std::optional<error_code> extended, acquired, queried, lost, released;
    auto const note = [&](std::optional<error_code>& end) {
        return asio::bind_executor(w.executor(), [&end](error_code ec, auto const&...) { end = ec; });
    };
    held.extend(1min, note(extended));
    held.lost(note(lost));
    lock.acquire(asio::bind_executor(w.executor(), [&](error_code ec, lease) { acquired = ec; }));
    lock.is_locked(note(queried));
    held.release(note(released));
    w.end_other();
    w.run_here();
    CHECK(extended == errc::client_stopped);
    CHECK(acquired == errc::client_stopped);
    CHECK(queried == errc::client_stopped);
    CHECK(released == errc::client_stopped);
    REQUIRE(lost);
    CHECK_FALSE(*lost);  // no error: the lease is lost
}

// In the next cases the client of the first member ends, whose executor the operation would use for a handler without
// an executor of its own.

TEST_CASE(
    "a multi_lock that waits completes as client_stopped when the context of its first member's client ends",
    "[contexts][multi_lock]")
{
    auto const turns = GENERATE(range(0, 20));
    bool const is_limited = GENERATE(true, false);
    CAPTURE(turns, is_limited);
    two_contexts w;
    mutex const second(w.own(), "x");
    auto held = w.acquire(second);
    multi_lock const both(mutex(w.other(), "y"), second);
    std::optional<error_code> end;
    auto note = asio::bind_executor(w.executor(), [&](error_code ec, lease const&) { end = ec; });
    if (is_limited)
        both.try_acquire({.wait = 1h}, std::move(note));
    else
        both.acquire(std::move(note));
    w.run_for_turns(turns);
    w.end_other();
    held = {};
    w.until([&] { return end.has_value(); });
    CHECK(*end == errc::client_stopped);
}

TEST_CASE(
    "a query and the loss of a multi_lock complete when the context of its first member's client ends",
    "[contexts][multi_lock]")
{
    auto const turns = GENERATE(range(0, 4));
    CAPTURE(turns);
    two_contexts w;
    multi_lock const both(mutex(w.other(), "y"), mutex(w.own(), "x"));
    auto const held = w.acquire(both);
    std::optional<loss> lost;
    std::optional<error_code> asked;
    held.lost(asio::bind_executor(w.executor(), [&](error_code, loss why) { lost = why; }));
    w.run_for_turns(turns);
    both.is_locked(asio::bind_executor(w.executor(), [&](error_code ec, bool) { asked = ec; }));
    w.end_other();
    w.until([&] { return lost && asked; });
    CHECK(*lost == loss::client_stopped);
    CHECK_FALSE(*asked);  // the other member is locked, so the multi_lock is
}

TEST_CASE("a red_lock continues to work when the context of its first client ends", "[contexts][red_lock]")
{
    auto const turns = GENERATE(0, 1, 2, 3, 5, 10, 50);
    bool const is_limited = GENERATE(true, false);
    CAPTURE(turns, is_limited);
    two_contexts w;
    red_lock const lock({w.other(), w.own(), w.third()}, "r", {.node_timeout = 5s, .trust_new_nodes = true});
    auto held = w.acquire(lock);
    std::optional<error_code> lost;
    held.lost(asio::bind_executor(w.executor(), [&](error_code ec, loss) { lost = ec; }));
    std::optional<lease> next;
    auto note = asio::bind_executor(w.executor(), [&](error_code, lease l) { next = std::move(l); });
    if (is_limited)
        lock.try_acquire({.wait = 1h}, std::move(note));
    else
        lock.acquire(std::move(note));
    w.run_for_turns(turns);
    w.end_other();
    w.run_for_turns(10);
    CHECK(held.valid());
    CHECK_FALSE(lost);
    held = {};
    w.until([&] { return next && lost; });
    CHECK(*lost == errc::released);
    CHECK(next->valid());
}

TEST_CASE("the queue of a red_lock belongs to a client whose context has not ended", "[contexts][red_lock]")
{
    // The client with the least id keeps the queue; ids are random.
    auto w = std::make_unique<two_contexts>();
    while (w->own().id() < w->other().id())
        w = std::make_unique<two_contexts>();
    red_lock const lock({w->own(), w->other()}, "r");
    auto const impl = std::static_pointer_cast<detail::red_lock_impl const>(detail::lock_access::impl_of(lock));
    auto const state = detail::client_access::state_of(w->other()).shared_from_this();
    CHECK(impl->queue() == state->queues().of(std::string(impl->key())));
    w->end_other();
    auto const queue = impl->queue();
    CHECK(queue == detail::client_access::state_of(w->own()).queues().of(std::string(impl->key())));
}

}  // namespace
}  // namespace holdfast::test
