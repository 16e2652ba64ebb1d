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

config silent(std::string url = "memory://")
{
    return {.url = std::move(url), .log = [](log_level, std::string_view) {}};
}

// An operation of the library without the type of its result, so that each token is compiled once for all of them.
struct erased_initiation {
    std::function<void(plain_handler)> start;
    asio::any_io_executor executor;

    asio::any_io_executor get_executor() const noexcept { return executor; }
};

void start_erased(plain_handler h, erased_initiation l)
{
    l.start(std::move(h));
}

struct erased_operation {
    erased_initiation initiation;

    template <class Token>
    auto operator()(Token&& token) const
    {
        return detail::initiate(start_erased, std::forward<Token>(token), initiation);
    }
};

// A handler of an operation with these results, which drops them.
template <class... Results>
auto to_plain(plain_handler h)
{
    if constexpr (sizeof...(Results) == 0)
        return h;
    else
        return detail::map_handler<Results...>(
            std::move(h), [](auto to, detail::described_error ec, auto const&) { std::move(to)(std::move(ec)); });
}

// A completion token that takes the initiation out of the operation.
struct take_initiation {};

template <class... Results, class Initiation>
erased_operation erase(Initiation initiation)
{
    auto const executor = asio::any_io_executor(initiation.get_executor());
    auto const kept = std::make_shared<Initiation>(std::move(initiation));
    return {{[kept](plain_handler h) { Initiation(*kept).begin(to_plain<Results...>(std::move(h))); }, executor}};
}

// A completion token that starts the operation with the handler of another one. It suits an initiation that cannot be copied.
struct start_at_once {
    plain_handler to;
};

}  // namespace
}  // namespace holdfast::test

template <class... Results>
struct boost::asio::async_result<holdfast::test::take_initiation, void(boost::system::error_code, Results...)> {
    template <class Initiation>
    static holdfast::test::erased_operation initiate(Initiation initiation, holdfast::test::take_initiation)
    {
        static_assert(sizeof...(Results) <= 1);
        return holdfast::test::erase<Results...>(std::move(initiation));
    }
};

template <class... Results>
struct boost::asio::async_result<holdfast::test::start_at_once, void(boost::system::error_code, Results...)> {
    template <class Initiation>
    static void initiate(Initiation initiation, holdfast::test::start_at_once t)
    {
        static_assert(sizeof...(Results) <= 1);
        initiation.begin(holdfast::test::to_plain<Results...>(std::move(t.to)));
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
        for (auto* const name : {"first", "second", "third"})
            nodes.emplace_back(on, silent(std::string("memory://") + name));
        run(*c);
        for (auto& n : nodes)
            run(n);
        all_threads = threads_of_process();
    }
    ~stage()
    {
        c.reset();
        nodes.clear();
        work.reset();
        for (auto& t : running)
            t.join();
    }

    // Over three servers.
    red_lock quorum(std::string const& name) const
    {
        return {
            std::vector<client const*>{&nodes[0], &nodes[1], &nodes[2]},
            name,
            {.node_timeout = 5s, .trust_new_nodes = true}};
    }

    place where;
    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::vector<std::thread> running;
    asio::any_io_executor on;      // of the client
    asio::any_io_executor serial;  // runs one function at a time
    std::optional<client> c;
    std::deque<client> nodes;        // of the red_lock
    std::ptrdiff_t all_threads = 0;  // of the process: the library starts none

private:
    static void run(client& of)
    {
        of.run([](error_code) {});
        std::promise<void> ready;
        of.ready([&](error_code) { ready.set_value(); });
        ready.get_future().wait();
    }
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

awaitable<void> three_steps_of_leader(leadership&)
{
    for (int i = 0; i < 3; ++i)
        co_await asio::post(asio::use_awaitable);
}

struct lead_operation {
    client* c;
    std::shared_ptr<std::atomic<int>> number = std::make_shared<std::atomic<int>>(0);

