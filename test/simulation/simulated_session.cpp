//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The session fulfils the contract of engine::session in the simulator, and each fault has its stated effect.

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "simulation/recorder.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::outcome;

using events = std::vector<std::string>;

TEST_CASE("commands submitted in on_open() are sent first and in order", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.when_open = [&] {
        a.session().subscribe("news");
        a.send({"SET", "k", "1"});
        a.send({"INCR", "k"});
        a.send({"PUBLISH", "news", "x"});
    };
    a.start();
    CHECK_FALSE(a.session().is_open());
    sim.world().run();
    CHECK(a.events == events{"open", "news"});
    CHECK(a.commands[0].text == "OK");
    CHECK(a.commands[1].integer == 2);
    CHECK(a.commands[2].integer == 1);
    CHECK(a.session().is_open());
}

TEST_CASE("a command submitted in on_turn_end() is sent in the same write as those before it", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    int ends = 0;
    a.when_turn_ends = [&] {
        ++ends;
        a.send({"INCR", "k"});
    };
    a.when_open = [&] {
        a.session().await_turn_end();
        a.send({"SET", "k", "1"});
    };
    a.start();
    sim.world().run();
    CHECK(ends == 1);
    CHECK(a.commands[1].integer == 2);
    CHECK(a.commands[1].sent == a.commands[0].sent);
}

TEST_CASE("on_turn_end() is not called after the connection is lost", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.start();
    sim.world().run();
    int ends = 0;
    a.when_turn_ends = [&] { ++ends; };
    a.session().drop("test");
    a.session().await_turn_end();
    sim.world().run();
    CHECK(a.events == events{"open", "closed", "open"});
    CHECK(ends == 0);
    a.session().await_turn_end();
    sim.world().run();
    CHECK(ends == 1);
}

TEST_CASE("an error reply has the outcome refused and the server's text", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.when_open = [&] { a.send({"GET"}); };
    a.start();
    sim.world().run();
    CHECK(a.commands[0].outcome == outcome::refused);
    CHECK(a.commands[0].text == "ERR wrong number of arguments for 'get' command");
}

TEST_CASE("the alarm fires once, at the earliest requested time", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.start();
    sim.world().run();
    auto const begin = sim.now();
    a.world().wake_at(begin + 2s);
    a.world().wake_at(begin + 1s);
    a.world().wake_at(begin + 3s);
    sim.world().run_until([&] { return a.count("alarm") == 1; });
    CHECK(sim.now() == begin + 1s);
    sim.world().run();
    CHECK(a.count("alarm") == 1);
    a.world().wake_at(sim.now() - 1s);
    CHECK(a.count("alarm") == 1);
    sim.world().run();
    CHECK(a.count("alarm") == 2);
}

TEST_CASE("an alarm follows the drifting clock of its process", "[simulation]")
{
    for (double const drift : {0.01, -0.01}) {
        simulation sim(1);
        recorder a(sim);
        a.start();
        sim.world().run();
        sim.at("A").set_clock_drift(drift);
        auto const local = a.world().now();
        auto const begin = sim.now();
        a.world().wake_at(local + 100s);
        sim.world().run_until([&] { return a.count("alarm") == 1; });
        CHECK(a.world().now() >= local + 100s);
        CHECK(a.world().now() < local + 100s + 1ms);
        CHECK((sim.now() - begin) / 1s == (drift > 0 ? 99 : 101));
    }
}

TEST_CASE("a stopped session reports no event and no reply", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.when_open = [&] {
        a.send({"SET", "k", "1"});
        a.world().wake_at(sim.now() + 1s);
        a.stop();
    };
    a.start();
    sim.world().run();
    CHECK(a.events == events{"open"});
    CHECK(a.commands[0].answers == 0);
}

TEST_CASE("a command without a reply in time has the outcome unknown, and its late reply is dropped", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.start();
    sim.world().run();
    sim.server().pause_for(10s);
    auto const begin = sim.now();
    auto const& c = a.send({"SET", "k", "1"});
    sim.world().run_until([&] { return c.answers == 1; });
    CHECK(c.outcome == outcome::unknown);
    CHECK(sim.now() - begin == 3s);
    sim.world().run();
    CHECK(c.answers == 1);
    CHECK(sim.server().execute({"GET", "k"}).text == "1");
    auto const& next = a.send({"GET", "k"});
    sim.world().run();
    CHECK(next.text == "1");
}

