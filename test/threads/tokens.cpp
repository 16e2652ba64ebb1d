//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Operations with the completion tokens and adapters of Asio, started inside and outside of the client's execution
// context: each handler is called once, on a thread of that context, and no other thread is started. A timer of Asio
// with the same token is the control.

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/bind_immediate_executor.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/experimental/promise.hpp>
#include <boost/asio/experimental/use_promise.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>

#include "engine/port/strand.hpp"
#include "support/child.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::ptrdiff_t running_threads()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

// A client on an io_context that one thread runs.
struct one_thread {
    one_thread()
    {
        client.run(asio::detached);
        std::promise<void> connected;
        client.ready([&](error_code) { connected.set_value(); });
        connected.get_future().get();
    }
    ~one_thread()
    {
        std::promise<void> stopped;
        client.shutdown({.grace = 0ms}, [&](error_code, std::size_t) { stopped.set_value(); });
        stopped.get_future().get();
        work.reset();
        thread.join();
    }

    // Starts an operation on the thread of the context. Asio starts the timer of cancel_after() before the operation, so a
    // limit that may pass during the call needs this.
    template <class Start>
    auto inside(Start start)
    {
        return asio::post(context, asio::use_future(std::move(start))).get();
    }

    static config settings()
    {
        auto c = live::quick("memory://");
        c.log = [](log_level, std::string_view) {};
        return c;
    }

    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
    holdfast::client client{context, settings()};
    std::thread thread{[this] { context.run(); }};
};

// How many of these futures did not end with a value or an error code.
template <class Start>
int broken(int n, Start start)
{
    int broken = 0;
    for (int i = 0; i < n; ++i)
        try {
            auto f = start();
            static_cast<void>(f.get());
        } catch (boost::system::system_error const&) {
        } catch (std::future_error const&) {
            ++broken;
        }
    return broken;
}

TEST_CASE("a future completes on a thread of the client's context, and starts no other", "[tokens]")
{
    one_thread at;
    mutex m(at.client, "m");
    auto const before = running_threads();
    auto const here = [](auto&&...) { return std::this_thread::get_id(); };
    auto const inside = at.thread.get_id();
    CHECK(at.client.ready(asio::use_future(here)).get() == inside);
    CHECK(m.is_locked(asio::use_future(here)).get() == inside);
    CHECK(m.acquire(asio::use_future(here)).get() == inside);
    CHECK(m.acquire(asio::cancel_after(1s, asio::use_future(here))).get() == inside);
    auto held = m.acquire(asio::use_future).get();
    CHECK(held.extend(20s, asio::use_future(here)).get() == inside);
    CHECK(at.inside([&] { return held.lost(asio::cancel_after(1ms, asio::use_future(here))); }).get() == inside);
    CHECK(held.release(asio::use_future(here)).get() == inside);
    multi_lock both(m, mutex(at.client, "n"));
    CHECK(both.try_acquire({.wait = 1s}, asio::use_future(here)).get() == inside);
    CHECK(mutex(at.client, "").acquire(asio::use_future(here)).get() == inside);
    CHECK(running_threads() == before);
}

// As a coroutine has it that was started on Asio's system executor.
TEST_CASE("a handler of the system executor is called on a thread of the client's context", "[tokens]")
{
    one_thread at;
    mutex m(at.client, "m");
    auto const before = running_threads();
    asio::any_io_executor const system = asio::system_executor();
    std::promise<std::thread::id> ran;
    m.is_locked(asio::bind_executor(system, [&](auto&&...) { ran.set_value(std::this_thread::get_id()); }));
    CHECK(ran.get_future().get() == at.thread.get_id());
    CHECK(running_threads() == before);
}

TEST_CASE("a future with a time limit has a value or an error code", "[tokens]")
{
    one_thread at;
    mutex free(at.client, "free");
    mutex busy(at.client, "busy");
    auto const held = busy.acquire(asio::use_future).get();
    constexpr int n = 300;
    CHECK(broken(n, [&] { return at.client.ready(asio::cancel_after(1s, asio::use_future)); }) == 0);
    CHECK(broken(n, [&] { return free.acquire(asio::cancel_after(1s, asio::use_future)); }) == 0);
    CHECK(broken(n, [&] { return free.acquire(asio::cancel_at(steady_clock::now() + 1s, asio::use_future)); }) == 0);
    CHECK(broken(n, [&] { return free.acquire(asio::cancel_after(1s, with_diagnostics(asio::use_future))); }) == 0);
    CHECK(broken(n, [&] { return free.acquire(with_diagnostics(asio::cancel_after(1s, asio::use_future))); }) == 0);

    auto const limited = [&] { return busy.acquire(asio::cancel_after(1ms, asio::use_future)); };
    CHECK(broken(n, [&] { return at.inside(limited); }) == 0);
    asio::steady_timer timer(at.context, steady_clock::time_point::max());
    auto const of_asio = [&] { return timer.async_wait(asio::cancel_after(1ms, asio::use_future)); };
    CHECK(broken(n, [&] { return at.inside(of_asio); }) == 0);
}

