//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// `holdfast list --watch`.

#include <signal.h>

#include <catch2/catch_test_macros.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;

namespace {

void hold(redis_server& server, std::string const& name)
{
    server.command({"SET", name, client_token, "PX", "60000"});
}

}  // namespace

TEST_CASE("cli list: --watch prints the locks again and again, and SIGINT and SIGTERM end it with status 0", "[cli]")
{
    redis_server server;
    hold(server, "first");
    for (int const signal : {SIGINT, SIGTERM}) {
        tool t(server, {"list", "--watch", "--interval", "100ms"});
        CHECK(t.prints("\n\nfirst: held by "));  // an empty line separates two lists
        hold(server, "second");
        CHECK(t.prints("second: held by "));
        server.command({"DEL", "second"});
        t.send(signal);
        CHECK(t.wait() == 0);
        CHECK(count_of(t.output(), "\x1b") == 0);  // a file gets no escape sequences
    }
}

TEST_CASE("cli list: --watch clears a terminal before each list, and Ctrl-C ends it", "[cli]")
{
    redis_server server;
    hold(server, "first");
    tool t(server, {"list", "--watch", "--interval", "100ms"}, terminal::controlling);
    CHECK(eventually([&] { return count_of(t.output(), "\x1b[H\x1b[2J") >= 2; }));
    CHECK(t.prints("first: held by "));
    t.type("\x03");
    CHECK(t.wait() == 0);
}

TEST_CASE("cli list: --watch --json prints one line for each scan", "[cli]")
{
    redis_server server;
    hold(server, "first");
    tool t(server, {"list", "--watch", "--json", "--interval", "100ms"});
    CHECK(eventually([&] { return count_of(t.output(), "\n") >= 2; }));
    t.send(SIGINT);
    CHECK(t.wait() == 0);
    auto const output = t.output();
    CHECK(count_of(output, "\n") == count_of(output, "{\"wall_ms\":"));
}

TEST_CASE("cli list: --watch goes on after a loss of the connection, and ends while the server is lost", "[cli]")
{
    redis_server server;
    hold(server, "first");
    tool t(server, {"list", "--watch", "--interval", "100ms"});
    CHECK(t.prints("first: held by "));
    server.kill();
    CHECK(t.prints("holdfast: "));
    t.send(SIGINT);
    CHECK(t.wait() == 0);
}
