//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every line of the table in session/world.hpp, without a clock.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "session/world.hpp"

namespace holdfast::session {
namespace session_world_test {

using namespace std::chrono_literals;

constexpr core::instant begin{1000h};

// The clock of the system, which the test moves.
struct clock_state {
    core::instant now = begin;
    core::instant requested = core::never;  // the earliest
    bool is_stopped = false;
    std::uint64_t incarnation = 3;
};

class moved_clock final : public environment {
public:
    explicit moved_clock(clock_state& s) : state_(s) {}

    core::instant now() const noexcept override { return state_.now; }
    void wake_at(core::instant when) override { state_.requested = std::min(state_.requested, when); }
    void stop() noexcept override { state_.is_stopped = true; }
    std::uint64_t random() noexcept override { return 7; }
    std::array<std::uint8_t, 16> identity() override { return {1}; }
    std::uint64_t incarnation() const noexcept override { return state_.incarnation; }

private:
    clock_state& state_;
};

class due final : public core::deadline {
public:
    due(std::vector<std::string>& to, std::string name) : to_(to), name_(std::move(name)) {}
    void on_due(core::instant) override { to_.push_back(name_); }

private:
    std::vector<std::string>& to_;
    std::string const name_;
};

struct fixture : engine::world_events {
    fixture()
    {
        made->live_in(std::make_unique<moved_clock>(clock));
        made->start(*this);
    }
    void on_alarm() override
    {
        events.emplace_back("alarm");
        if (when_alarm)
            when_alarm();
    }

    // The timer of the system expires when the earliest request is due.
    void ring()
    {
        clock.now = std::exchange(clock.requested, core::never);
        time.lock()->on_time();
    }

    clock_state clock;
    std::vector<std::string> events;
    std::function<void()> when_alarm;
    std::shared_ptr<world> made = std::make_shared<world>();
    std::weak_ptr<clock_events> time = made->clock();
};

using lines = std::vector<std::string>;

TEST_CASE_METHOD(fixture, "world: it passes on what the system provides", "[world]")
{
    CHECK(made->now() == begin);
    CHECK(made->random() == 7);
    CHECK(made->identity()[0] == 1);
    CHECK_FALSE(made->is_inherited());
}

TEST_CASE_METHOD(fixture, "world: in a forked child no deadline runs and no timer is set", "[world]")
{
    due a(events, "a");
    made->arm(a, begin + 1s);
    clock.requested = core::never;
    ++clock.incarnation;
    clock.now = begin + 2s;
    time.lock()->on_time();
    CHECK(made->is_inherited());
    CHECK(events.empty());
    CHECK(clock.requested == core::never);
    made->disarm(a);
}

TEST_CASE_METHOD(fixture, "world: the deadlines of several sessions and the alarm share one timer", "[world]")
{
    due a(events, "a"), b(events, "b");
    made->arm(a, begin + 3s);
    made->wake_at(begin + 2s);
    made->arm(b, begin + 1s);
    CHECK(clock.requested == begin + 1s);
    ring();
    CHECK(events == lines{"b"});
    CHECK(clock.requested == begin + 2s);
    ring();
    ring();
    CHECK(events == lines{"b", "alarm", "a"});
    CHECK(clock.requested == core::never);
}

TEST_CASE_METHOD(fixture, "world: an earlier request replaces a later one, and a later one is ignored", "[world]")
{
    made->wake_at(begin + 3s);
    made->wake_at(begin + 2s);
    made->wake_at(begin + 4s);
    ring();
    CHECK(events == lines{"alarm"});
    CHECK(clock.now == begin + 2s);
    CHECK(clock.requested == core::never);
}

TEST_CASE_METHOD(fixture, "world: the alarm may be requested again within the alarm", "[world]")
{
    when_alarm = [&, times = 0]() mutable {
        if (++times < 3)
            made->wake_at(clock.now + 1s);
    };
    made->wake_at(begin + 1s);
    for (int i = 0; i != 3; ++i)
        ring();
    CHECK(events == lines{"alarm", "alarm", "alarm"});
    CHECK(clock.requested == core::never);
}

TEST_CASE_METHOD(fixture, "world: a disarmed deadline does not run", "[world]")
{
    due a(events, "a");
    made->arm(a, begin + 1s);
    made->disarm(a);
    ring();
    CHECK(events.empty());
}

TEST_CASE_METHOD(fixture, "world: no alarm follows stop(), and the timer of the system is stopped", "[world]")
{
    made->wake_at(begin + 1s);
    made->stop();
    CHECK(clock.is_stopped);
    made->stop();
    ring();
    CHECK(events.empty());
    made->wake_at(begin + 2s);
    CHECK(clock.requested == core::never);
}

TEST_CASE_METHOD(fixture, "world: the alarm may stop the world and release its last owner", "[world]")
{
    due later(events, "later");
    made->arm(later, begin + 2s);
    when_alarm = [&] {
        made->disarm(later);  // as a session does when it stops
        made->stop();
        made.reset();
    };
    made->wake_at(begin + 1s);
    ring();
    CHECK(events == lines{"alarm"});
    CHECK(time.expired());
    CHECK(clock.requested == core::never);
}

}  // namespace session_world_test
}  // namespace holdfast::session