// ---- every operation with every adapter

// Counts the calls of handlers.
struct calls {
    std::atomic<int> expected = 0;
    std::atomic<int> came = 0;
    std::deque<asio::cancellation_signal> signals;  // for as long as a handler may have its slot
    std::deque<error_code> errors;                  // to which handlers are redirected
    bool is_inside = false;                         // operations are started by the thread that calls the handlers

    auto handler()
    {
        ++expected;
        return [this](auto&&...) { ++came; };
    }
};

// Starts an operation once with each adapter. `start(token)` begins it.
template <class Start>
void start_with_all(Start start, asio::any_io_executor const& e, calls& all)
{
    auto const strand = asio::make_strand(e);
    start(all.handler());
    start(asio::detached);
    start(asio::as_tuple(all.handler()));
    start(asio::bind_executor(strand, all.handler()));
    start(asio::bind_executor(asio::any_completion_executor(strand), all.handler()));
    start(asio::bind_executor(asio::system_executor(), all.handler()));
    start(asio::bind_executor(asio::any_io_executor(asio::system_executor()), all.handler()));
    start(asio::redirect_error(all.handler(), all.errors.emplace_back()));
    start(asio::bind_allocator(std::allocator<void>(), all.handler()));
    start(asio::bind_immediate_executor(strand, all.handler()));
    start(asio::bind_cancellation_slot(all.signals.emplace_back().slot(), all.handler()));
    start(asio::cancel_after(10s, asio::bind_executor(strand, all.handler())));
    start(asio::cancel_at(steady_clock::now() + 10s, all.handler()));
    start(asio::bind_executor(strand, asio::cancel_after(10s, all.handler())));
    start(with_diagnostics(all.handler()));
    start(asio::deferred)(all.handler());
    asio::experimental::make_parallel_group(start(asio::deferred), start(asio::deferred))
        .async_wait(asio::experimental::wait_for_all(), all.handler());
    if (all.is_inside)  // a promise of Asio is for one thread
        start(asio::experimental::use_promise)(all.handler());
    asio::co_spawn(strand, start(asio::use_awaitable), all.handler());
    asio::co_spawn(strand, start(asio::as_tuple(asio::use_awaitable)), all.handler());
    all.expected += 2;
    std::thread([&all, first = start(asio::use_future), second = start(asio::as_tuple(asio::use_future))]() mutable {
        for (auto wait :
             {+[](decltype(first)&f, decltype(second)&) { static_cast<void>(f.get()); },
              +[](decltype(first)&, decltype(second)&s) { static_cast<void>(s.get()); }}) {
            try {
                wait(first, second);
            } catch (boost::system::system_error const&) {}
            ++all.came;
        }
    }).detach();
}

void start_all_operations(client& c, lease& held, asio::any_io_executor const& e, calls& all)
{
    mutex m(c, "free");
    start_with_all([&](auto&& token) { return c.ready(std::forward<decltype(token)>(token)); }, e, all);
    start_with_all([&](auto&& token) { return m.is_locked(std::forward<decltype(token)>(token)); }, e, all);
    start_with_all(
        [&](auto&& token) { return m.try_acquire({.wait = 20ms}, std::forward<decltype(token)>(token)); }, e, all);
    start_with_all([&](auto&& token) { return held.extend(10s, std::forward<decltype(token)>(token)); }, e, all);
    // An operation that completes early, without the engine.
    start_with_all([&](auto&& token) { return mutex(c, "").acquire(std::forward<decltype(token)>(token)); }, e, all);
}

TEST_CASE("each operation calls the handler of each token once", "[tokens]")
{
    for (bool const from_inside : {false, true}) {
        CAPTURE(from_inside);
        one_thread at;
        auto held = mutex(at.client, "held").acquire(asio::use_future).get();
        calls all;
        all.is_inside = from_inside;
        std::promise<void> started;
        auto const start = [&] {
            start_all_operations(at.client, held, at.context.get_executor(), all);
            started.set_value();
        };
        if (from_inside)
            asio::post(at.context, start);
        else
            start();
        started.get_future().get();
        CHECK(wait_until([&] { return all.came == all.expected; }));
        CHECK(all.came == all.expected);
    }
}

