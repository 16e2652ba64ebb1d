//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/credentials.hpp>
#include <holdfast/error.hpp>

#include "support/child_program.hpp"
#include "support/kill_count.hpp"
#include "support/redis_program.hpp"
#include "support/redis_server.hpp"
#include "support/session_probe.hpp"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

// A redis-sentinel that monitors one master, named "mymaster".
class sentinel {
public:
    explicit sentinel(redis_server const& master, std::string const& password = {}) : folder_(make_folder())
    {
        {
            std::ofstream file(folder_ / "sentinel.conf");
            file << "bind 127.0.0.1\nport " << port_ << "\nunixsocket " << socket() << "\ndir " << folder_.string()
                 << "\nsentinel monitor mymaster 127.0.0.1 " << master.port() << " 1\n";
            if (!password.empty())
                file << "sentinel auth-pass mymaster " << password << '\n';
        }
        pid_ = spawn({redis_program(), folder_ / "sentinel.conf", "--sentinel"}, folder_ / "sentinel.log");
        auto const limit = std::chrono::steady_clock::now() + 20s;
        while (!knows_master() && std::chrono::steady_clock::now() < limit)
            std::this_thread::sleep_for(5ms);
    }

    ~sentinel()
    {
        end_program(pid_);
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    std::string socket() const { return folder_ / "sentinel.sock"; }

    bool knows_master() const
    {
        try {
            return resp_client(socket()).command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"}).items.size() == 2;
        } catch (std::runtime_error const&) {
            return false;
        }
    }

    std::filesystem::path folder_;
    std::uint16_t port_ = free_port();
    pid_t pid_ = -1;
};

std::string name_of(redis_server& server)
{
    return "127.0.0.1:" + std::to_string(server.port());
}

}  // namespace

TEST_CASE("session sentinel: it finds the master although one sentinel is down", "[redis]")
{
    redis_server master{logs_commands};
    sentinel watch(master);
    session_probe probe(
        "redis+sentinel://127.0.0.1:" + std::to_string(free_port()) + "," + watch.host() + "/mymaster/2");
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
    CHECK(master.info("db2").starts_with("keys=1"));
    CHECK(probe.has_logged(name_of(master)));

    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"GET", "k"}).text == "v");
    CHECK(kill_count(master) == 1);
}

TEST_CASE("session sentinel: it authenticates to a master with a password", "[redis]")
{
    redis_server master{"requirepass secret"};
    master.command({"AUTH", "secret"});
    sentinel watch(master, "secret");
    session_probe probe("redis+sentinel://:secret@" + watch.host() + "/mymaster");
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"PING"}).text == "PONG");
    CHECK_FALSE(probe.has_logged("secret"));
}

TEST_CASE("session sentinel: it authenticates to a master with the credentials of a provider", "[redis]")
{
    redis_server master{"requirepass secret"};
    master.command({"AUTH", "secret"});
    sentinel watch(master, "secret");
    auto options = session_probe::with_url("redis+sentinel://" + watch.host() + "/mymaster");
    int questions = 0;
    options.credentials = [&](credentials_request what, credentials_handler done) {
        CHECK(what.is_refused == (questions == 1));
        done({"default", ++questions == 1 ? "hunter2" : "secret"});
    };
    session_probe probe(options);
    REQUIRE(probe.start_and_open());
    CHECK(questions == 2);
    REQUIRE(probe.closed.size() == 1);
    CHECK_FALSE(probe.closed[0].permanent);
    CHECK(probe.execute({"PING"}).text == "PONG");
    CHECK_FALSE(probe.has_logged("secret"));
    CHECK_FALSE(probe.has_logged("hunter2"));
}

TEST_CASE("session sentinel: a wrong password is a permanent error", "[redis]")
{
    redis_server master{"requirepass secret"};
    sentinel watch(master, "secret");
    session_probe probe("redis+sentinel://:hunter2@" + watch.host() + "/mymaster");
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CAPTURE(probe.closed.at(0).words);
    CHECK(probe.closed.at(0).permanent);
    CHECK(probe.closed.at(0).code == errc::not_permitted);
    CHECK(probe.closed.at(0).words.starts_with("WRONGPASS"));
    CHECK_FALSE(probe.has_logged("hunter2"));
}

TEST_CASE("session sentinel: a replica in place of the master is not used until it is a master", "[redis]")
{
    redis_server master;
    sentinel watch(master);
    master.command({"REPLICAOF", "127.0.0.1", "1"});
    session_probe probe("redis+sentinel://" + watch.host() + "/mymaster");
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.opened == 0);
    CHECK_FALSE(probe.closed.at(0).permanent);
    master.command({"REPLICAOF", "NO", "ONE"});
    REQUIRE(probe.run_until([&] { return probe.opened == 1; }));
}

TEST_CASE("session sentinel: a master's name that is not known is not a permanent error", "[redis]")
{
    redis_server master;
    sentinel watch(master);
    session_probe probe("redis+sentinel://" + watch.host() + "/another");
    probe.start();
    REQUIRE(probe.run_until([&] { return probe.closed.size() >= 2; }));
    CHECK(probe.opened == 0);
    CHECK_FALSE(probe.closed.at(0).permanent);
    CHECK_FALSE(probe.closed.at(0).words.empty());
}
