//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/unlock_messages.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace unlock_messages_test {

using namespace std::chrono_literals;

TEST_CASE("a message announces a release until the next attempt is sent", "[unlock_messages]")
{
    unlock_messages m;
    CHECK_FALSE(m.announce_release());
    CHECK((m.take() && m.announce_release()));
    CHECK(m.on_attempt());
    CHECK_FALSE(m.announce_release());
    CHECK_FALSE(m.on_attempt());
}

TEST_CASE("the message of the own release announces nothing, and comes once", "[unlock_messages]")
{
    unlock_messages m;
    m.on_own_release(true);
    CHECK_FALSE(m.take());
    CHECK_FALSE(m.announce_release());
    CHECK((m.take() && m.announce_release()));
}

TEST_CASE(
    "a client that does not receive its own message counts the first message as another client's", "[unlock_messages]")
{
    unlock_messages m;
    m.on_own_release(false);
    CHECK(m.take());
}

TEST_CASE("the own message is no longer expected after an attempt or on a new connection", "[unlock_messages]")
{
    unlock_messages after_attempt, after_open;
    after_attempt.on_own_release(true);
    after_attempt.on_attempt();
    CHECK(after_attempt.take());
    after_open.on_own_release(true);
    after_open.on_open();
    CHECK(after_open.take());
}

TEST_CASE("no release is announced after a new connection, or after forget_release()", "[unlock_messages]")
{
    unlock_messages m;
    m.take();
    m.on_open();
    CHECK_FALSE(m.announce_release());
    m.take();
    m.forget_release();
    CHECK_FALSE(m.announce_release());
}

TEST_CASE("a release reached other clients if more subscribers than this client received it", "[unlock_messages]")
{
    unlock_messages m;
    m.on_own_release(false);
    CHECK_FALSE(m.reached_others(0));
    CHECK(m.reached_others(1));
    m.on_own_release(true);
    CHECK_FALSE(m.reached_others(1));
    CHECK(m.reached_others(2));
    m.take();  // also after the own message has come
    CHECK_FALSE(m.reached_others(1));
}

TEST_CASE("only attempts that messages lead to are limited: a burst, then one per millisecond", "[unlock_messages]")
{
    unlock_messages m;
    core::instant const now{1000s};
    for (int i = 0; i != core::message_pace::burst; ++i)
        m.pace.spend(now);
    CHECK_FALSE(m.are_ahead_of_pace(now));
    m.take();
    CHECK(m.are_ahead_of_pace(now));
    CHECK_FALSE(m.are_ahead_of_pace(now + core::message_pace::interval));
}

}  // namespace unlock_messages_test
}  // namespace holdfast::engine
