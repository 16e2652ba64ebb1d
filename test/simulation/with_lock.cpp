//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every way in which with_lock can end.

#include <boost/asio/bind_cancellation_slot.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <holdfast/testing/server.hpp>

#include "engine/port/strand.hpp"
#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

struct no_default {
    explicit no_default(int n) : number(n) {}
    int number;
};

struct body_failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

TEST_CASE("with_lock returns the body's value and releases the lock", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto const n = co_await with_lock(m, [&](lease& l) -> awaitable<no_default> {
            CHECK(l.valid());
            CHECK(a.exists("m"));
            co_await a.sleep(10ms);
            co_return no_default(7);
        });
        CHECK(n.number == 7);
        CHECK_FALSE(a.exists("m"));
        bool ran = false;
        co_await with_lock(m, {.wait = 1s, .lease = 5s}, [&](lease&) -> awaitable<void> {
            ran = true;
            co_return;
        });
        CHECK(ran);
    });
}

TEST_CASE("with_lock fails as busy when the wait time ends", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto const held = co_await m.acquire();
        bool ran = false;
        auto body = [&](lease&) -> awaitable<void> {
            ran = true;
            co_return;
        };
        auto const waited = co_await error_of(with_lock(m, {.wait = 100ms}, body));
        CHECK(waited == errc::busy);
        auto const at_once = co_await error_of(with_lock(m, {.wait = 0ms}, body));
        CHECK(at_once == errc::busy);
        CHECK_FALSE(ran);
    });
}

TEST_CASE("with_lock reports the error of the acquire", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto body = [](lease&) -> awaitable<void> { co_return; };
        auto const unnamed = co_await error_of(with_lock(mutex(c, ""), body));
        CHECK(unnamed == errc::invalid_name);
    });
}

TEST_CASE("the exception of with_lock names the lock, the option and the server's words", "[with_lock]")
{
    using Catch::Matchers::StartsWith;
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        auto body = [](lease&) -> awaitable<void> { co_return; };
        mutex m(c, "a\nb");
        auto const short_lease = co_await text_of(with_lock(m, {.lease = 5ms}, body));
        CHECK_THAT(short_lease, StartsWith("lock \"a\\x0ab\": lease: must be at least 100 ms: an option is invalid"));

        auto held = co_await m.acquire();
        auto const busy = co_await text_of(with_lock(m, {.wait = 0ms}, body));
        CHECK_THAT(busy, StartsWith("lock \"a\\x0ab\": the lock was not acquired in time"));
        held = {};

        auto drop_it = [&](lease& l) -> awaitable<void> {
            co_await a.sleep(1ms);
            a.server().execute({"DEL", l.name()});
        };
        auto const lost = co_await text_of(with_lock(any_lock(m), drop_it));
        CHECK_THAT(lost, StartsWith("lock \"a\\x0ab\": the lease was lost"));

        a.server().model().set_condition(simulated::condition::out_of_memory);
        auto const refused = co_await text_of(with_lock(m, {.wait = 0ms}, body));
        CHECK_THAT(refused, StartsWith("lock \"a\\x0ab\": OOM command not allowed"));
        CHECK_THAT(refused, Catch::Matchers::ContainsSubstring("the server refuses to write"));
        // The last failure is that of another lock.
        auto const other = co_await text_of(with_lock(mutex(c, ""), body));
        CHECK_THAT(other, StartsWith("lock \"\": the name must"));
    });
}

TEST_CASE("with_lock rethrows the body's exception and releases the lock", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        bool caught = false;
        try {
            co_await with_lock(m, [&](lease&) -> awaitable<void> {
                co_await a.sleep(1ms);
                throw body_failed("why");
            });
        } catch (body_failed const& e) {
            caught = e.what() == std::string("why");
        }
        CHECK(caught);
        CHECK_FALSE(a.exists("m"));
    });
}

TEST_CASE("with_lock cancels the body when the lease is lost and fails as lease_lost", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto const start = a.now();
        bool was_cancelled = false;
        auto body = [&](lease& l) -> awaitable<void> {
            auto const end = validity(l);
            try {
                co_await a.sleep(1h);
            } catch (boost::system::system_error const& e) {
                was_cancelled = e.code() == asio::error::operation_aborted;
                CHECK(a.now() <= end);
                throw;
            }
        };
        auto const lost = co_await error_of(with_lock(m, {.lease = 1s}, body));
        CHECK(lost == errc::lease_lost);
        CHECK(was_cancelled);
        CHECK(a.now() - start < 1100ms);
    });
}

