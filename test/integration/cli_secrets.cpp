//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <fstream>
#include <iterator>
#include <signal.h>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"
#include "support/certificates.hpp"
#include "support/tls_port.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr auto no_server = "redis://127.0.0.1:1";

std::string write_file(redis_server const& server, std::string const& text)
{
    auto const path = (server.folder() / "url").string();
    std::ofstream(path) << text;
    return path;
}

std::string read_file(std::string const& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("cli secrets: the URL of --url-file takes precedence over HOLDFAST_URL", "[cli]")
{
    redis_server server;
    auto const file = write_file(server, "# the lock server\n\n  " + server.url() + " \r\n");
    std::string output;
    CHECK(run_tool(no_server, {"status", "job", "--url-file", file}, &output) == 0);
    CHECK(output == "job: free\n");
    CHECK(run_tool(no_server, run_sh("exit 4", {"--url-file", file})) == 4);
}

TEST_CASE("cli secrets: each line of the file is a server", "[cli]")
{
    redis_server first, second;
    auto const file = write_file(first, first.url() + "\n" + second.url());
    std::string output;
    CHECK(run_tool(no_server, {"status", "job", "--url-file", file}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("held on 0 of 2 servers"));
    CHECK(run_tool(no_server, {"list", "--url-file", file}, &output) == 64);
}

TEST_CASE("cli secrets: a file without a URL is bad usage", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"list", "--url-file", "/no/such/file"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--url-file: cannot read '/no/such/file'"));
    CHECK(run_tool(server, {"list", "--url-file", write_file(server, "# nothing\n")}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("has no URL"));
    CHECK(run_tool(server, {"list", "--url-file", "x", "--url", server.url()}) == 64);
}

TEST_CASE("cli secrets: the process list does not show the password of a URL", "[cli]")
{
    redis_server server{"requirepass secret"};
    auto url = server.url();
    url.insert(url.find("://") + 3, ":secret@");
    tool t(no_server, run_sh("echo up; sleep 100", {"--url", url}));
    REQUIRE(t.prints("up"));
    auto const words = read_file("/proc/" + std::to_string(t.pid()) + "/cmdline");
    CHECK_THAT(words, ContainsSubstring("*@") && !ContainsSubstring("secret"));
    t.send(SIGTERM);
    t.wait();
}

TEST_CASE("cli secrets: the process list does not show the password of the sentinels", "[cli]")
{
    std::string const url = "redis+sentinel://:secret@127.0.0.1:1/m?sentinel_username=u&sentinel_password=secret";
    auto const word = GENERATE_COPY(values({std::string("--url=") + url, url}));
    // It tries to connect for some seconds.
    std::vector<std::string> words{"status", "job"};
    if (word == url)
        words.emplace_back("--url");
    words.push_back(word);
    tool t(no_server, words);
    auto const shown = [&] { return read_file("/proc/" + std::to_string(t.pid()) + "/cmdline"); };
    CHECK(eventually([&] { return shown().find("/m?*") != std::string::npos; }));
    CHECK_THAT(shown(), ContainsSubstring("127.0.0.1:1/m?*") && !ContainsSubstring("secret"));
    t.send(SIGKILL);
    t.wait();
}

TEST_CASE("cli secrets: the command does not inherit HOLDFAST_URL, unless --pass-url is given", "[cli]")
{
    redis_server server;
    auto const script = "echo \"url=$HOLDFAST_URL token=$HOLDFAST_DASHBOARD_TOKEN path=${PATH:+set}.\"";
    std::string output;
    CHECK(run_tool(server, run_sh(script), &output) == 0);
    CHECK(output == "url= token= path=set.\n");
    CHECK(run_tool(server, run_sh(script, {"--pass-url"}), &output) == 0);
    CHECK(output == "url=" + server.url() + " token= path=set.\n");
    CHECK(run_tool(server, {"elect", "boss", "--", "sh", "-c", script}, &output) == 0);
    CHECK(output == "url= token= path=set.\n");
}

TEST_CASE("cli secrets: --tls-ca names the file of the authorities", "[cli]")
{
    std::string output;
    CHECK(run_tool("rediss://127.0.0.1:1", {"status", "job", "--tls-ca", "/no/such/ca.pem"}, &output) != 0);
    CHECK_THAT(output, ContainsSubstring("/no/such/ca.pem"));
}

TEST_CASE("cli secrets: only a server of an authority of --tls-ca is used", "[cli]")
{
    certificates authority, stranger;
    auto const port = tls_port();
    auto lines = tls_lines(port, authority, authority.sign("server", "DNS:localhost,IP:127.0.0.1"));
    lines.emplace_back("tls-auth-clients no");
    redis_server server(lines);
    auto const url = "rediss://127.0.0.1:" + std::to_string(port);
    std::string output;
    CHECK(run_tool(url, {"status", "job", "--tls-ca", authority.ca_file()}, &output) == 0);
    CHECK(output == "job: free\n");
    CHECK(run_tool(url, run_sh("exit 4", {"--tls-ca", authority.ca_file()})) == 4);

    for (auto const& options : std::vector<std::vector<std::string>>{{"--tls-ca", stranger.ca_file()}, {}}) {
        std::vector<std::string> words{"status", "job"};
        words.insert(words.end(), options.begin(), options.end());
        CHECK(run_tool(url, words, &output) == 69);
        CHECK_THAT(
            output,
            ContainsSubstring(url) && ContainsSubstring("certificate verify failed")
                && ContainsSubstring("self-signed certificate in certificate chain"));
    }
    CHECK(server.calls("hello") <= 3);
}
