//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every operation with every completion token, started on every kind of thread, on every kind of executor. A timer of
// Asio is the control: what it survives, an operation of the library survives. HOLDFAST_ROUNDS is the number of starts
// of each combination (default 4).

#include "threads/token_table.hpp"

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "handle/mapped_handler.hpp"
#include "support/child.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using plain_handler = detail::handler_at<void(error_code)>;

int starts()
{
    auto const* text = std::getenv("HOLDFAST_ROUNDS");
    return text ? std::atoi(text) : 4;
}

std::ptrdiff_t threads_of_process()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

config silent()
{
    return {.url = "memory://", .log = [](log_level, std::string_view) {}};
}

// An operation of the library without the type of its result, so that each token is compiled once for all of them.
struct erased_launch {
    std::function<void(plain_handler)> launch;
    asio::any_io_executor executor;

    asio::any_io_executor get_executor() const noexcept { return executor; }
    void start(plain_handler h) && { launch(std::move(h)); }
};

struct erased_operation {
    erased_launch launch;

    template <class Token>
    auto operator()(Token&& token) const
    {
        return detail::initiate<void(error_code)>(erased_launch(launch), std::forward<Token>(token));
    }
};

// A completion token that takes the launch out of the operation.
struct take_launch {};

template <class... Results, class Launch>
erased_operation erase(Launch launch)
{
    auto const executor = asio::any_io_executor(launch.get_executor());
    auto const kept = std::make_shared<Launch>(std::move(launch));
    return {
        {[kept](plain_handler h) {
             auto to_plain = [&] {
                 if constexpr (sizeof...(Results) == 0)
                     return std::move(h);
                 else
                     return detail::map_handler<Results...>(
                         std::move(h),
                         [](auto to, detail::described_error ec, auto const&) { std::move(to)(std::move(ec)); });
             };
             Launch(*kept).start(to_plain());
         },
         executor}};
}

}  // namespace
}  // namespace holdfast::test

template <class... Results>
struct boost::asio::async_result<holdfast::test::take_launch, void(boost::system::error_code, Results...)> {
    template <class Initiation>
    static holdfast::test::erased_operation initiate(Initiation initiation, holdfast::test::take_launch)
    {
        static_assert(sizeof...(Results) <= 1);
        return holdfast::test::erase<Results...>(std::move(initiation.launch));
    }
};

namespace holdfast::test {
namespace {

// Where operations and handlers run.
struct place {
    std::string name;
    int threads;
    bool on_strand;  // the client's executor serialises
    bool is_serial() const { return threads == 1 || on_strand; }
};

std::vector<place> places()
{
    return {{"io_context", 1, false}, {"strand", 4, true}, {"thread_pool", 4, false}};
}

// A context with threads, and a client that is connected.
struct stage {
    explicit stage(place const& p) : where(p)
    {
        for (int i = 0; i < p.threads; ++i)
            running.emplace_back([this] { context.run(); });
        on = p.on_strand ? asio::any_io_executor(asio::make_strand(context)) : context.get_executor();
        serial = p.on_strand ? on : asio::any_io_executor(asio::make_strand(context));
        c.emplace(on, silent());
        c->run([](error_code) {});
        std::promise<void> ready;
        c->ready([&](error_code) { ready.set_value(); });
        ready.get_future().wait();
        all_threads = threads_of_process();
    }
    ~stage()
    {
        c->stop();
        c.reset();
        work.reset();
        for (auto& t : running)
            t.join();
    }

    place where;
    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::vector<std::thread> running;
    asio::any_io_executor on;      // of the client
    asio::any_io_executor serial;  // runs one function at a time
    std::optional<client> c;
    std::ptrdiff_t all_threads = 0;  // of the process: the library starts none
};

// Who starts the operations.
enum class caller { inside, outside, four_threads };

std::string_view to_string(caller c)
{
    return c == caller::inside ? "inside" : c == caller::outside ? "outside" : "four threads";
}

void start_all(stage& s, caller by, std::function<void()> const& start)
{
    if (by == caller::outside)
        return start();
    if (by == caller::inside) {
        std::promise<void> over;
        asio::post(s.where.is_serial() ? s.on : s.serial, [&] {
            start();
            over.set_value();
        });
        return over.get_future().wait();
    }
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back(start);
    for (auto& t : callers)
        t.join();
}

// Starts the operation with every token that suits the place, and requires one completion of each.
template <class Operation>
void check_tokens(stage& s, std::string const& what, Operation const& op, bool is_serial)
{
    auto const rows = token_rows(op);
    for (auto const by : {caller::inside, caller::outside, caller::four_threads})
        for (auto const& row : rows) {
            if (row.what == needs::serial_executor && !is_serial)
                continue;
            if (row.what == needs::one_thread && s.where.threads > 1)
                continue;
            if (row.name == "use_promise" && by != caller::inside)
                continue;  // a promise of Asio is for one thread
            INFO(what << ", " << row.name << ", on " << s.where.name << ", started " << to_string(by));
            auto const t = std::make_shared<token_tally>();
            start_all(s, by, [&] {
                for (int i = 0; i < starts(); ++i)
                    t->start([&] { row.start(*t, s.serial); });
            });
            t->await_futures(60s);
            REQUIRE(wait_until([&] { return t->completed() >= t->started(); }, 20s));
            CHECK(t->completed() == t->started());
            CHECK(t->inside() == 0);
            CHECK(wait_until([&] { return threads_of_process() <= s.all_threads; }, 5s));
        }
}

// The control: a timer for each operation, kept until the end.
struct timer_operation {
    struct store {
        std::mutex guard;
        std::deque<asio::steady_timer> timers;
    };

