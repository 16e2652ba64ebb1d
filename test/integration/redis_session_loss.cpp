//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <holdfast/error.hpp>

#include "support/kill_count.hpp"
#include "support/proxy.hpp"
#include "support/redis_server.hpp"
#include "support/session_probe.hpp"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using engine::outcome;
using engine::refusal;

namespace {

// Returns the number of the server's connections with that name.
std::size_t count_of_clients(redis_server& server, std::string const& name)
{
    auto const list = server.command({"CLIENT", "LIST"}).text;
    std::size_t n = 0;
    for (auto at = list.find("name=" + name + " "); at != list.npos; at = list.find("name=" + name + " ", at + 1))
        ++n;
    return n;
}

config named(std::string url, std::string name)
{
    auto c = session_probe::with_url(std::move(url));
    c.name = std::move(name);
    return c;
}

}  // namespace

TEST_CASE("session loss: a command without a reply in time ends as unknown, and its late reply is dropped", "[redis]")
{
    redis_server server;
    auto options = session_probe::with_url(server.url());
    options.command_timeout = 100ms;
    session_probe probe(options);
    REQUIRE(probe.start_and_open());

    server.freeze();
    auto& first = probe.send({"SET", "k", "1"});
    auto& second = probe.send({"GET", "k"});
    REQUIRE(probe.run_until([&] { return second.answered; }));
    CHECK(first.outcome == outcome::unknown);
    CHECK(second.outcome == outcome::unknown);
    CHECK(probe.world().now() >= first.sent + 100ms);
    CHECK(probe.session().is_open());

    auto& third = probe.send({"ECHO", "third"});
    server.thaw();
    REQUIRE(probe.run_until([&] { return third.answered; }));
    auto const& fourth = probe.execute({"GET", "k"});
    CHECK(fourth.text == "1");
    if (third.outcome == outcome::applied)
        CHECK(third.text == "third");
    CHECK(first.times == 1);
    CHECK(second.times == 1);
    CHECK(probe.opened == 1);
}

TEST_CASE("session loss: commands of a lost connection end as unknown, and then a new epoch opens", "[redis]")
{
    redis_server server;
    session_probe probe(named(server.url(), "victim"));
    REQUIRE(probe.start_and_open());

    server.freeze();
    auto& c = probe.send({"SET", "k", "v"});
    std::vector<std::string> order;
    c.then = [&] { order.push_back("answer"); };
    probe.when_closed = [&] {
        order.push_back("closed");
        CHECK_FALSE(probe.session().is_open());
    };
    probe.when_open = [&] { order.push_back("open"); };
    probe.run_for(20ms);
    probe.session().drop("the test says so");
    CHECK_FALSE(probe.session().is_open());
    CHECK(order.empty());
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    server.thaw();
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(c.outcome == outcome::unknown);
    CHECK(c.times == 1);
    CHECK(order == std::vector<std::string>{"answer", "closed", "open"});
    CHECK(probe.closed.at(0).words.ends_with(": the test says so"));
    CHECK_FALSE(probe.closed.at(0).permanent);
    CHECK(probe.execute({"PING"}).text == "PONG");
}

TEST_CASE("session loss: a new epoch opens after the previous connection was killed", "[redis]")
{
    redis_server server{logs_commands};
    session_probe probe(named(server.url(), "victim"));
    REQUIRE(probe.start_and_open());
    CHECK(kill_count(server) == 0);
    std::size_t clients_when_open = 0;
    probe.when_open = [&] { clients_when_open = count_of_clients(server, "victim"); };
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(clients_when_open == 1);
    CHECK(kill_count(server) == 1);
    CHECK(probe.closed.size() == 1);
}

TEST_CASE("session loss: no CLIENT KILL is sent to a server that was restarted", "[redis]")
{
    redis_server server{logs_commands};
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    server.restart();
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(kill_count(server) == 0);
}

TEST_CASE("session loss: it connects again after each CLIENT KILL", "[redis]")
{
    redis_server server;
    session_probe probe(server.tcp_url());
    REQUIRE(probe.start_and_open());
    for (int i = 2; i <= 5; ++i) {
        server.command({"CLIENT", "KILL", "USER", "default"});
        REQUIRE(probe.run_until([&] { return probe.opened == i; }));
        CHECK(probe.execute({"PING"}).text == "PONG");
    }
    CHECK(probe.closed.size() == 4);
    CHECK(probe.has_logged("no connection to redis://127.0.0.1"));
}

TEST_CASE("session loss: the log names the setting by which the server may have closed the connection", "[redis]")
{
    redis_server server;
    session_probe probe(server.tcp_url());
    REQUIRE(probe.start_and_open());
    probe.session().subscribe("ch");
    probe.execute({"PING"});
    server.command({"CONFIG", "SET", "client-output-buffer-limit", "pubsub 1024 1024 1"});
    server.command({"PUBLISH", "ch", std::string(1'000'000, 'x')});
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.has_logged("client-output-buffer-limit for pubsub"));
}