TEST_CASE("drop() completes pending commands as unknown, closes the connection and reconnects", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.start();
    sim.world().run();
    auto const& c = a.send({"SET", "k", "1"});
    a.session().drop("not trusted any more");
    CHECK(a.count("closed") == 0);
    sim.world().run();
    CHECK(a.events == events{"open", "closed", "open"});
    CHECK(c.outcome == outcome::unknown);
}

TEST_CASE("a reply that arrives after drop() is not read", "[simulation]")
{
    simulation sim({.network = {.delay = {1ms, 1ms}}});  // both replies arrive together
    recorder a(sim);
    a.start();
    sim.world().run();
    auto& first = a.send({"SET", "k", "1"});
    auto& second = a.send({"GET", "k"});
    first.then = [&] { a.session().drop("not trusted any more"); };
    sim.world().run();
    CHECK(first.outcome == outcome::applied);
    CHECK(second.outcome == outcome::unknown);
    CHECK(second.answers == 1);
}

TEST_CASE("the session reconnects after a server that became a replica refuses a write", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.start();
    sim.world().run();
    sim.server().model().set_condition(simulated::condition::replica);
    auto const& set = a.send({"SET", "k", "1"});
    sim.world().run();
    CHECK(set.outcome == outcome::refused);
    CHECK(a.events == events{"open", "closed", "open"});
}

// The barrier of rule 8, whatever the fault plan does to the old connection.
TEST_CASE("no command of an old connection is executed after the next epoch has opened", "[simulation]")
{
    int late = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        simulation sim({.world = {.seed = seed}, .faults = {.delay_request = 0.5, .disconnect = 0.3}});
        sim.server().faults.delay = {1ms, 10s};
        recorder a(sim);
        int epoch = 0;
        a.when_open = [&] {
            auto const mine = std::to_string(++epoch);
            if (epoch < 5)
                a.send({"SET", "epoch", mine});
        };
        int greatest = 0;
        sim.server().check([&](executed const& e) {
            if (e.what.args[0] != "SET")
                return;
            auto const of = std::stoi(std::string(e.what.args[2]));
            CHECK(of >= greatest);
            late += of < epoch;
            greatest = std::max(greatest, of);
        });
        a.start();
        sim.world().run_for(60s);
    }
    CHECK(late == 0);
}

// After a failover behind one address the number of the old connection belongs to another client.
TEST_CASE("the barrier ends no connection at another server", "[simulation]")
{
    simulation sim(1);
    recorder a(sim), stranger(sim, "B", "second");
    a.start();
    stranger.start();
    sim.world().run();
    sim.lead("redis", "second");
    a.session().drop("another server leads");
    sim.world().run();
    CHECK(a.events == events{"open", "closed", "open"});
    CHECK(stranger.events == events{"open"});
}

TEST_CASE("without permission for CLIENT KILL, a command of an old connection may be executed late", "[simulation]")
{
    int late = 0;
    for (std::uint64_t seed = 1; seed <= 300 && late == 0; ++seed) {
        simulation sim({.world = {.seed = seed}, .faults = {.delay_request = 0.5}});
        sim.server().model().deny_command("client|kill");
        recorder a(sim);
        int epoch = 0;
        a.when_open = [&] { a.send({"SET", "epoch", std::to_string(++epoch)}); };
        sim.server().check([&](executed const& e) {
            if (e.what.args[0] == "SET")
                late += std::stoi(std::string(e.what.args[2])) < epoch;
        });
        a.start();
        sim.world().run_for(60s);
    }
    CHECK(late > 0);
}

TEST_CASE("no epoch opens while the server is too busy for the barrier", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.start();
    sim.world().run();
    sim.server().model().set_condition(simulated::condition::busy);
    a.session().drop("test");
    sim.world().run_for(5s);
    CHECK(a.count("open") == 1);
    CHECK_FALSE(a.session().is_open());
    sim.server().model().set_condition(simulated::condition::normal);
    sim.world().run();
    CHECK(a.count("open") == 2);
}

TEST_CASE("a refused subscription closes the connection, and notifies() is false on the next one", "[simulation]")
{
    simulation sim(1);
    sim.server().model().deny_channels(true);
    recorder a(sim);
    a.when_open = [&] {
        if (a.session().notifies())
            a.session().subscribe("news");
        a.send({"SET", "k", "other", "NX"});
    };
    a.start();
    sim.world().run();
    CHECK(a.events == events{"open", "closed", "open"});
    CHECK_FALSE(a.session().notifies());
    CHECK(a.commands[0].outcome == outcome::unknown);
    CHECK(a.commands[1].answers == 1);
}

