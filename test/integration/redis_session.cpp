//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "redis/session.hpp"
#include "support/redis_server.hpp"
#include "support/session_probe.hpp"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using engine::outcome;
using engine::refusal;
using kind = engine::reply::kind;

TEST_CASE("session: it opens over a UNIX socket and over TCP", "[redis]")
{
    redis_server server;
    for (auto const& url : {server.url(), server.tcp_url()}) {
        CAPTURE(url);
        session_probe probe(url);
        CHECK_FALSE(probe.session().is_open());
        REQUIRE(probe.start_and_open());
        CHECK(probe.session().is_open());
        auto const& set = probe.execute({"SET", "k", "v"});
        CHECK(set.outcome == outcome::applied);
        CHECK(set.text == "OK");
        CHECK(probe.execute({"GET", "k"}).text == "v");
        CHECK(probe.opened == 1);
        CHECK(probe.closed.empty());
    }
}

TEST_CASE("session: the words of a command may contain any bytes", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    constexpr std::string_view odd("a\r\n\0*3\xff ", 8);
    CHECK(probe.execute({"ECHO", odd}).text == odd);
    CHECK(probe.execute({"ECHO", ""}).text.empty());
    CHECK(probe.execute({"PING"}).text == "PONG");
}

TEST_CASE("session: it reads nil, integers, texts, arrays and maps", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"GET", "none"}).type == kind::nil);
    CHECK(probe.execute({"INCR", "n"}).integer == 1);
    CHECK(probe.execute({"INFO", "server"}).text.starts_with("# Server"));
    CHECK(probe.execute({"LRANGE", "none", "0", "-1"}).type == kind::array);

    auto const& list = probe.execute({"EVAL", "return {1, 'two', false, redis.error_reply('ERR three')}", "0"});
    REQUIRE(list.items.size() == 4);
    CHECK(list.items[0].integer == 1);
    CHECK(list.items[1].text == "two");
    CHECK(list.items[2].type == kind::nil);
    CHECK(list.items[3].text == "ERR three");

    probe.execute({"HSET", "h", "a", "1"});
    CHECK(probe.execute({"HGETALL", "h"}).items.size() == 2);
}

TEST_CASE("session: a large array is read completely", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto const& list = probe.execute(
        {"EVAL", "local t = {} for i = 1, 5000 do t[i] = 'element number ' .. i end return t", "0"});
    REQUIRE(list.items.size() == 5000);
    CHECK(list.items[0].text == "element number 1");
    CHECK(list.items[4999].text == "element number 5000");
}

TEST_CASE("session: a reply with nested arrays closes the connection", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"EVAL", "return {{1}}", "0"}).outcome == outcome::unknown);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.closed.at(0).code == errc::protocol);
}

TEST_CASE("session: a reply above the size limit closes the connection", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"EVAL", "return string.rep('x', 2000000)", "0"}).outcome == outcome::unknown);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"PING"}).text == "PONG");
}

TEST_CASE("session: error replies of the server are classified", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());

    auto const& unknown_script = probe.execute({"EVALSHA", std::string(40, '0'), "0"});
    CHECK(unknown_script.outcome == outcome::refused);
    CHECK(unknown_script.why == refusal::no_script);
    CHECK(unknown_script.words.starts_with("NOSCRIPT"));

    server.command({"SADD", "s", "x"});
    CHECK(probe.execute({"GET", "s"}).why == refusal::wrong_type);
    CHECK(probe.execute({"SET", "a", "b", "NONSENSE"}).why == refusal::unsupported);
    server.command({"CONFIG", "SET", "maxmemory", "1"});
    CHECK(probe.execute({"SET", "a", "b"}).why == refusal::out_of_resources);
    CHECK(probe.closed.empty());
}

TEST_CASE("session: the error for an unknown command is reported without its arguments", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto const& c = probe.execute({"NONSENSE", "hunter2"});
    CHECK(c.why == refusal::unsupported);
    CHECK(c.words.find("hunter2") == std::string::npos);
}

TEST_CASE("session: the commands of one turn are sent in one write and answered in order", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    probe.execute({"PING"});

    auto const reads = [&] { return std::stol(server.info("total_reads_processed")); };
    auto const before = reads();
    std::vector<sent_command*> sent;
    std::vector<int> order;
    for (int i = 0; i < 100; ++i) {
        sent.push_back(&probe.send({"ECHO", std::to_string(i)}));
        sent.back()->then = [&order, i] { order.push_back(i); };
    }
    REQUIRE(probe.run_until([&] { return order.size() == 100; }));
    // The read of these commands, that of INFO itself, and perhaps that of a health check.
    CHECK(reads() - before <= 3);
    CHECK(std::is_sorted(order.begin(), order.end()));
    for (int i = 0; i < 100; ++i)
        CHECK(sent[static_cast<std::size_t>(i)]->text == std::to_string(i));
}

TEST_CASE("session: a command submitted at the end of a turn is sent with the others of the turn", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    int ends = 0;
    sent_command* last = nullptr;
    probe.when_turn_ends = [&] {
        ++ends;
        last = &probe.send({"GET", "k"});
    };
    probe.session().await_turn_end();
    probe.session().await_turn_end();
    auto const& first = probe.send({"SET", "k", "v"});
    REQUIRE(probe.run_until([&] { return last && last->answered; }));
    CHECK(ends == 1);
    CHECK(last->text == "v");
    CHECK(last->sent == first.sent);
}