TEST_CASE("with_lock nests the body's exception in lease_lost when the lease was lost, too", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        bool nested = false;
        auto body = [&](lease&) -> awaitable<void> {
            error_code ec;
            co_await a.at("A").sleep(2s, asio::redirect_error(use_awaitable, ec));
            throw body_failed("why");
        };
        try {
            co_await with_lock(mutex(c, "m"), {.lease = 500ms}, body);
        } catch (boost::system::system_error const& e) {
            CHECK(e.code() == errc::lease_lost);
            try {
                std::rethrow_if_nested(e);
            } catch (body_failed const&) {
                nested = true;
            }
        }
        CHECK(nested);
    });
}

TEST_CASE("with_lock fails as lease_lost when the body returns after the loss", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto stubborn = [&](lease&) -> awaitable<int> {
            error_code ec;
            co_await a.at("A").sleep(10s, asio::redirect_error(use_awaitable, ec));
            co_return 7;
        };
        auto const outlived = co_await error_of(with_lock(mutex(c, "m"), {.lease = 500ms}, stubborn));
        CHECK(outlived == errc::lease_lost);

        auto robbed = [&](lease&) -> awaitable<void> {
            a.server().execute({"DEL", "m"});
            co_return;
        };
        auto const robbery = co_await error_of(with_lock(mutex(c, "m"), robbed));
        CHECK(robbery == errc::lease_lost);
    });
}

TEST_CASE("with_lock returns the body's value although the release gets no reply", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const start = a.now();
        auto const n = co_await with_lock(mutex(c, "m"), [&](lease&) -> awaitable<int> {
            a.server().pause();
            co_return 7;
        });
        CHECK(n == 7);
        CHECK(a.now() - start < 2s);
        a.server().resume();
        co_await a.sleep(5s);
        CHECK_FALSE(a.exists("m"));
    });
}

TEST_CASE("with_lock ends the body and releases the lock when it is cancelled in any phase", "[with_lock]")
{
    for (auto after : {0us, 10us, 300us, 700us, 1'000us, 1'500us, 2'000us, 3'000us, 50'000us}) {
        arena a;
        auto& c = a.client();
        a.run([&]() -> awaitable<void> { co_await c.ready(); });
        asio::cancellation_signal signal;
        bool body_ended = true;
        bool done = false;
        std::exception_ptr error;
        auto body = [&](lease&) -> awaitable<void> {
            body_ended = false;
            error_code ec;
            co_await a.at("A").sleep(1h, asio::redirect_error(use_awaitable, ec));
            body_ended = true;
        };
        auto const caller = [&]() -> awaitable<void> { co_await with_lock(mutex(c, "m"), body); };
        asio::co_spawn(
            a.at("A").get_executor(), caller(), asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) {
                done = true;
                error = e;
            }));
        a.world().run_for(after);
        signal.emit(asio::cancellation_type::terminal);
        a.world().run_until([&] { return done; });
        CHECK(body_ended);
        REQUIRE(error);
        try {
            std::rethrow_exception(error);
        } catch (boost::system::system_error const& e) {
            CHECK(e.code() == asio::error::operation_aborted);
        }
        a.world().run_for(2s);
        CHECK_FALSE(a.exists("m"));
        CHECK(a.census(c) == engine::client_engine::census{});
    }
}

TEST_CASE("with_lock does not cancel a body that releases the lease itself", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const n = co_await with_lock(mutex(c, "m"), [&](lease& l) -> awaitable<int> {
            co_await l.release();
            co_await a.sleep(1s);
            co_return 7;
        });
        CHECK(n == 7);
    });
}

TEST_CASE("with_lock does not start the body on a lease that ended while the process was paused", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> { co_await c.ready(); });
    bool ran = false;
    error_code ec;
    bool done = false;
    auto body = [&](lease&) -> awaitable<void> {
        ran = true;
        co_return;
    };
    a.spawn([&]() -> awaitable<void> {
        ec = co_await error_of(with_lock(mutex(c, "m"), {.lease = 1s}, body));
        done = true;
    });
    a.world().run_until([&] { return a.exists("m"); });
    a.at("A").pause_for(5s);
    a.world().run_until([&] { return done; });
    // Either the client released late grants until one came in time, or it never started the body.
    CHECK((ec == errc::lease_lost ? !ran : ran));
}

TEST_CASE("with_lock runs the body on a strand of its own over the caller's executor", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const mine = co_await asio::this_coro::executor;
        auto body = [&](lease&) -> awaitable<void> {
            auto const here = co_await asio::this_coro::executor;
            auto const* const strand = here.target<engine::strand>();
            REQUIRE(strand);
            CHECK(strand->get_inner_executor() == mine);
            CHECK(strand->running_in_this_thread());
            co_await a.sleep(1ms);
            CHECK(strand->running_in_this_thread());
        };
        co_await with_lock(mutex(c, "m"), body);
        auto const back = co_await asio::this_coro::executor;
        CHECK(back == mine);
    });
}