TEST_CASE("after a refused subscription the session subscribes again in a later epoch", "[simulation]")
{
    simulation sim(1);
    sim.server().model().deny_channels(true);
    recorder a(sim);
    a.when_open = [&] {
        if (a.session().notifies())
            a.session().subscribe("news");
    };
    a.start();
    sim.world().run();
    REQUIRE(a.events == events{"open", "closed", "open"});

    sim.server().model().disconnect_all();  // still refused: the connection is lost once more
    sim.world().run();
    CHECK(a.events == events{"open", "closed", "open", "closed", "open", "closed", "open"});
    CHECK_FALSE(a.session().notifies());

    sim.server().model().allow_all();
    sim.server().model().disconnect_all();
    sim.world().run();
    CHECK(a.count("open") == 5);
    CHECK(a.session().notifies());
    sim.server().execute({"PUBLISH", "news", "x"});
    sim.world().run();
    CHECK(a.count("news") == 1);
}

// ---- each fault by itself, with probability 1

struct faulty {
    explicit faulty(fault_plan plan, std::uint64_t seed = 1) : sim(seed), a(sim)
    {
        a.start();
        sim.world().run();
        sim.server().faults = plan;
    }

    simulation sim;
    recorder a;
};

TEST_CASE("a lost request is not executed, and the session reconnects", "[simulation]")
{
    faulty f({.lose_request = 1});
    auto const& c = f.a.send({"SET", "k", "1"});
    f.sim.world().run_for(1s);
    f.sim.server().faults = {};
    f.sim.world().run();
    CHECK(c.outcome == outcome::unknown);
    CHECK(f.sim.server().execute({"EXISTS", "k"}).integer == 0);
    CHECK(f.a.events == events{"open", "closed", "open"});
}

TEST_CASE("a command whose reply is lost is executed", "[simulation]")
{
    faulty f({.lose_reply = 1});
    auto const& c = f.a.send({"SET", "k", "1"});
    f.sim.world().run_for(1s);
    f.sim.server().faults = {};
    f.sim.world().run();
    CHECK(c.outcome == outcome::unknown);
    CHECK(f.sim.server().execute({"EXISTS", "k"}).integer == 1);
    CHECK(f.a.events == events{"open", "closed", "open"});
}

TEST_CASE("a delayed request does not change the order of commands", "[simulation]")
{
    faulty f({.delay_request = 1, .delay = {1s, 1s}});
    auto const& c = f.a.send({"SET", "k", "1"});
    f.sim.server().faults = {};
    auto const begin = f.sim.now();
    f.sim.server().faults = {.delay_request = 1, .delay = {1s, 1s}};
    auto const& d = f.a.send({"INCR", "k"});
    f.sim.world().run();
    CHECK(c.text == "OK");
    CHECK(d.integer == 2);
    CHECK(f.sim.now() - begin >= 2s);
}

TEST_CASE("a disconnection loses a pending command about half of the time", "[simulation]")
{
    int executed_anyway = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        faulty f({.disconnect = 1}, seed);
        auto const& c = f.a.send({"SET", "k", "1"});
        f.sim.world().run_until([&] { return c.answers == 1; });
        f.sim.server().faults = {};
        f.sim.world().run();
        CHECK(c.outcome == outcome::unknown);
        CHECK(f.a.events == events{"open", "closed", "open"});
        executed_anyway += f.sim.server().execute({"EXISTS", "k"}).integer == 1;
    }
    CHECK(executed_anyway > 20);
    CHECK(executed_anyway < 80);
}

TEST_CASE("a dropped message does not reach the subscriber", "[simulation]")
{
    faulty f({});
    f.a.session().subscribe("news");
    f.sim.world().run();
    f.sim.server().faults.drop_push = 1;
    f.sim.server().execute({"PUBLISH", "news", "x"});
    f.sim.world().run();
    CHECK(f.a.count("news") == 0);
    f.sim.server().faults.drop_push = 0;
    f.sim.server().execute({"PUBLISH", "news", "x"});
    f.sim.world().run();
    CHECK(f.a.count("news") == 1);
}

TEST_CASE("a command of another client may be executed between the parts of a split write", "[simulation]")
{
    bool between = false;
    for (std::uint64_t seed = 1; seed <= 100 && !between; ++seed) {
        simulation sim({.world = {.seed = seed}, .faults = {.split_write = 1}});
        recorder a(sim, "A");
        recorder b(sim, "B");
        for (auto* const r : {&a, &b}) {
            r->start();
            sim.world().run();
        }
        a.send({"INCR", "k"});
        a.send({"INCR", "k"});
        b.send({"INCR", "k"});
        sim.world().run();
        between = b.commands[0].integer == 2;
    }
    CHECK(between);
}

