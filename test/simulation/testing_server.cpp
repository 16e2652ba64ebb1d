//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// holdfast::testing::server and memory:// sessions. The tests run in real time: they wait for events, not for a time.

#include <chrono>
#include <deque>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast/testing/server.hpp>

#include "sim/memory_session.hpp"

namespace holdfast::test {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct counting_command final : engine::command {
    void on_answer(engine::answer const& a) override
    {
        ++answers;
        outcome = a.outcome;
        text = a.value.text;
        integer = a.value.integer;
    }

    int answers = 0;
    engine::outcome outcome = engine::outcome::unknown;
    std::string text;
    std::int64_t integer = 0;
};

// One memory:// session on an io_context, its world, and their events.
class client_of final : public engine::session_events, public engine::world_events {
public:
    client_of(asio::io_context& c, config const& cfg)
        : context_(c), io_(simulated::make_memory_io(engine::strand(c.get_executor()), cfg, {}))
    {
        world().start(*this);
        session().start(*this);
        until([this] { return opened == 1; });
    }
    ~client_of() { stop(); }

    engine::world& world() { return *io_.world; }
    engine::session& session() { return *io_.session; }
    void stop()
    {
        session().stop();
        world().stop();
    }

    counting_command& send(std::initializer_list<std::string_view> text)
    {
        commands_.emplace_back();
        session().submit(commands_.back(), {text.begin(), text.size()});
        return commands_.back();
    }

    counting_command& execute(std::initializer_list<std::string_view> text)
    {
        auto& c = send(text);
        until([&] { return c.answers == 1; });
        return c;
    }

    template <class Predicate>
    void until(Predicate done)
    {
        auto const limit = std::chrono::steady_clock::now() + 10s;
        while (!done() && std::chrono::steady_clock::now() < limit) {
            context_.restart();
            context_.run_one_for(100ms);
        }
        REQUIRE(done());
    }

    int opened = 0;
    int closed = 0;
    int messages = 0;
    int alarms = 0;

private:
    void on_open() override { ++opened; }
    void on_closed(engine::closing const&) override { ++closed; }
    void on_message(std::string_view) override { ++messages; }
    void on_turn_end() override {}
    void on_alarm() override { ++alarms; }

    asio::io_context& context_;
    std::deque<counting_command> commands_;
    engine::client_io io_;
};

TEST_CASE("sessions with the same memory:// name and io_context share a server", "[memory]")
{
    asio::io_context ioc;
    config named;
    named.url = "memory://shared";
    config unnamed;
    unnamed.url = "memory://";
    client_of a(ioc, named), b(ioc, named), c(ioc, unnamed), d(ioc, unnamed);
    CHECK(a.execute({"SET", "k", "1", "NX"}).text == "OK");
    CHECK(b.execute({"GET", "k"}).text == "1");
    CHECK(c.execute({"EXISTS", "k"}).integer == 0);
    CHECK(c.execute({"SET", "k", "1", "NX"}).text == "OK");
    CHECK(d.execute({"EXISTS", "k"}).integer == 0);

    asio::io_context elsewhere;
    client_of e(elsewhere, named);
    CHECK(e.execute({"EXISTS", "k"}).integer == 0);
}

TEST_CASE("a memory session refuses an invalid URL", "[memory]")
{
    asio::io_context ioc;
    config bad;
    for (auto const* const url : {"memory:/x", "memory://a/b", "memory://a:1", "memory://u@a", "redis://a"}) {
        bad.url = url;
        CHECK_THROWS_AS(simulated::make_memory_io(engine::strand(ioc.get_executor()), bad, {}), std::invalid_argument);
    }
}

TEST_CASE("a message reaches all subscribed sessions, including the one that sent it", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config()), b(ioc, redis.config());
    a.session().subscribe("news");
    b.session().subscribe("news");
    a.execute({"PING"});
    b.execute({"PING"});
    CHECK(a.execute({"EVAL", "return redis.call('publish', 'news', 'x')", "0"}).integer == 2);
    a.until([&] { return a.messages == 1 && b.messages == 1; });
    a.session().unsubscribe("news");
    CHECK(a.execute({"PUBLISH", "news", "x"}).integer == 1);
}

TEST_CASE("the alarm of a memory:// client fires in real time", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config());
    auto const begin = a.world().now();
    a.world().wake_at(begin + 20ms);
    a.until([&] { return a.alarms == 1; });
    CHECK(a.world().now() >= begin + 20ms);
}

