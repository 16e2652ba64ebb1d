//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <deque>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "dashboard_tool.hpp"
#include "tool/dashboard/display_text.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;
using holdfast::cli::dashboard::to_hex;

namespace {

std::string release_body(std::string const& key, std::string const& confirm, std::string const& holder)
{
    return R"({"key":")" + to_hex(key) + R"(","confirm":")" + confirm + R"(","holder":")" + holder + "\"}";
}

}  // namespace

TEST_CASE("cli dashboard: a forged Host and a foreign Origin are refused", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    auto const port = std::to_string(d.port);
    CHECK(d.get("/api/locks", {"Host: localhost:" + port, "Origin: http://localhost:" + port}).status == 200);
    CHECK(d.get("/api/locks", {"Host: evil.example:" + port}).status == 403);
    CHECK(d.get("/", {"Host: evil.example:" + port}).status == 403);
    CHECK(d.get("/api/locks", {"Host: localhost", "Host: evil.example"}).status == 400);
    CHECK(d.get("/api/locks", {"Origin: http://evil.example"}).status == 403);
    CHECK(d.get("/api/locks", {"Origin: null"}).status == 403);
    CHECK(d.get("/api/events", {"Origin: http://evil.example"}).status == 403);
    CHECK(d.get("/metrics", {"Sec-Fetch-Site: cross-site"}).status == 403);
    CHECK(d.get("/api/locks", {"Sec-Fetch-Site: same-site"}).status == 403);
    CHECK(d.get("/", {"Sec-Fetch-Site: cross-site"}).status == 200);  // a link
    CHECK(d.post("/api/login", R"({"token":""})", {"Sec-Fetch-Site: cross-site"}).status == 403);
    raw_connection none(d.port);
    none.send("GET /api/locks HTTP/1.0\r\n\r\n");
    CHECK(to_reply(none.read_all()).status == 400);
}

TEST_CASE("cli dashboard: with --allow-release or on all addresses each request needs the token", "[cli][dashboard]")
{
    redis_server server;
    for (auto const& options :
         {std::vector<std::string>{"--allow-release"}, std::vector<std::string>{"--listen", "0.0.0.0:0"}}) {
        dashboard_tool d(server, options);
        REQUIRE(d.token.size() == 32);
        CHECK(http_request(d.port, "GET", "/").status == 200);
        for (auto const* target : {"/api/locks", "/api/events", "/metrics"}) {
            CHECK(http_request(d.port, "GET", target).status == 401);
            CHECK(http_request(d.port, "GET", target, {"Authorization: Bearer wrong"}).status == 401);
            CHECK(http_request(d.port, "GET", std::string(target) + "?token=" + d.token).status == 401);
        }
        CHECK(http_request(d.port, "POST", "/api/release", {"Content-Type: application/json"}, "{}").status == 401);
        CHECK(d.get("/api/locks").status == 200);

        CHECK(d.post("/api/login", R"({"token":"wrong"})", {"Accept: */*"}).status == 401);
        auto const login = d.post("/api/login", R"({"token":")" + d.token + "\"}", {"Accept: */*"});
        CHECK(login.status == 204);
        auto const cookie = "holdfast_" + std::to_string(d.port) + "=" + d.token;
        CHECK_THAT(login.head, ContainsSubstring("Set-Cookie: " + cookie + "; HttpOnly; SameSite=Strict; Path=/"));
        CHECK(http_request(d.port, "GET", "/metrics", {"Cookie: " + cookie}).status == 200);
    }
}

TEST_CASE("cli dashboard: a token that the user has given is not printed", "[cli][dashboard]")
{
    redis_server server;
    auto const file = (server.folder() / "token").string();
    server.command({"CONFIG", "SET", "dir", server.folder().string()});
    REQUIRE(::system(("printf 'abcdefgh-ABCDEFGH\\nmore' > " + file).c_str()) == 0);
    dashboard_tool d(server, {"--token-file", file});
    CHECK(d.token.empty());
    CHECK_THAT(d.process().output(), !ContainsSubstring("abcdefgh"));
    CHECK(d.get("/api/locks").status == 401);
    CHECK(d.get("/api/locks", {"Authorization: Bearer abcdefgh-ABCDEFGH"}).status == 200);
}

TEST_CASE(
    "cli dashboard: a forced release needs the option, the typed name and the holder that was shown",
    "[cli][dashboard]")
{
    redis_server server;
    server.command({"SET", "job", client_uuid + ":1:old", "PX", "60000"});
    auto const right = release_body("job", "job", client_uuid + ":1");
    CHECK(dashboard_tool(server).post("/api/release", right).status == 403);

    dashboard_tool d(server, {"--allow-release"});
    auto const post = [&](std::string const& body) { return d.post("/api/release", body); };
    CHECK(post("").status == 400);
    CHECK(post("{").status == 400);
    CHECK(post("[1]").status == 400);
    CHECK(post(R"({"key":"zz","confirm":"job","holder":"x"})").status == 400);
    CHECK(post(release_body("job", "", client_uuid + ":1")).status == 422);
    CHECK(post(release_body("job", "other", client_uuid + ":1")).status == 422);
    CHECK(post(release_body("job", "job", client_uuid + ":2")).status == 409);
    auto const form = http_request(
        d.port,
        "POST",
        "/api/release",
        {"Authorization: Bearer " + d.token, "Content-Type: application/x-www-form-urlencoded"},
        right);
    CHECK(form.status == 400);
    CHECK(has_key(server, "job"));

    CHECK(post(right).status == 200);
    CHECK_FALSE(has_key(server, "job"));
    CHECK_THAT(d.get("/metrics").body, ContainsSubstring("change=\"force released\"} 1\n"));
    CHECK(post(right).status == 409);
    server.command({"SET", "data", "no lock", "PX", "60000"});
    CHECK(post(release_body("data", "data", "no lock")).status == 502);
    CHECK(has_key(server, "data"));
}