TEST_CASE("a restart closes all connections and may lose the data", "[simulation]")
{
    for (bool const lost : {true, false}) {
        faulty f({});
        f.a.send({"SET", "k", "1"});
        f.sim.world().run();
        f.sim.server().restart(lost, 100ms);
        f.sim.world().run();
        CHECK(f.a.count("open") == 2);
        CHECK(f.sim.server().execute({"EXISTS", "k"}).integer == !lost);
    }
}

TEST_CASE("each server fault after a command has its stated effect", "[simulation]")
{
    SECTION("the server pauses")
    {
        faulty f({.pause_server = 1, .pause = {2s, 2s}});
        auto const begin = f.sim.now();
        f.a.send({"SET", "k", "1"});
        f.sim.world().run_for(10ms);
        f.sim.server().faults = {};
        auto const& second = f.a.send({"GET", "k"});
        f.sim.world().run_until([&] { return second.answers == 1; });
        CHECK(second.text == "1");
        CHECK(f.sim.now() - begin >= 2s);
    }
    SECTION("the server restarts without its data")
    {
        faulty f({.restart_server = 1});
        f.a.send({"SET", "k", "1"});
        f.sim.world().run_for(10ms);
        f.sim.server().faults = {};
        f.sim.world().run();
        CHECK(f.a.count("open") == 2);
        CHECK(f.sim.server().execute({"EXISTS", "k"}).integer == 0);
    }
    SECTION("a key is deleted")
    {
        faulty f({.delete_key = 1});
        CHECK(f.a.send({"SET", "k", "1"}).answers == 0);
        f.sim.world().run();
        CHECK(f.a.commands[0].text == "OK");
        CHECK(f.sim.server().model().keys().names().empty());
    }
    SECTION("the scripts are flushed")
    {
        faulty f({.flush_scripts = 1});
        f.a.send({"SCRIPT", "LOAD", "return 1"});
        f.a.send({"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"});
        f.sim.world().run();
        CHECK(f.a.commands[1].text == "NOSCRIPT No matching script. Please use EVAL.");
    }
    SECTION("the wall clock steps")
    {
        faulty f({.step_clock = 1, .step = {40s, 40s}});
        f.a.send({"SET", "k", "1", "PX", "30000"});
        f.a.send({"GET", "k"});
        f.sim.world().run();
        CHECK(f.sim.server().execute({"EXISTS", "k"}).integer == 0);
    }
}

TEST_CASE("a command in flight is executed although its process was killed", "[simulation]")
{
    simulation sim(1);
    recorder a(sim);
    a.start();
    sim.world().run();
    auto const& c = a.send({"SET", "k", "1"});
    auto const started = sim.now();
    sim.world().run_until([&] { return sim.now() > started; });
    sim.at("A").kill();
    sim.world().run();
    CHECK(c.answers == 0);
    CHECK(sim.server().execute({"EXISTS", "k"}).integer == 1);
    CHECK(sim.server().execute({"PUBLISH", "news", "x"}).integer == 0);
}

TEST_CASE("the same seed gives the same trace, including all faults", "[simulation]")
{
    auto const run = [](std::uint64_t seed) {
        fault_plan const all{
            .lose_request = 0.02,
            .lose_reply = 0.02,
            .delay_request = 0.02,
            .disconnect = 0.02,
            .split_write = 0.1,
            .refuse_connect = 0.1,
            .drop_push = 0.2,
            .pause_server = 0.01,
            .restart_server = 0.01,
            .delete_key = 0.02,
            .flush_scripts = 0.02,
            .step_clock = 0.01};
        simulation sim({.world = {.seed = seed, .trace = true}, .faults = all});
        recorder a(sim, "A");
        recorder b(sim, "B");
        for (auto* const r : {&a, &b}) {
            r->when_open = [&sim, r] { r->session().subscribe("news"), r->world().wake_at(sim.now() + 50ms); };
            r->start();
        }
        for (int i = 0; i != 50; ++i) {
            for (auto* const r : {&a, &b})
                if (r->session().is_open())
                    r->send({"PUBLISH", "news", "x"}), r->send({"INCR", "n"});
            sim.world().run_for(100ms);
        }
        return sim.world().trace().digest();
    };
    CHECK(run(1) == run(1));
    CHECK(run(2) == run(2));
    CHECK(run(1) != run(2));
}

}  // namespace
}  // namespace holdfast::test
