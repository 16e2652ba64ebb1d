//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "interop/meeting.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/child.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

// Returns why Redisson cannot be run; empty if it can.
std::string why_not()
{
    fs::path const folder(HOLDFAST_REDISSON_PEER);
    std::string reason;
    if (std::getline(std::ifstream(folder / "skipped"), reason))
        return reason;
    if (!fs::exists(folder / "classes"))
        return "Redisson's side is not built; the target tests-interop does that";
    if (std::system("java -version >/dev/null 2>&1") != 0)
        return "no java";
    return redis_server::is_installed() ? "" : "no redis-server";
}

// Skips the test before any process is started.
std::initializer_list<std::string> skip_where_it_cannot_be()
{
    require_redisson();
    return {};
}

}  // namespace

// scripts/run_tests reads the printed line.
void require_redisson()
{
    if (auto const reason = why_not(); !reason.empty()) {
        std::printf("skipped: %s\n", reason.c_str());
        SKIP(reason);
    }
}

meeting::meeting(std::chrono::milliseconds waiter_timeout)
    : server_(skip_where_it_cannot_be()),
      redisson_("Redisson", redisson_program(server_)),
      holdfast_("Holdfast", holdfast_program(server_, waiter_timeout))
{}

long meeting::subscribers(std::string const& pattern)
{
    long all = 0;
    for (auto const& channel : server_.command({"PUBSUB", "CHANNELS", pattern}).items)
        all += server_.command({"PUBSUB", "NUMSUB", channel.text}).items.at(1).integer;
    return all;
}

void meeting::wait_until_waiting(lock_id const& lock, long waiters)
{
    if (!wait_until([&] { return subscribers("*:{" + lock.name + "}*") >= waiters; }))
        throw std::runtime_error("nobody waits for " + lock.name);
}

std::vector<std::string> meeting::redisson_program(redis_server const& server, std::chrono::milliseconds waiter_timeout)
{
    return redisson_program(server.tcp_url(), waiter_timeout);
}

std::vector<std::string> meeting::redisson_program(std::string urls, std::chrono::milliseconds waiter_timeout)
{
    std::string const folder = HOLDFAST_REDISSON_PEER;
    return {
        "java",
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        folder + "/classes:" + folder + "/lib/*",
        "RedissonPeer",
        std::move(urls),
        std::to_string(meeting_lease.count()),
        std::to_string(waiter_timeout.count())};
}

std::vector<std::string> meeting::holdfast_program(redis_server const& server, std::chrono::milliseconds waiter_timeout)
{
    return holdfast_program(server.url(), waiter_timeout);
}

std::vector<std::string> meeting::holdfast_program(std::string url, std::chrono::milliseconds waiter_timeout)
{
    return {
        HOLDFAST_PEER, std::move(url), std::to_string(meeting_lease.count()), std::to_string(waiter_timeout.count())};
}

meeting& the_meeting()
{
    static meeting all;
    return all;
}

sides any_sides(meeting& m)
{
    auto const ours_holds = GENERATE(false, true);
    return ours_holds ? sides{m.holdfast(), m.redisson()} : sides{m.redisson(), m.holdfast()};
}

std::string new_name()
{
    static int count = 0;
    return "lock" + std::to_string(++count);
}

bool is_grant(peer_process::request const& r)
{
    return r.text().starts_with("granted");
}

std::vector<conflict> const& conflicts()
{
    static std::vector<conflict> const all{
        {"reentrant", "reentrant"},
        {"fenced", "fenced"},
        {"reentrant", "fenced"},
        {"fenced", "reentrant"},
        {"fair", "fair"},
        {"write", "write"},
        {"write", "read"},
        {"read", "write"},
    };
    return all;
}

std::vector<std::string> const& kinds()
{
    static std::vector<std::string> const all{"reentrant", "fenced", "fair", "read", "write"};
    return all;
}

}  // namespace holdfast::test