TEST_CASE("session loss: a new epoch does not restore subscriptions by itself", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    probe.session().subscribe("ch");
    probe.execute({"PING"});
    CHECK(server.info("pubsub_channels") == "1");
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    probe.execute({"PING"});
    CHECK(server.info("pubsub_channels") == "0");
    CHECK(server.calls("subscribe") == 1);
}

TEST_CASE("session loss: a command of the turn that drops the connection ends as unknown", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto& before = probe.send({"SET", "a", "1"});
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return before.answered; }));
    CHECK(before.outcome == outcome::unknown);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(before.times == 1);
}

TEST_CASE("session loss: on_turn_end() is not called if the turn's connection is dropped", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    int ends = 0;
    probe.when_turn_ends = [&] { ++ends; };
    probe.session().await_turn_end();
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(ends == 0);
    probe.session().await_turn_end();
    CHECK(probe.run_until([&] { return ends == 1; }));
}

TEST_CASE("session loss: after drop() no reply is read, and commands under way end as unknown", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto& first = probe.send({"PING"});
    auto& second = probe.send({"PING"});
    first.then = [&] { probe.session().drop("test"); };
    REQUIRE(probe.run_until([&] { return second.answered; }));
    CHECK(first.outcome == outcome::applied);
    CHECK(second.outcome == outcome::unknown);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.closed.size() == 1);
}

TEST_CASE("session loss: READONLY closes the connection", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    server.command({"REPLICAOF", "127.0.0.1", "1"});
    auto& set = probe.send({"SET", "k", "v"});
    auto& after = probe.send({"GET", "k"});
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(set.outcome == outcome::refused);
    CHECK(set.why == refusal::read_only);
    CHECK(after.outcome == outcome::unknown);
    CHECK(probe.closed.at(0).words.find(": READONLY ") != std::string::npos);
    server.command({"REPLICAOF", "NO", "ONE"});
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
}

TEST_CASE("session loss: after READONLY the connection leads to the next address of the host", "[redis]")
{
    redis_server replica;
    redis_server primary{"bind 127.0.0.2", "port " + std::to_string(replica.port())};
    replica.command({"REPLICAOF", "127.0.0.2", std::to_string(replica.port())});
    int lookups = 0;
    auto const both = [&](redis::resolver& r, std::string const& host, redis::take_addresses take) {
        ++lookups;
        CHECK(host == "localhost");
        boost::asio::post(r.get_executor(), [take] { take({}, {"127.0.0.1", "127.0.0.2"}); });
    };
    session_probe probe(session_probe::with_url("redis://localhost:" + std::to_string(replica.port())), both);
    REQUIRE(probe.start_and_open());
    CHECK(lookups == 0);
    CHECK(probe.execute({"SET", "k", "v"}).why == refusal::read_only);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
    CHECK(probe.has_logged("localhost has several addresses and has led to a replica; the client tries 127.0.0.2"));

    probe.session().drop("the test says so");  // the address is kept
    REQUIRE(probe.run_until([&] { return probe.opened == 3; }));
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
    CHECK(lookups == 1);

    replica.command({"REPLICAOF", "NO", "ONE"});
    primary.kill();  // the address fails
    REQUIRE(probe.run_until([&] { return probe.opened == 4; }));
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
    CHECK(lookups == 2);
}

TEST_CASE("session loss: a lookup that completes after the end of the session starts no connection", "[redis]")
{
    redis_server replica;
    replica.command({"REPLICAOF", "127.0.0.1", "1"});
    redis::take_addresses take;
    auto const late = [&](redis::resolver&, std::string const&, redis::take_addresses t) { take = std::move(t); };
    session_probe probe(session_probe::with_url(replica.tcp_url()), late);
    REQUIRE(probe.start_and_open());
    probe.send({"SET", "k", "v"});
    REQUIRE(probe.run_until([&] { return take != nullptr; }));
    auto const before = replica.info("total_connections_received");
    probe.stop();
    probe.run_for(20ms);
    std::exchange(take, nullptr)({}, {"127.0.0.1", "127.0.0.2"});
    CHECK(probe.run_to_end());
    CHECK(replica.info("total_connections_received") == before);
    CHECK(probe.opened == 1);
}

TEST_CASE("session loss: it connects once a server starts that was down, and logs the failure once", "[redis]")
{
    redis_server server;
    server.kill();
    session_probe probe(server.tcp_url());
    probe.start();
    REQUIRE(probe.run_until([&] { return probe.closed.size() >= 3; }));
    CHECK(probe.closed.at(0).code == boost::system::errc::connection_refused);
    CHECK_FALSE(probe.closed.at(0).permanent);
    CHECK(probe.closed.at(0).words.ends_with(": Connection refused"));
    CHECK(probe.count_of_lines("no connection to") == 1);  // logged once, not at each attempt
    server.restart();
    REQUIRE(probe.run_until([&] { return probe.opened == 1; }));
}

