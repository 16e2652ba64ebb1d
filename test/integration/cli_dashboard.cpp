//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "dashboard_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;
using words = std::vector<std::string>;

namespace {

// From a signal to the end of the dashboard, which must succeed.
double seconds_to_end(dashboard_tool& d, int signal)
{
    auto const begun = std::chrono::steady_clock::now();
    d.process().send(signal);
    CHECK(d.process().wait() == 0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

TEST_CASE("cli dashboard: the page and its parts come from the tool alone", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    auto const page = d.get("/");
    CHECK(page.status == 200);
    CHECK_THAT(page.head, ContainsSubstring("Content-Security-Policy: default-src 'none'; script-src 'self'"));
    CHECK_THAT(page.body, ContainsSubstring("<script type=\"module\" src=\"/page.js\">"));
    for (auto const* part : {"/page.js", "/page.css", "/icon.svg", "/rows.js", "/charts.js", "/state.js"}) {
        CAPTURE(part);
        auto const reply = d.get(part);
        CHECK(reply.status == 200);
        CHECK(reply.body.size() > 200);
        CHECK_THAT(reply.body, !ContainsSubstring("https://") && !ContainsSubstring("innerHTML"));
    }
    CHECK(d.get("/?x=y").status == 200);
    CHECK(http_request(d.port, "HEAD", "/").body.empty());
    CHECK(d.get("/page").status == 404);
    CHECK(d.get("/../etc/passwd").status == 404);
    CHECK(http_request(d.port, "DELETE", "/").status == 405);
    CHECK(d.post("/api/locks", "{}").status == 405);
    CHECK(d.get("/api/release").status == 405);
}

TEST_CASE(
    "cli dashboard: locks of all kinds are shown with holders, queue, waiters and fencing counter", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    server.command({"SET", "plain", client_uuid + ":17:worker", "PX", "60000"});
    server.command({"SET", "data", "no lock", "PX", "60000"});
    server.command({"HSET", "session", "user", "17"});
    REQUIRE(d.shows("plain"));
    auto const plain = d.lock("plain");
    CHECK(plain.at("kind").as_string() == "mutex");
    CHECK(plain.at("holders").at(0).at("id").as_string() == client_uuid + ":17");
    CHECK(plain.at("holders").at(0).at("label").as_string() == "worker");
    CHECK(plain.at("holders").at(0).at("remaining_ms").as_int64() > 20'000);

    tool holder(server, {"run", "job", "--", "sleep", "100"});
    REQUIRE(d.shows("job"));
    tool waiter(server, {"run", "job", "--", "true"});
    CHECK(eventually([&] { return d.lock("job").at("waiting").as_int64() == 1; }));
    CHECK(d.lock("job").at("fence").as_string().size() > 10);

    tool fair(server, {"run", "fair", "--kind", "fair", "--", "sleep", "100"});
    REQUIRE(d.shows("fair"));
    CHECK(d.lock("fair").at("kind").as_string() == "reentrant or fair");
    tool second(server, {"run", "fair", "--kind", "fair", "--", "true"});
    REQUIRE(eventually([&] { return d.lock("fair").at("queue").as_array().size() == 1; }));
    tool third(server, {"run", "fair", "--kind", "fair", "--", "true"});
    REQUIRE(eventually([&] { return d.lock("fair").at("queue").as_array().size() == 2; }));
    CHECK(d.lock("fair").at("kind").as_string() == "fair");
    auto const queue = server.command({"LRANGE", "redisson_lock_queue:{fair}", "0", "-1"});
    CHECK(d.lock("fair").at("queue").at(1).at("id").as_string() == queue.items.at(1).text);

    tool reader(server, {"run", "doc", "--kind", "read", "--", "sleep", "100"});
    REQUIRE(d.shows("doc"));
    CHECK(d.lock("doc").at("kind").as_string() == "read");
    CHECK(d.lock("doc").at("holders").at(0).at("remaining_ms").as_int64() > 10'000);
    tool writer(server, {"run", "doc", "--kind", "write", "--", "true"});
    CHECK(eventually([&] { return d.lock("doc").at("waiting").as_int64() == 1; }));

    CHECK(d.locks().at("locks").as_array().size() == 4);  // no data, no mark of a waiter
}

TEST_CASE("cli dashboard: only locks whose names match the pattern are shown", "[cli][dashboard]")
{
    redis_server server;
    server.command({"SET", "order:1", client_uuid + ":1", "PX", "60000"});
    server.command({"SET", "other", client_uuid + ":2", "PX", "60000"});
    dashboard_tool d(server, {"order:*"});
    CHECK(d.shows("order:1"));
    CHECK(d.lock("other").is_null());
}

TEST_CASE("cli dashboard: a lock with long lists is shown in part, with the true sizes", "[cli][dashboard]")
{
    redis_server server;
    server.command(
        {"EVAL",
         "for i = 1, 3000 do redis.call('hset', 'doc', ARGV[1] .. i, 1) end redis.call('hset', 'doc', 'mode', 'read') "
         "redis.call('pexpire', 'doc', 60000)",
         "0",
         client_uuid + ":"});
    dashboard_tool d(server);
    REQUIRE(d.shows("doc"));
    CHECK(d.lock("doc").at("holder_count").as_int64() == 3000);
    CHECK(d.lock("doc").at("holders").as_array().size() <= 60);
}

TEST_CASE("cli dashboard: any bytes in a name yield valid JSON, and markup stays text", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    std::string const name = "</script><img src=x onerror=alert(1)>\"\n\x01\xff";
    server.command({"SET", name, client_uuid + ":1:<b>\xff", "PX", "60000"});
    REQUIRE(d.shows("</script><img src=x onerror=alert(1)>\"\\x0a\\x01\\xff"));
    auto const reply = d.get("/api/locks");
    CHECK_THAT(reply.head, ContainsSubstring("Content-Type: application/json"));
    CHECK_THAT(reply.head, ContainsSubstring("X-Content-Type-Options: nosniff"));
}

TEST_CASE("cli dashboard: the stream of events begins with the state and reports changes", "[cli][dashboard]")
{
    redis_server server;
    server.command({"SET", "first", client_uuid + ":1", "PX", "60000"});
    dashboard_tool d(server);
    REQUIRE(d.has_seen_all());
    raw_connection stream(d.port);
    stream.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_THAT(stream.read_until("\"name\":\"first\""), ContainsSubstring("event: hello"));
    server.command({"SET", "second", client_uuid + ":2", "PX", "60000"});
    CHECK_THAT(stream.read_until("\"what\":\"acquired\""), ContainsSubstring("\"name\":\"second\""));
    server.command({"DEL", "second"});
    CHECK_THAT(stream.read_until("\"what\":\"ended\""), ContainsSubstring("\"kind\":\"free\""));
    CHECK_THAT(stream.read_until("event: samples"), ContainsSubstring("event: samples"));
}

TEST_CASE(
    "cli dashboard: a server that goes away and comes back is reported, and its locks are those of now",
    "[cli][dashboard]")
{
    redis_server server;
    server.command({"SET", "job", client_uuid + ":1", "PX", "600000"});
    dashboard_tool d(server);
    REQUIRE(d.shows("job"));
    server.kill();
    auto const is_connected = [&] { return d.locks().at("survey").at("connected").as_bool(); };
    REQUIRE(eventually([&] { return !is_connected(); }));
    CHECK(d.lock("job").is_object());  // the last that was known
    CHECK_THAT(d.get("/metrics").body, ContainsSubstring("\nholdfast_dashboard_up 0\n"));
    server.restart();
    CHECK(eventually(is_connected));
    CHECK(eventually([&] { return d.lock("job").is_null(); }));
    server.command({"SET", "next", client_uuid + ":2", "PX", "60000"});
    CHECK(d.shows("next"));
}

TEST_CASE("cli dashboard: a user without a right sees what the others show", "[cli][dashboard]")
{
    redis_server server;
    server.command({"SET", "job", client_uuid + ":1", "PX", "60000"});
    server.command({"ACL", "SETUSER", "eyes", "on", ">secret", "~*", "+@all", "-pubsub", "-get"});
    dashboard_tool d("redis://eyes:secret@127.0.0.1:" + std::to_string(server.port()));
    REQUIRE(d.shows("job"));
    CHECK(d.lock("job").at("waiting").is_null());
    CHECK(d.lock("job").at("holders").as_array().size() == 1);
}

TEST_CASE("cli dashboard: the metrics are in the text format", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    REQUIRE(d.has_seen_all());
    server.command({"SET", "job", client_uuid + ":1", "PX", "60000"});
    REQUIRE(d.shows("job"));
    auto const reply = d.get("/metrics");
    CHECK_THAT(reply.head, ContainsSubstring("Content-Type: text/plain; version=0.0.4"));
    CHECK_THAT(reply.body, ContainsSubstring("\nholdfast_dashboard_locks{kind=\"mutex\"} 1\n"));
    CHECK_THAT(reply.body, ContainsSubstring("\nholdfast_dashboard_changes_total{change=\"acquired\"} 1\n"));
}

constexpr double soon = 2.5;  // seconds; less than config::command_timeout

TEST_CASE("cli dashboard: SIGTERM and SIGINT end it with status 0, also with open connections", "[cli][dashboard]")
{
    redis_server server;
    for (int const signal : {SIGTERM, SIGINT}) {
        dashboard_tool d(server);
        raw_connection idle(d.port), begun(d.port), stream(d.port);
        begun.send("GET / HT");
        stream.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.read_until("event: hello");
        CHECK(seconds_to_end(d, signal) < soon);
    }
}

TEST_CASE("cli dashboard: SIGTERM ends it soon while the server is lost, or does not answer", "[cli][dashboard]")
{
    redis_server server;
    auto const is_connected = [](dashboard_tool const& d) { return d.locks().at("survey").at("connected").as_bool(); };
    {
        dashboard_tool d(server);
        server.freeze();
        CHECK(seconds_to_end(d, SIGTERM) < soon);
        server.thaw();
    }
    dashboard_tool d(server);
    server.kill();
    REQUIRE(eventually([&] { return !is_connected(d); }));
    CHECK(seconds_to_end(d, SIGTERM) < soon);
}

TEST_CASE("cli dashboard: wrong options are refused, and a start that fails says why", "[cli][dashboard]")
{
    redis_server server;
    std::string output;
    for (auto const& bad :
         {words{"--listen", "8077"},
          words{"--listen", "example.com:80"},
          words{"--interval", "10ms"},
          words{"--token-file", "/nonexistent"},
          words{"--token-file", "/dev/null"}}) {
        auto arguments = bad;
        arguments.insert(arguments.begin(), "dashboard");
        CHECK(run_tool(server, arguments, &output) == 64);
        CHECK_THAT(output, ContainsSubstring(bad.front()));
    }
    dashboard_tool first(server);
    auto const busy = "127.0.0.1:" + std::to_string(first.port);
    CHECK(run_tool(server, {"dashboard", "--listen", busy}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring(busy) && ContainsSubstring("in use"));
    tool lost("redis://127.0.0.1:1", {"dashboard", "--listen", "127.0.0.1:0"});
    CHECK(lost.wait() == 69);
    CHECK_THAT(lost.output(), ContainsSubstring("cannot connect to Redis"));
}
