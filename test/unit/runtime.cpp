//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "core/turn_budget.hpp"
#include "unit/fake_session.hpp"
#include "unit/fake_world.hpp"
#include "unit/lock_of.hpp"

namespace holdfast::engine {
namespace runtime_test {

using namespace std::chrono_literals;

struct no_events final : world_events, shard_events {
    void on_alarm() override {}
    void on_open(shard&) override {}
    void on_closed(shard&, closing const&) override {}
    void on_message(shard&, std::string_view) override {}
    void on_subscribed(shard&, std::string_view) override {}
    void on_unsubscribed(shard&, std::string_view) override {}
    void on_turn_end(shard&) override {}
    void on_slots(shard&, core::cluster_map const&) override {}
    void on_doubt(shard&, core::redirect const*) override {}
};

struct fixture {
    void start()
    {
        made.lifecycle().start();
        made.start(events, events);
    }

    std::shared_ptr<fake_world> time = std::make_shared<fake_world>();
    std::shared_ptr<fake_session> session = std::make_shared<fake_session>();
    no_events events;
    runtime made{{time, session}, {}, log(), {}};
    lock_spec lock = lock_of("seat");
};

class due final : public core::deadline {
public:
    void on_due(core::instant) override { ++times; }
    int times = 0;
};

TEST_CASE_METHOD(fixture, "runtime: a client of one server has one shard for all locks", "[runtime]")
{
    auto const other = lock_of("another");
    REQUIRE(lock.slot != other.slot);
    CHECK(&made.session_of(lock) == session.get());
    CHECK(&made.session_of(other) == session.get());
    CHECK(&made.shard_of(lock) == &made.shard_of(other));
    CHECK(made.is_at(made.shard_of(lock), other));
    int shards = 0;
    made.for_each_shard([&](shard& s) { shards += &s == &made.shard_of(lock); });
    CHECK(shards == 1);
}

TEST_CASE_METHOD(fixture, "runtime: it starts the world and the session, and stops both", "[runtime]")
{
    start();
    CHECK(time->events == &events);
    REQUIRE(session->events);
    CHECK_FALSE(session->is_stopped);
    made.stop();
    CHECK(session->is_stopped);
    CHECK(time->is_stopped);
}

TEST_CASE_METHOD(fixture, "runtime: a server that refuses the client refuses each of its locks", "[runtime]")
{
    start();
    CHECK_FALSE(made.admission_error(lock));
    session->events->on_closed({errc::not_permitted, "WRONGPASS", true});
    CHECK(made.admission_error(lock).code == errc::not_permitted);
    CHECK(made.refusal().code == errc::not_permitted);
    session->events->on_open();
    CHECK_FALSE(made.admission_error(lock));
    CHECK_FALSE(made.refusal());
}

TEST_CASE_METHOD(
    fixture, "runtime: the error of a client that does not run takes precedence over a server's refusal", "[runtime]")
{
    start();
    session->events->on_closed({errc::not_permitted, "WRONGPASS", true});
    made.lifecycle().close();
    CHECK(made.admission_error(lock).code == errc::client_stopped);
    made.lifecycle().stop();
    CHECK(made.admission_error(lock).code == errc::client_stopped);
}

TEST_CASE_METHOD(fixture, "runtime: a client that was not started admits nothing", "[runtime]")
{
    CHECK(made.admission_error(lock).code == errc::not_running);
}

TEST_CASE_METHOD(fixture, "runtime: it is ready while an epoch is open", "[runtime]")
{
    CHECK(made.is_ready());
    session->open = false;
    CHECK_FALSE(made.is_ready());
}

TEST_CASE_METHOD(
    fixture, "runtime: an applied attempt is a sample of the response time of its lock's server", "[runtime]")
{
    auto const& times = made.shard_of(lock).responses();
    auto const guess = times.average();
    time->time += 40ms;
    made.on_answer(lock, {.outcome = outcome::unknown, .sent = {}});
    CHECK(times.average() == guess);
    made.on_answer(lock, {.outcome = outcome::applied, .sent = {}});
    CHECK(times.average() == 40ms);
}

TEST_CASE_METHOD(fixture, "runtime: the earliest deadline sets the world's alarm", "[runtime]")
{
    start();
    due first, second;
    made.arm(second, core::instant(5s));
    made.arm(first, core::instant(2s));
    CHECK(time->alarm == core::instant(2s));
    time->time = core::instant(2s);
    made.on_alarm();
    CHECK((first.times == 1 && second.times == 0));
    CHECK(time->alarm == core::instant(5s));
}

TEST_CASE_METHOD(fixture, "runtime: deadlines that a turn leaves are for an alarm of the next turn", "[runtime]")
{
    start();
    std::deque<due> all(core::turn_budget + 1);
    for (auto& d : all)
        made.arm(d, core::instant(2s));
    time->time = core::instant(2s);
    made.on_alarm();
    auto const left = [&] { return std::ranges::count(all, 0, &due::times); };
    CHECK(left() == 1);
    // Later than the time up to which the world runs alarms in this turn.
    CHECK(time->alarm == core::next_turn(time->time));
    made.on_alarm();
    CHECK(left() == 0);
}

}  // namespace runtime_test
}  // namespace holdfast::engine