// ---- coroutines that a time limit cancels, on several threads

// A token that shows the executor of the initiation, on which the timer of asio::cancel_after runs.
struct show_executor {
    asio::any_io_executor& to;
};

}  // namespace
}  // namespace holdfast::test

template <class... Signatures>
struct boost::asio::async_result<holdfast::test::show_executor, Signatures...> {
    template <class Initiation, class Token, class... Arguments>
    static void initiate(Initiation&& initiation, Token&& token, Arguments&&...)
    {
        token.to = initiation.get_executor();
    }
};

namespace holdfast::test {
namespace {

TEST_CASE("the time limit of with_lock and lead runs on the strand of the coroutine", "[tokens][with_lock]")
{
    asio::thread_pool pool(1);
    client c(pool, one_thread::settings());
    auto lock_body = [](lease&) -> asio::awaitable<void> { co_return; };
    auto leader_body = [](leadership&) -> asio::awaitable<void> { co_return; };
    using strand = engine::strand;
    asio::any_io_executor of;
    with_lock(mutex(c, "m"), lock_body, show_executor{of});
    CHECK(of.target<strand>() != nullptr);
    lead(election(c, "boss"), "v", {}, leader_body, show_executor{of = {}});
    CHECK(of.target<strand>() != nullptr);
}

TEST_CASE("with_lock on four threads calls each handler, also if a time limit ends it", "[tokens][with_lock]")
{
    asio::thread_pool pool(4);
    client c(pool, one_thread::settings());
    c.run(asio::detached);
    election boss(c, "boss");
    std::atomic<int> left = 0;
    auto const done = [&](std::exception_ptr) { --left; };
    auto work = [](auto&) -> asio::awaitable<void> {
        for (int i = 0; i < 5; ++i) {
            asio::steady_timer timer(co_await asio::this_coro::executor, 200us);
            co_await timer.async_wait(asio::use_awaitable);
        }
    };
    auto lock_body = [&](lease& l) { return work(l); };
    auto leader_body = [&](leadership& l) { return work(l); };
    for (int i = 0; i < 1000; ++i) {
        // Long enough for the call to return before it: Asio requires that.
        auto const limit = asio::chrono::milliseconds(300 + i % 100);
        left += 2;
        with_lock(mutex(c, std::to_string(i % 40)), {.wait = 1s}, lock_body, asio::cancel_after(limit, done));
        lead(boss, "v", {.wait = 1s}, leader_body, asio::cancel_after(limit, done));
    }
    CHECK(wait_until([&] { return left == 0; }));
    std::thread([&] { c.stop(); }).join();
    pool.join();
}

// ---- what an error says

TEST_CASE("an error of a future has no place in the sources of the library", "[tokens]")
{
    asio::io_context context;
    auto work = asio::make_work_guard(context);
    auto settings = one_thread::settings();
    settings.url = "redis://127.0.0.1:1";
    client c(context, settings);
    c.run(asio::detached);
    auto answer = c.ready(asio::cancel_after(200ms, asio::use_future));
    std::thread thread([&] { context.run(); });
    answer.wait();
    c.stop();
    work.reset();
    thread.join();  // an exception_ptr counts its owners in libstdc++.so, where ThreadSanitizer does not see it
    std::string text;
    try {
        answer.get();
    } catch (boost::system::system_error const& e) {
        text = e.what();
        CHECK_FALSE(e.code().has_location());
    }
    CHECK_FALSE(text.empty());
    CHECK(text.find(".hpp") == text.npos);
}

TEST_CASE("ready() completes as not_running when it is cancelled before run()", "[tokens]")
{
    asio::io_context context;
    client c(context, one_thread::settings());
    error_code ec;
    c.ready(asio::cancel_after(1ms, [&](error_code e) { ec = e; }));
    context.run();
    CHECK(ec == errc::not_running);
}

TEST_CASE("a loss, the state of a lease and the reason to yield have names", "[tokens]")
{
    CHECK(to_string(loss::key_missing) == "key_missing");
    CHECK(to_string(loss::client_stopped) == "client_stopped");
    CHECK(to_string(lease_state::at_risk) == "at_risk");
    CHECK(to_string(yield_reason::client_stopping) == "client_stopping");
}

}  // namespace
}  // namespace holdfast::test