TEST_CASE("with_lock cancels the body for every cancellation type that the caller enables", "[with_lock]")
{
    using asio::cancellation_type;
    for (auto const type : {cancellation_type::terminal, cancellation_type::partial, cancellation_type::total}) {
        arena a;
        auto& c = a.client();
        auto& signal = a.world().new_signal();
        error_code ended;
        error_code of_body;
        auto body = [&](lease&) -> awaitable<void> {
            co_await a.at("A").sleep(1h, asio::redirect_error(use_awaitable, of_body));
        };
        auto const caller = [&]() -> awaitable<void> {
            co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
            ended = co_await error_of(with_lock(mutex(c, "m"), body));
        };
        asio::co_spawn(a.at("A").get_executor(), caller(), asio::bind_cancellation_slot(signal.slot(), asio::detached));
        a.world().run_for(1s);
        signal.emit(type);
        a.world().run_for(1s);
        REQUIRE(of_body == asio::error::operation_aborted);  // else the body would use destroyed objects
        REQUIRE(ended == asio::error::operation_aborted);
        CHECK_FALSE(a.exists("m"));
    }
}

TEST_CASE("with_lock restores the caller's cancellation state", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    auto& signal = a.world().new_signal();
    bool aborted = false;
    auto const caller = [&]() -> awaitable<void> {
        co_await with_lock(mutex(c, "m"), [](lease&) -> awaitable<void> { co_return; });
        bool const throws = co_await asio::this_coro::throw_if_cancelled();
        CHECK(throws);
        try {
            co_await a.sleep(1h);
        } catch (boost::system::system_error const& e) {
            aborted = e.code() == asio::error::operation_aborted;
        }
    };
    asio::co_spawn(a.at("A").get_executor(), caller(), asio::bind_cancellation_slot(signal.slot(), asio::detached));
    a.world().run_for(1s);
    signal.emit(asio::cancellation_type::terminal);
    a.world().run_for(1s);
    REQUIRE(aborted);
}

TEST_CASE("a cancelled with_lock does not wait for the reply to its release", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    auto& signal = a.world().new_signal();
    core::instant ended{};
    error_code ec;
    auto body = [&](lease&) -> awaitable<void> {
        error_code ignored;
        co_await a.at("A").sleep(1h, asio::redirect_error(use_awaitable, ignored));
    };
    auto const caller = [&]() -> awaitable<void> {
        ec = co_await error_of(with_lock(mutex(c, "m"), body));
        ended = a.now();
    };
    asio::co_spawn(a.at("A").get_executor(), caller(), asio::bind_cancellation_slot(signal.slot(), asio::detached));
    a.world().run_for(1s);
    a.server().pause();
    auto const start = a.now();
    signal.emit(asio::cancellation_type::terminal);
    a.world().run_for(1s);
    CHECK(ec == asio::error::operation_aborted);
    CHECK(ended - start < 1ms);
    a.server().resume();
    a.world().run_for(3s);
    CHECK_FALSE(a.exists("m"));
}

TEST_CASE("the wait time of with_lock does not limit its body", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const n = co_await with_lock(mutex(c, "m"), {.wait = 100ms}, [&](lease&) -> awaitable<int> {
            co_await a.sleep(10s);
            co_return 7;
        });
        CHECK(n == 7);
    });
}

TEST_CASE("with_lock takes a completion token", "[with_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> { co_await c.ready(); });
    auto const seven = [&](lease&) -> awaitable<int> {
        co_await a.sleep(1ms);
        co_return 7;
    };
    int result = 0;
    with_lock(mutex(c, "m"), seven, [&](std::exception_ptr e, int n) {
        CHECK_FALSE(e);
        result = n;
    });
    a.world().run_for(1s);
    CHECK(result == 7);
    CHECK_FALSE(a.exists("m"));

    std::string what;
    with_lock(mutex(c, "m"), {.lease = 5ms}, seven, [&](std::exception_ptr e, int) {
        try {
            std::rethrow_exception(e);
        } catch (error const& refused) {
            what = refused.what();
        }
    });
    a.world().run_for(1s);
    CHECK_THAT(what, Catch::Matchers::StartsWith("lock \"m\": lease: must be at least 100 ms"));
}

// In real time, because the executor of a simulated process is an any_io_executor.
TEST_CASE("with_lock runs coroutines of any executor type", "[with_lock]")
{
    using executor = asio::io_context::executor_type;
    asio::io_context context;
    testing::server redis(context);
    client c(context, redis.config());
    c.run(asio::detached);
    int result = 0;
    auto const body = [](lease& l) -> asio::awaitable<int, executor> {
        CHECK(l.valid());
        co_return 7;
    };
    auto const caller = [&]() -> asio::awaitable<void, executor> {
        result = co_await with_lock(mutex(c, "m"), body);
        c.stop();
    };
    asio::co_spawn(context.get_executor(), caller(), [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    });
    context.run();
    CHECK(result == 7);
}

}  // namespace
}  // namespace holdfast::test