TEST_CASE("a stopped session leaves no work on the io_context", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config());
    a.world().wake_at(a.world().now() + 1h);
    a.send({"PING"});
    a.stop();
    auto const begin = std::chrono::steady_clock::now();
    ioc.restart();
    ioc.run();
    CHECK(std::chrono::steady_clock::now() - begin < 1s);
}

TEST_CASE("a memory session may outlive its testing server and be destroyed without stop()", "[memory]")
{
    testing::server* redis = nullptr;
    {
        asio::io_context ioc;
        redis = new testing::server(ioc);
        auto const io = simulated::make_memory_io(engine::strand(ioc.get_executor()), redis->config(), {});
        delete redis;
    }
}

TEST_CASE("drop() deletes the keys of waiters, too", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config());
    for (auto const* const key :
         {"redisson_lock_queue:{seat}",
          "redisson_lock_timeout:{seat}",
          "holdfast_lock_waiters:{seat}",
          "holdfast_lock_priority:{seat}",
          "holdfast_writer_waiting:{seat}",
          "holdfast_readers_waiting:{seat}"}) {
        CAPTURE(key);
        a.execute({"SET", key, "text"});
        redis.drop("seat");
        CHECK(a.execute({"EXISTS", key}).integer == 0);
    }
}

TEST_CASE("hold(), expire(), drop() and release() change a lock; only release() of a held lock notifies", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config());
    CHECK_FALSE(redis.is_locked("seat"));
    a.execute({"SET", "seat", "mine", "PX", "30000"});
    CHECK(redis.is_locked("seat"));

    redis.hold("seat");
    CHECK(a.execute({"GET", "seat"}).text != "mine");
    CHECK(redis.is_locked("seat"));
    redis.expire("seat");
    CHECK_FALSE(redis.is_locked("seat"));

    for (auto const* const channel : {"redisson_lock__channel:{seat}", "redisson_rwlock:{seat}"})
        a.session().subscribe(channel);
    a.execute({"PING"});
    redis.release("seat");
    redis.hold("seat");
    redis.drop("seat");
    a.execute({"PING"});
    CHECK(a.messages == 0);
    redis.hold("seat");
    redis.release("seat");
    a.until([&] { return a.messages == 2; });
    CHECK_FALSE(redis.is_locked("seat"));
}

TEST_CASE("drop() also deletes the readers' slots of a read-write lock", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config());
    a.execute({"HSET", "doc", "mode", "read", "r1", "1"});
    a.execute({"SET", "{doc}:r1:rwlock_timeout:1", "1"});
    redis.drop("doc");
    CHECK(a.execute({"DBSIZE"}).integer == 0);
}

TEST_CASE("a paused server accepts commands and executes them after resume()", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    auto cfg = redis.config();
    cfg.command_timeout = 30ms;
    client_of a(ioc, cfg);
    redis.pause();
    CHECK(a.execute({"SET", "k", "1"}).outcome == engine::outcome::unknown);
    CHECK_FALSE(redis.is_locked("k"));
    redis.resume();
    CHECK(redis.is_locked("k"));
    CHECK(a.execute({"GET", "k"}).text == "1");
}

TEST_CASE("clients reconnect after disconnect()", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config());
    redis.disconnect();
    a.until([&] { return a.closed == 1 && a.opened == 2; });
    CHECK(a.execute({"PING"}).text == "PONG");
}

TEST_CASE("a session continues to work after its testing server was destroyed", "[memory]")
{
    asio::io_context ioc;
    auto redis = std::make_unique<testing::server>(ioc);
    client_of a(ioc, redis->config());
    redis = nullptr;
    CHECK(a.execute({"SET", "k", "1"}).text == "OK");
}

TEST_CASE("a testing server may be used from another thread", "[memory]")
{
    asio::io_context ioc;
    testing::server redis(ioc);
    client_of a(ioc, redis.config());
    std::thread other([&] {
        for (int i = 0; i != 200; ++i) {
            redis.hold("seat");
            redis.is_locked("seat");
            redis.release("seat");
        }
    });
    a.session().subscribe("redisson_lock__channel:{seat}");
    for (int i = 0; i != 200; ++i)
        a.execute({"SET", "k", "1"});
    other.join();
    CHECK(a.closed == 0);
}

}  // namespace
}  // namespace holdfast::test