TEST_CASE("cli dashboard: requests that are too large or no requests are refused", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    CHECK(d.get("/", {"X: " + std::string(9'000, 'x')}).status == 431);
    CHECK(d.post("/api/login", std::string(5'000, 'x')).status == 413);
    raw_connection garbage(d.port);
    garbage.send("\x16\x03\x01 hello\r\n\r\n");
    CHECK(to_reply(garbage.read_all()).status == 400);
    raw_connection smuggled(d.port);
    smuggled.send("POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n0\r\n\r\n");
    CHECK(to_reply(smuggled.read_all()).status == 400);
    CHECK(d.get("/").status == 200);
}

TEST_CASE("cli dashboard: a header of 10 MB is not read to its end", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    for (auto const* start : {"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", "GET /"}) {
        raw_connection large(d.port);
        large.send(start + std::string(10'000'000, 'x') + "\r\n\r\n");
        // 0: the connection was closed while the client was still sending, so it may have lost the reply.
        auto const status = to_reply(large.read_all()).status;
        CHECK((status == 431 || status == 0));
    }
    CHECK(d.get("/").status == 200);
}

TEST_CASE("cli dashboard: of pipelined requests those before the first that is none are answered", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    std::string const good = "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n";
    raw_connection c(d.port);
    c.send(good + good + "\x01garbage\r\n\r\n" + good);
    auto const all = c.read_all();
    CHECK(count_of(all, "HTTP/1.1 200 ") == 2);
    CHECK(count_of(all, "HTTP/1.1 400 ") == 1);
    CHECK(d.get("/").status == 200);
}

TEST_CASE("cli dashboard: a client that sends or reads too slowly loses its connection", "[cli][dashboard]")
{
    redis_server server;
    server.command(
        {"EVAL",
         "local long = string.rep('x', 900) for i = 1, 2500 do redis.call('set', long .. i, ARGV[1] .. i, 'px', "
         "600000) end",
         "0",
         client_uuid + ":"});
    dashboard_tool d(server);
    // The answer is then larger than the buffers of the kernel.
    REQUIRE(eventually([&] { return d.get("/metrics").body.find("{kind=\"mutex\"} 2500\n") != std::string::npos; }));
    raw_connection writes(d.port), reads(d.port), streams(d.port);
    writes.send("GET / HTTP/1.1\r\nHost: loc");
    reads.send("GET /api/locks HTTP/1.1\r\nHost: localhost\r\n\r\n");
    streams.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    auto const count = [&] {
        auto const text = d.get("/metrics").body;
        return std::stoi(text.substr(text.find("\nholdfast_dashboard_http_connections ") + 37));
    };
    CHECK(eventually([&] { return count() == 4; }));
    CHECK(writes.read_all().empty());  // closed without a reply
    CHECK(eventually([&] { return count() == 1; }));
}

TEST_CASE("cli dashboard: clients that send slowly do not shut out another one", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    std::deque<raw_connection> slow;
    for (int i = 0; i < 130; ++i)
        slow.emplace_back(d.port).send("GET /api/locks HTTP/1.1\r\nHost: loc");
    // The limit of time for a slow client has not passed yet: the latest of them still is connected.
    CHECK(d.get("/api/locks").status == 200);
    slow.back().send("alhost\r\nConnection: close\r\n\r\n");
    CHECK(to_reply(slow.back().read_all()).status == 200);
    CHECK(slow.front().read_all().empty());
}

TEST_CASE("cli dashboard: of 500 connections at once the latest are served", "[cli][dashboard]")
{
    redis_server server;
    dashboard_tool d(server);
    std::deque<raw_connection> all;
    for (int i = 0; i < 500; ++i)
        all.emplace_back(d.port);
    // Closed without a request: the first ones are idle for the longest time.
    CHECK(all.front().read_all().empty());
    all.pop_front();
    int served = 0, refused = 1;
    for (auto& c : all)
        c.send("GET /api/locks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    for (auto& c : all)
        ++(to_reply(c.read_all()).status == 200 ? served : refused);
    CHECK(served >= 90);
    CHECK(served + refused == 500);
    all.clear();
    CHECK(eventually([&] { return d.get("/").status == 200; }));

    std::deque<raw_connection> streams;
    for (int i = 0; i < 30; ++i)
        streams.emplace_back(d.port).send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    auto const is_refused = [](raw_connection& c) {
        return c.read_until("\r\n\r\n").find(" 503 ") != std::string::npos;
    };
    CHECK(std::ranges::count_if(streams, is_refused) == 10);
    CHECK(d.get("/api/locks").status == 200);
}