TEST_CASE("session: a server that may evict locks is reported once", "[redis]")
{
    redis_server server{"maxmemory 100mb", "maxmemory-policy volatile-ttl"};
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.count_of_lines("maxmemory-policy volatile-ttl: the server evicts locks") == 1);
}

TEST_CASE("session: submit() does not complete the command before it returns", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto const before = probe.world().now();
    auto& c = probe.send({"PING"});
    CHECK_FALSE(c.answered);
    REQUIRE(probe.run_until([&] { return c.answered; }));
    CHECK(c.sent >= before);
    CHECK(c.sent <= probe.world().now());
}

TEST_CASE("session: a command may be submitted again from its on_answer()", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto& c = probe.send({"INCR", "n"});
    std::array<std::string_view, 2> const words{"INCR", "n"};
    c.then = [&] {
        if (c.integer < 1000)
            probe.session().submit(c, words);
    };
    REQUIRE(probe.run_until([&] { return c.integer == 1000; }));
    CHECK(c.times == 1000);
}

TEST_CASE("session: subscriptions are sent in order with the commands, in one write with them", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto const reads = [&] { return std::stol(server.info("total_reads_processed")); };
    auto const before = reads();
    auto const& none = probe.send({"PUBSUB", "NUMSUB", "ch"});
    probe.session().subscribe("ch");
    auto const& one = probe.send({"PUBSUB", "NUMSUB", "ch"});
    probe.session().unsubscribe("ch");
    auto const& none_again = probe.send({"PUBSUB", "NUMSUB", "ch"});
    REQUIRE(probe.run_until([&] { return none_again.answered; }));
    CHECK(reads() - before <= 3);
    CHECK(none.items.at(1).integer == 0);
    CHECK(one.items.at(1).integer == 1);
    CHECK(none_again.items.at(1).integer == 0);
    CHECK(probe.session().notifies());
}

TEST_CASE("session: messages of subscribed channels are delivered, and no others", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    probe.session().subscribe("one");
    probe.session().subscribe("two");
    probe.execute({"PING"});
    server.command({"PUBLISH", "one", std::string(100'000, 'x')});
    server.command({"PUBLISH", "two", ""});
    server.command({"PUBLISH", "three", "0"});
    REQUIRE(probe.run_until([&] { return probe.messages.size() == 2; }));
    CHECK(probe.messages == std::vector<std::string>{"one", "two"});
}

TEST_CASE("session: a thousand messages in a row do not prevent a reply", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    probe.session().subscribe("ch");
    auto const& c = probe.execute({"EVAL", "for i = 1, 1000 do redis.call('publish', 'ch', i) end return 'done'", "0"});
    CHECK(c.text == "done");
    // Redis 7.0 sends a client its own messages before the reply, later versions send them after it.
    CHECK(probe.run_until([&] { return probe.messages.size() == 1000; }));
}

TEST_CASE("session: it selects the configured database and sets the client's name", "[redis]")
{
    redis_server server;
    auto options = session_probe::with_url(server.url() + "?db=5");
    options.name = "billing@host-7";
    session_probe probe(options);
    REQUIRE(probe.start_and_open());
    probe.execute({"SET", "k", "v"});
    CHECK(server.info("db5").starts_with("keys=1"));
    CHECK(server.info("db0").empty());
    CHECK(server.command({"CLIENT", "LIST"}).text.find("name=billing@host-7 ") != std::string::npos);
}

TEST_CASE("session: an alarm occurs once, at the earliest of the requested times", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto& s = probe.world();
    auto const start = s.now();
    s.wake_at(start + 60s);
    s.wake_at(start + 30ms);  // an earlier one replaces a later one
    s.wake_at(start + 40ms);  // a later one is ignored
    CHECK(probe.alarms == 0);
    REQUIRE(probe.run_until([&] { return probe.alarms == 1; }));
    CHECK(s.now() >= start + 30ms);
    probe.run_for(50ms);
    CHECK(probe.alarms == 1);

    s.wake_at(start);  // in the past: soon, but not from inside the call
    CHECK(probe.alarms == 1);
    REQUIRE(probe.run_until([&] { return probe.alarms == 2; }));
}

TEST_CASE("session: an alarm that needs more than one timer wait does not occur early", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto const at = probe.world().now() + 1200ms;
    probe.world().wake_at(at);
    REQUIRE(probe.run_until([&] { return probe.alarms == 1; }));
    CHECK(probe.world().now() >= at);
}

TEST_CASE("session: the exception for an invalid option names the option", "[redis]")
{
    using Catch::Matchers::Message;
    config bad;
    bad.url = "redis://h:x";
    CHECK_THROWS_AS(session_probe(bad), std::invalid_argument);
    bad.url = "redis://h";
    bad.name = "with space";
    CHECK_THROWS_MATCHES(
        session_probe(bad),
        std::invalid_argument,
        Message("name: must have only printable ASCII characters and no spaces"));
    bad.name.clear();
    bad.tls.ca_file = "/some/file";
    CHECK_THROWS_MATCHES(
        session_probe(bad),
        std::invalid_argument,
        Message("tls.ca_file: has an effect only with rediss://, rediss+cluster:// and rediss+sentinel://"));
}

TEST_CASE("session: an unencrypted password leads to one warning, and no log line contains it", "[redis]")
{
    session_probe probe("redis://u:hunter2@example.invalid");
    CHECK(probe.count_of_lines("without encryption") == 1);
    probe.start();
    probe.run_until([&] { return !probe.closed.empty(); });
    CHECK_FALSE(probe.has_logged("hunter2"));
}
