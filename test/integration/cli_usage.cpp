//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"
#include "tool/duration.hpp"

using namespace holdfast::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using holdfast::cli::parse_duration;
using holdfast::cli::to_text;
using words = std::vector<std::string>;

TEST_CASE("cli usage: the exit status is 64 for wrong arguments, and no key is created", "[cli]")
{
    auto const arguments = GENERATE(
        words{},
        words{"frobnicate"},
        words{"run"},
        words{"run", "job"},
        words{"run", "job", "--"},
        words{"run", "job", "true"},
        words{"run", "job", "--wait", "soon", "--", "true"},
        words{"run", "job", "--wait", "-1s", "--", "true"},
        words{"run", "job", "--lease", "10ms", "--", "true"},
        words{"run", "job", "--kind", "spin", "--", "true"},
        words{"run", "job", "--on-loss", "panic", "--", "true"},
        words{"run", "job", "--url", "http://localhost", "--", "true"},
        words{"run", "", "--", "true"},
        words{"release", "job"},
        words{"status"});
    redis_server server;
    std::string output;
    CHECK(run_tool(server, arguments, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("holdfast: "));
    CHECK_FALSE(has_key(server, "job"));
}

TEST_CASE("cli usage: the message for an invalid duration names the option", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"run", "job", "--wait", "5", "--", "true"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--wait: '5' is not a duration, such as 500ms"));
    CHECK(run_tool(server, {"run", "job", "--kill-after", "5x", "--", "true"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--kill-after: '5x' is not a duration"));
}

TEST_CASE("cli usage: the message for a wrong value names the option", "[cli]")
{
    redis_server server;
    std::string output;
    auto const message = [&](words arguments) {
        CHECK(run_tool(server, std::move(arguments), &output) == 64);
        return output;
    };
    CHECK_THAT(
        message({"run", "job", "--lease", "5", "--", "true"}), ContainsSubstring("--lease: '5' is not a duration"));
    CHECK_THAT(message({"list", "--watch", "--interval", "5"}), ContainsSubstring("--interval: '5' is not a duration"));
    CHECK_THAT(message({"list", "--watch", "--interval", "1ms"}), ContainsSubstring("--interval: must be at least"));
    CHECK_THAT(message({"list", "--interval", "5s"}), ContainsSubstring("--interval requires --watch"));
    CHECK_THAT(message({"run", "job", "--priority", "x", "--", "true"}), ContainsSubstring("--priority"));
}

TEST_CASE("cli usage: --priority is for fair locks, from 1 to 10", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"run", "job", "--priority", "8", "--", "true"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--priority: only a fair lock has priorities"));
    for (auto const* wrong : {"0", "11", "-1"}) {
        CHECK(run_tool(server, {"run", "job", "--kind", "fair", "--priority", wrong, "--", "true"}, &output) == 64);
        CHECK_THAT(output, ContainsSubstring("--priority: must be from 1 to 10"));
    }
    CHECK(run_tool(server, {"run", "job", "--kind", "fair", "--priority", "10", "--", "true"}) == 0);
}

TEST_CASE("cli usage: several --url options are only for status, and for run with a mutex or a reentrant lock", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"list", "--url", "redis://a", "--url", "redis://b"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("only be given to holdfast run and status"));
    std::vector<std::string> const words{
        "run", "job", "--url", "redis://a", "--url", "redis://b", "--kind", "fair", "--", "true"};
    CHECK(run_tool(server, words, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("mutex or reentrant"));
}

TEST_CASE("cli usage: --help and --version print their text", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"--help"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("run") && ContainsSubstring("status"));
    CHECK(run_tool(server, {"run", "--help"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("Exit status") && ContainsSubstring("-- COMMAND"));
    CHECK(run_tool(server, {"--version"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("holdfast 0."));
}

TEST_CASE("cli usage: --url takes precedence over HOLDFAST_URL", "[cli]")
{
    redis_server server;
    tool t("redis://127.0.0.1:1", {"run", "job", "--url", server.url(), "--", "true"});
    CHECK(t.wait() == 0);
    CHECK(server.calls("eval") + server.calls("evalsha") > 0);
}

TEST_CASE("cli status: a lock is reported as free or held, and a key that is no lock as an error", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"status", "job"}, &output) == 0);
    CHECK(output == "job: free\n");
    server.command({"SET", "job", "me:1", "PX", "60000"});
    CHECK(run_tool(server, {"status", "job"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("job: held by me:1, for "));
    server.command({"LPUSH", "list", "x"});
    CHECK(run_tool(server, {"status", "list"}, &output) == 69);
}

TEST_CASE("cli status: the waiters of a fair lock are listed in the order of the queue", "[cli]")
{
    redis_server server;
    std::string output;
    tool holder(server, {"run", "job", "--kind", "fair", "--", "sleep", "100"});
    REQUIRE(eventually([&] { return has_key(server, "job"); }));
    auto const queued = [&] { return server.command({"LLEN", "redisson_lock_queue:{job}"}).integer; };
    tool second(server, {"run", "job", "--kind", "fair", "--", "true"});
    REQUIRE(eventually([&] { return queued() == 1; }));
    tool third(server, {"run", "job", "--kind", "fair", "--priority", "2", "--", "true"});
    REQUIRE(eventually([&] { return queued() == 2; }));
    auto const queue = server.command({"LRANGE", "redisson_lock_queue:{job}", "0", "-1"});
    CHECK(run_tool(server, {"status", "job"}, &output) == 0);
    CHECK(count_of(output, "\n") == 3);
    CHECK_THAT(output, ContainsSubstring("job: held by "));
    CHECK_THAT(output, ContainsSubstring("job: number 1 in the queue: " + queue.items.at(0).text + ", for "));
    CHECK_THAT(
        output, ContainsSubstring("job: number 2 in the queue: " + queue.items.at(1).text + ", priority 2, for "));

    CHECK(run_tool(server, {"release", "job", "--force"}, &output) == 0);
    CHECK(second.wait() == 0);  // a message wakes the first waiter of the queue
    CHECK(third.wait() == 0);
}

TEST_CASE("cli status, list, release: a read_write_lock is reported with its mode, and can be released", "[cli]")
{
    redis_server server;
    std::string const reader = "0b1c2d3e-0000-4000-8000-000000000001:17";
    server.command({"HSET", "doc", "mode", "read", reader, "1"});
    server.command({"PEXPIRE", "doc", "60000"});
    server.command({"SET", "{doc}:" + reader + ":rwlock_timeout:1", "1", "PX", "60000"});
    std::string output;
    CHECK(run_tool(server, {"status", "doc"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("doc: held for reading by " + reader + ", for "));
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK(count_of(output, "held for reading") == 1);
    CHECK(run_tool(server, {"release", "doc", "--force"}, &output) == 0);
    CHECK(output == "doc: released\n");
    CHECK(server.command({"DBSIZE"}).integer == 0);

    server.command({"HSET", "doc", "mode", "write", reader + ":write:tx", "1"});
    server.command({"PEXPIRE", "doc", "60000"});
    CHECK(run_tool(server, {"status", "doc"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("doc: held for writing by " + reader + " (tx), for "));
}

TEST_CASE("cli list: only the locks among thousands of other keys are listed", "[cli]")
{
    redis_server server;
    std::string const token = "0b1c2d3e-0000-4000-8000-00000000000";
    server.command({"EVAL", "for i = 1, 5000 do redis.call('set', 'noise:' .. i, i) end", "0"});
    server.command({"SET", "order:1", token + "1:17", "PX", "60000"});
    server.command({"HSET", "order:2", token + "2:3:tx", "2"});
    server.command({"PEXPIRE", "order:2", "60000"});
    server.command({"HSET", "order:3", "customer", "Smith"});
    server.command({"RPUSH", "order:4", token + "1:17"});
    server.command({"SET", "other", token + "1:18", "PX", "60000"});
    std::string output;
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK(count_of(output, "\n") == 3);
    CHECK_THAT(output, ContainsSubstring("order:1: held by " + token + "1:17, for "));
    CHECK_THAT(output, ContainsSubstring("order:2: held by " + token + "2:3 (tx), for "));
    CHECK_THAT(output, ContainsSubstring("other: held by "));
    CHECK(run_tool(server, {"list", "order:*"}, &output) == 0);
    CHECK(count_of(output, "\n") == 2);
    CHECK(run_tool(server, {"list", "nothing"}, &output) == 0);
    CHECK(output.empty());
}

TEST_CASE("cli status: a writer that waits for a read_write_lock is shown, and none that does not wait", "[cli]")
{
    redis_server server;
    tool reader(server, {"run", "doc", "--kind", "read", "--", "sleep", "100"});
    REQUIRE(eventually([&] { return has_key(server, "doc"); }));
    std::string output;
    CHECK(run_tool(server, {"status", "doc"}, &output) == 0);
    CHECK(count_of(output, "\n") == 1);
    CHECK(run_tool(server, {"status", "doc", "--json"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(R"("waiting_writer":null)"));
    tool writer(server, {"run", "doc", "--kind", "write", "--", "true"});
    REQUIRE(eventually([&] { return has_key(server, "holdfast_writer_waiting:{doc}"); }));
    auto const mark = server.command({"GET", "holdfast_writer_waiting:{doc}"}).text;
    auto const id = mark.substr(0, mark.rfind(":write"));
    for (auto const& words : {std::vector<std::string>{"status", "doc"}, {"list"}}) {
        CHECK(run_tool(server, words, &output) == 0);
        CHECK_THAT(output, ContainsSubstring("doc: held for reading by "));
        CHECK_THAT(output, ContainsSubstring("doc: a writer waits: " + id + "\n"));
    }
    for (auto const& words : {std::vector<std::string>{"status", "doc", "--json"}, {"list", "--json"}}) {
        CHECK(run_tool(server, words, &output) == 0);
        CHECK_THAT(output, ContainsSubstring(R"("waiting_writer":{"id":")" + id + R"(","label":"","writer":true,)"));
    }
    reader.send(SIGTERM);
    CHECK(writer.wait() == 0);
}

TEST_CASE("cli list: the mark of a writer that waits for a read_write_lock is no lock", "[cli]")
{
    redis_server server;
    tool reader(server, {"run", "doc", "--kind", "read", "--", "sleep", "100"});
    REQUIRE(eventually([&] { return has_key(server, "doc"); }));
    tool writer(server, {"run", "doc", "--kind", "write", "--", "true"});
    REQUIRE(eventually([&] { return has_key(server, "holdfast_writer_waiting:{doc}"); }));
    std::string output;
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK(count_of(output, "\n") == 2);
    CHECK(count_of(output, "held for") == 1);
    CHECK(count_of(output, "doc: a writer waits: ") == 1);
    CHECK_THAT(output, ContainsSubstring("doc: held for reading by "));
}

TEST_CASE("cli release: --force releases a held lock", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"release", "job", "--force"}, &output) == 0);
    CHECK(output == "job: was free\n");
    server.command({"SET", "job", "0b1c2d3e-0000-8000-8000-000000000001:17", "PX", "60000"});
    CHECK(run_tool(server, {"release", "job", "--force"}, &output) == 0);
    CHECK(output == "job: released\n");
    CHECK_FALSE(has_key(server, "job"));
}

TEST_CASE("cli release: a key that is no lock is not deleted, and the error describes it", "[cli]")
{
    redis_server server;
    std::string output;
    server.command({"SET", "job", "data"});
    CHECK(run_tool(server, {"release", "job", "--force"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("a string without a time to live") && ContainsSubstring("by hand"));
    server.command({"PEXPIRE", "job", "60000"});
    CHECK(run_tool(server, {"release", "job", "--force"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("a string that is no token") && ContainsSubstring("by hand"));
    CHECK(server.command({"GET", "job"}).text == "data");
    server.command({"HSET", "session", "user", "17"});
    CHECK(run_tool(server, {"release", "session", "--force"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("a hash without a time to live"));
    server.command({"RPUSH", "list", "x"});
    CHECK(run_tool(server, {"release", "list", "--force"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("list") && ContainsSubstring("by hand"));
    CHECK(server.command({"EXISTS", "job", "session", "list"}).integer == 3);
}

TEST_CASE("cli status, list: control bytes in a name are escaped, so that each lock takes one line", "[cli]")
{
    redis_server server;
    std::string const name = "job\nother: free\x1b[2J";
    server.command({"SET", name, "0b1c2d3e-0000-8000-8000-000000000001:17:a\nb", "PX", "60000"});
    std::string output;
    for (auto const* const verb : {"list", "status"}) {
        words arguments{verb};
        if (verb == std::string("status"))
            arguments.push_back(name);
        CHECK(run_tool(server, arguments, &output) == 0);
        CHECK(count_of(output, "\n") == 1);
        CHECK_THAT(output, ContainsSubstring("job\\x0aother: free\\x1b[2J: held by ") && ContainsSubstring("a\\x0ab"));
    }
}

TEST_CASE("cli duration: only a number with the unit ms, s, m or h is accepted, and 0", "[cli]")
{
    CHECK(parse_duration("500ms") == 500ms);
    CHECK(parse_duration("10s") == 10s);
    CHECK(parse_duration("5m") == 5min);
    CHECK(parse_duration("1h") == 1h);
    CHECK(parse_duration("1.5s") == 1500ms);
    CHECK(parse_duration("0") == 0ms);
    CHECK(parse_duration("0s") == 0ms);
    for (auto const* bad :
         {"", "10", "s", "-1s", "1 s", "1d", "1e3s", "nan", "nans", "inf", "infs", "9999999h", "1sec", "0x1s"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_duration(bad).has_value());
    }
}

TEST_CASE("cli duration: a duration is printed as a whole number of the largest unit that fits", "[cli]")
{
    CHECK(to_text(0ms) == "0ms");
    CHECK(to_text(1500ms) == "1500ms");
    CHECK(to_text(10s) == "10s");
    CHECK(to_text(90s) == "90s");
    CHECK(to_text(2h) == "2h");
}