    template <class Token>
    auto operator()(Token&& token) const
    {
        return lead(
            election(*c, std::to_string((*number)++ % 20)),
            "x",
            {.wait = 60s},
            three_steps_of_leader,
            std::forward<Token>(token));
    }
};

// What operations that can be started repeatedly are started on.
struct subjects {
    explicit subjects(client& c)
        : held(mutex(c, "held").acquire(asio::use_future).get()),
          several(multi_lock(mutex(c, "one"), mutex(c, "other")).acquire(asio::use_future).get()),
          led(election(c, "led").campaign("x", asio::use_future).get()),
          unhealthy(
              election(c, "unhealthy", {}, [this] { return is_healthy.load(); }).campaign("x", asio::use_future).get())
    {
        is_healthy = false;
    }

    std::atomic<bool> is_healthy = true;
    lease held, several;
    leadership led, unhealthy;
};

// The operations, by what decides how they complete: at once, with a reply, or after a wait. Those of an empty lease run
// on Asio's system executor, which serialises nothing, so no deadline suits them. Those that can be started once only are
// not here.
std::vector<std::pair<std::string, erased_operation>> operations(stage& s, subjects& h)
{
    auto& c = *s.c;
    take_initiation const take;
    election const boss(c, "boss");
    latch const open(c, "open");
    semaphore const permits(c, "permits", {.permits = 1'000'000});
    auto lost = mutex(c, "lost").acquire({.lease = 100ms}, asio::use_future).get();
    lost.lost(asio::use_future).get();
    return {
        {"client::run", c.run(take)},
        {"client::ready", c.ready(take)},
        {"client::shutdown, invalid", c.shutdown({.grace = -1ms}, take)},
        {"acquire, invalid name", mutex(c, "").acquire(take)},
        {"try_acquire", mutex(c, "held").try_acquire(take)},
        {"acquire", permits.acquire(take)},
        {"acquire of a multi_lock", multi_lock(mutex(c, "left"), mutex(c, "right")).acquire(take)},
        {"is_locked", mutex(c, "held").is_locked(take)},
        {"holders", mutex(c, "held").holders(take)},
        {"force_release", mutex(c, "free").force_release(take)},
        {"waiters", fair_lock(c, "fair").waiters(take)},
        {"waiting_writer", read_write_lock(c, "document").waiting_writer(take)},
        {"permits", permits.permits(take)},
        {"add_permits", permits.add_permits(1, take)},
        {"revoke", permits.revoke("6f1c1d0e-0000-8000-8000-000000000001:1", take)},
        {"acquire of a red_lock", s.quorum("red").try_acquire({.wait = 60s}, take)},
        {"set_permits", permits.set_permits(1'000'000, take)},
        {"latch::set", latch(c, "latch").set(1000, take)},
        {"latch::count_down", open.count_down(take)},
        {"latch::count", open.count(take)},
        {"latch::remove", open.remove(take)},
        {"latch::wait", open.wait(take)},
        {"election::campaign", boss.campaign("x", {.wait = 0ms}, take)},
        {"election::current", boss.current(take)},
        {"election::candidates", boss.candidates(take)},
        {"election::force_release", election(c, "nobody").force_release(take)},
        {"leadership::proclaim", h.led.proclaim("y", take)},
        {"leadership::asked_to_yield", h.unhealthy.asked_to_yield(take)},
        {"lease::extend", h.held.extend(1ms, take)},
        {"lease::extend of a multi_lock", h.several.extend(1ms, take)},
        {"lease::lost", lost.lost(take)},
    };
}

TEST_CASE("every operation completes once with every completion token, from every thread", "[threads][tokens]")
{
    for (auto const& where : places()) {
        stage s(where);
        check_tokens(s, "a timer of Asio", timer_operation{s.on}, where.is_serial());
        subjects h(*s.c);
        for (auto const& [name, op] : operations(s, h)) {
            CAPTURE(name);
            auto const ec = std::get<0>(op(asio::as_tuple(asio::use_future)).get());
            CHECK((ec == errc::invalid_option) == (name == "client::shutdown, invalid"));
            check_tokens(s, name, op, where.is_serial());
        }
    }
}

// At least as many as check_tokens() starts of one operation. A row may start two.
std::size_t starts_of_an_operation()
{
    auto const rows = token_rows(erased_operation());
    return rows.size() * 2 * static_cast<std::size_t>(starts()) * (1 + 1 + 4);
}

// The same for an operation that can be started once only, on one object each time: `make` returns a container of that
// many, `start` starts the operation on one of them.
template <class Make, class Start>
void check_tokens_once(stage& s, std::string const& what, Make make, Start start)
{
    auto all = make(starts_of_an_operation());
    std::atomic<std::size_t> taken = 0;
    auto const take = [&](plain_handler h) { start(all.at(taken++), start_at_once{std::move(h)}); };
    check_tokens(s, what, erased_operation{{take, s.on}}, s.where.is_serial());
    CHECK(taken > all.size() / 4);
}

// The results of that many calls of `acquire`, which gets the number of the call as text, and returns a future.
template <class Acquire>
auto acquired(Acquire acquire)
{
    return [acquire](std::size_t count) {
        std::vector<decltype(acquire(std::string()))> futures;
        for (std::size_t i = 0; i != count; ++i)
            futures.push_back(acquire(std::to_string(i)));
        std::vector<decltype(futures[0].get())> all;
        for (auto& f : futures)
            all.push_back(f.get());
        return all;
    };
}

TEST_CASE(
    "an operation that is started once completes once with every completion token, from every thread",
    "[threads][tokens]")
{
    constexpr auto& future = asio::use_future;
    auto const release = [](lease& l, start_at_once t) { l.release(std::move(t)); };
    for (auto const& where : places()) {
        stage s(where);
        auto& c = *s.c;
        check_tokens_once(s, "lease::release", acquired([&](auto n) { return mutex(c, n).acquire(future); }), release);
        check_tokens_once(
            s,
            "lease::release of a multi_lock",
            acquired([&](auto n) { return multi_lock(mutex(c, "a" + n), mutex(c, "b" + n)).acquire(future); }),
            release);
        check_tokens_once(
            s,
            "lease::release of a red_lock",
            acquired([&](auto n) { return s.quorum("red" + n).acquire(future); }),
            release);
        check_tokens_once(
            s,
            "lease::downgrade",
            acquired([&](auto n) { return read_write_lock(c, "document" + n).write().acquire(future); }),
            [](lease& l, start_at_once t) { l.downgrade(std::move(t)); });
        check_tokens_once(
            s,
            "leadership::resign",
            acquired([&](auto n) { return election(c, "boss" + n).campaign("x", future); }),
            [](leadership& l, start_at_once t) { l.resign(std::move(t)); });
        auto const led = election(c, "led").campaign("x", future).get();
        check_tokens_once(
            s,
            "leader_watch::next",
            [&](std::size_t count) {
                std::vector<leader_watch> all;
                for (std::size_t i = 0; i != count; ++i)
                    all.push_back(election(c, "led").observe());
                return all;
            },
            [](leader_watch& w, start_at_once t) { w.next(std::move(t)); });
        check_tokens_once(
            s,
            "client::shutdown",
            [&](std::size_t count) {
                std::deque<client> all;
                for (std::size_t i = 0; i != count; ++i)
                    all.emplace_back(s.on, silent()).run([](error_code) {});
                return all;
            },
            [](client& of, start_at_once t) { of.shutdown(std::move(t)); });
    }
}

TEST_CASE(
    "with_lock and lead complete once with every completion token, without a strand of the caller", "[threads][tokens]")
{
    for (auto const& where : places()) {
        stage s(where);
        check_tokens(s, "with_lock", with_lock_operation{&*s.c}, true);
        check_tokens(s, "lead", lead_operation{&*s.c}, true);
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