    asio::any_io_executor on;
    std::shared_ptr<store> all = std::make_shared<store>();

    asio::steady_timer& add() const
    {
        std::lock_guard const lock(all->guard);
        return all->timers.emplace_back(on, 1ms);
    }
    template <class Token>
    auto operator()(Token&& token) const
    {
        return add().async_wait(std::forward<Token>(token));
    }
};

// with_lock brings a strand of its own, so its deadlines suit every executor.
awaitable<void> three_steps(lease&)
{
    for (int i = 0; i < 3; ++i)
        co_await asio::post(asio::use_awaitable);
}

struct with_lock_operation {
    client* c;
    std::shared_ptr<std::atomic<int>> number = std::make_shared<std::atomic<int>>(0);

    template <class Token>
    auto operator()(Token&& token) const
    {
        return with_lock(
            mutex(*c, std::to_string((*number)++ % 20)), {.wait = 60s}, three_steps, std::forward<Token>(token));
    }
};

// The operations, by what decides how they complete: at once, with a reply, or after a wait. Those of an empty lease run
// on Asio's system executor, which serialises nothing, so no deadline suits them. A release and a downgrade are not here:
// each can be started once only.
std::vector<std::pair<std::string, erased_operation>> operations(stage& s, lease& held, leadership& led)
{
    auto& c = *s.c;
    take_launch const launch;
    election const boss(c, "boss");
    latch const open(c, "open");
    semaphore const permits(c, "permits", {.permits = 1'000'000});
    auto lost = mutex(c, "lost").acquire({.lease = 100ms}, asio::use_future).get();
    lost.lost(asio::use_future).get();
    return {
        {"client::run", c.run(launch)},
        {"client::ready", c.ready(launch)},
        {"client::shutdown, invalid", c.shutdown({.grace = -1ms}, launch)},
        {"acquire, invalid name", mutex(c, "").acquire(launch)},
        {"try_acquire", mutex(c, "held").try_acquire(launch)},
        {"acquire", permits.acquire(launch)},
        {"acquire of a multi_lock", multi_lock(permits, semaphore(c, "more", {.permits = 1'000'000})).acquire(launch)},
        {"is_locked", mutex(c, "held").is_locked(launch)},
        {"holders", mutex(c, "held").holders(launch)},
        {"force_release", mutex(c, "free").force_release(launch)},
        {"waiters", fair_lock(c, "fair").waiters(launch)},
        {"waiting_writer", read_write_lock(c, "document").waiting_writer(launch)},
        {"permits", permits.permits(launch)},
        {"add_permits", permits.add_permits(1, launch)},
        {"revoke", permits.revoke("6f1c1d0e-0000-8000-8000-000000000001:1", launch)},
        {"acquire of a red_lock", red_lock(std::vector<client const*>{&c}, "red").try_acquire({.wait = 60s}, launch)},
        {"set_permits", permits.set_permits(1'000'000, launch)},
        {"latch::set", latch(c, "latch").set(1000, launch)},
        {"latch::count_down", open.count_down(launch)},
        {"latch::count", open.count(launch)},
        {"latch::remove", open.remove(launch)},
        {"latch::wait", open.wait(launch)},
        {"election::campaign", boss.campaign("x", {.wait = 0ms}, launch)},
        {"election::current", boss.current(launch)},
        {"election::candidates", boss.candidates(launch)},
        {"election::force_release", election(c, "nobody").force_release(launch)},
        {"leadership::proclaim", led.proclaim("y", launch)},
        {"lease::extend", held.extend(1ms, launch)},
        {"lease::lost", lost.lost(launch)},
    };
}

TEST_CASE("every operation completes once with every completion token, from every thread", "[threads][tokens]")
{
    for (auto const& where : places()) {
        stage s(where);
        check_tokens(s, "a timer of Asio", timer_operation{s.on}, where.is_serial());
        auto held = mutex(*s.c, "held").acquire(asio::use_future).get();
        auto led = election(*s.c, "led").campaign("x", asio::use_future).get();
        for (auto const& [name, op] : operations(s, held, led))
            check_tokens(s, name, op, where.is_serial());
    }
}

TEST_CASE("with_lock completes once with every completion token, without a strand of the caller", "[threads][tokens]")
{
    for (auto const& where : places()) {
        stage s(where);
        check_tokens(s, "with_lock", with_lock_operation{&*s.c}, true);
    }
}

// Many starts, because what a missing strand loses, it loses rarely.
TEST_CASE("with_lock on four threads calls the handler of each deadline", "[threads][tokens]")
{
    constexpr int tasks = 4000;
    stage s(places().back());
    with_lock_operation const op{&*s.c};
    token_tally t;
    for (int i = 0; i < tasks; ++i)
        t.start([&] { op(asio::cancel_after(1min, completing(t))); });
    CHECK(wait_until([&] { return t.completed() == tasks; }, 30s));
}

}  // namespace
}  // namespace holdfast::test