TEST_CASE("session loss: a host name that does not exist is not a permanent error", "[redis]")
{
    session_probe probe("redis://nobody.invalid");
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK_FALSE(probe.closed.at(0).permanent);
    CHECK_FALSE(probe.closed.at(0).words.empty());
}

TEST_CASE("session loss: a connection without a reply to the greeting is closed and replaced", "[redis]")
{
    redis_server server;
    session_probe probe(server.tcp_url());
    server.freeze();
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK_FALSE(probe.closed.at(0).permanent);
    server.thaw();
    REQUIRE(probe.run_until([&] { return probe.opened == 1; }));
    CHECK(probe.execute({"PING"}).text == "PONG");
}

TEST_CASE("session loss: the health check closes a silent connection", "[redis]")
{
    redis_server server;
    proxy between(server.socket_path());
    auto options = session_probe::with_url(between.url());
    options.lease = 600ms;
    session_probe probe(options);
    REQUIRE(probe.start_and_open());
    between.black_hole();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    between.black_hole(false);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"PING"}).text == "PONG");
}

TEST_CASE("session loss: stalls of the server close no connection, however short the lease time is", "[redis]")
{
    redis_server server;
    auto options = session_probe::with_url(server.tcp_url());
    options.lease = 600ms;
    session_probe probe(options);
    REQUIRE(probe.start_and_open());
    for (int i = 0; i < 9; ++i) {
        server.freeze();
        probe.run_for(300ms);
        server.thaw();
        CHECK(probe.execute({"PING"}).text == "PONG");
    }
    CHECK(probe.closed.empty());
}

TEST_CASE("session loss: a process that is stopped while its server replies keeps the connection", "[redis]")
{
    redis_server server;
    auto options = session_probe::with_url(server.tcp_url());
    options.lease = 600ms;
    session_probe probe(options);
    REQUIRE(probe.start_and_open());
    for (int i = 0; i < 3; ++i) {
        auto const& get = probe.send({"GET", "k"});
        probe.run_for(1ms);
        std::this_thread::sleep_for(1500ms);
        probe.run_for(300ms);
        CHECK(get.outcome == outcome::applied);
    }
    CHECK(probe.closed.empty());
}

TEST_CASE("session loss: a connection reset ends each command under way once, as unknown", "[redis]")
{
    redis_server server;
    proxy between(server.socket_path());
    session_probe probe(between.url());
    REQUIRE(probe.start_and_open());
    between.drop(proxy::direction::to_client);
    std::vector<sent_command*> sent;
    for (int i = 0; i < 50; ++i)
        sent.push_back(&probe.send({"INCR", "n"}));
    probe.run_for(20ms);
    between.cut(true);
    between.drop(proxy::direction::to_client, false);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    for (auto const* c : sent) {
        CHECK(c->outcome == outcome::unknown);
        CHECK(c->times == 1);
    }
}

TEST_CASE("session loss: replies and messages that arrive byte by byte are read", "[redis]")
{
    redis_server server;
    proxy between(server.socket_path());
    between.slice(1);
    session_probe probe(between.url());
    REQUIRE(probe.start_and_open());
    probe.session().subscribe("ch");
    auto const& list = probe.execute({"EVAL", "redis.call('publish', 'ch', 'x') return {'one', 2, 'three'}", "0"});
    REQUIRE(list.items.size() == 3);
    CHECK(list.items[0].text == "one");
    CHECK(list.items[2].text == "three");
    // Redis 8 sends the message after the reply.
    REQUIRE(probe.run_until([&] { return !probe.messages.empty(); }));
    CHECK(probe.messages == std::vector<std::string>{"ch"});
}

TEST_CASE("session loss: the error for too many clients is not permanent", "[redis]")
{
    redis_server server{"maxclients 1"};
    server.command({"PING"});  // uses the only connection
    session_probe probe(server.tcp_url());
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK_FALSE(probe.closed.at(0).permanent);
    CAPTURE(probe.closed.at(0).words);
    CHECK(probe.closed.at(0).words.find("max number of clients") != std::string::npos);
    server.command({"CONFIG", "SET", "maxclients", "100"});
    REQUIRE(probe.run_until([&] { return probe.opened == 1; }));
}

TEST_CASE("session loss: a server with another protocol closes the connection with an error", "[redis]")
{
    auto const nonsense = GENERATE(as<std::string>(), "HTTP/1.1 400 Bad Request\r\n\r\n", "*-1\r\n", ":x\r\n");
    CAPTURE(nonsense);
    boost::asio::io_context io;
    using boost::asio::ip::tcp;
    tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    session_probe probe("redis://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
    probe.start();
    probe.run_for(50ms);
    auto peer = acceptor.accept();
    boost::asio::write(peer, boost::asio::buffer(nonsense));
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.opened == 0);
    CHECK_FALSE(probe.closed.at(0).words.empty());
}
