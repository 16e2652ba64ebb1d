//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <deque>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "session/awaited_replies.hpp"

namespace holdfast::session {
namespace session_awaited_replies_test {

using namespace std::chrono_literals;
using kind = awaited_replies::kind;

constexpr core::instant start{1000s};

struct probe final : engine::command {
    void on_answer(engine::answer const& a) override
    {
        ++answers;
        sent = a.sent;
        outcome = a.outcome;
        if (then)
            then();
    }

    int answers = 0;
    core::instant sent = {};
    engine::outcome outcome = engine::outcome::applied;
    std::function<void()> then;
};

TEST_CASE("awaited_replies: replies belong to commands and guards in the order of their submission", "[session]")
{
    awaited_replies all;
    std::deque<probe> commands(40);
    for (auto& c : commands) {
        all.add(c);
        all.add_guard(&c == &commands.front());
    }
    all.on_flush(start);
    for (auto& c : commands) {
        auto const first = all.take();
        CHECK(first.to == &c);
        CHECK(first.kind == kind::command);
        CHECK(first.sent == start);
        CHECK(all.take().kind == (&c == &commands.front() ? kind::subscribe_guard : kind::unsubscribe_guard));
    }
    CHECK(all.empty());
}

TEST_CASE("awaited_replies: an overdue command ends as unknown, and its late reply is still expected", "[session]")
{
    awaited_replies all;
    probe early, late, unsent;
    all.add(early);
    all.on_flush(start);
    all.add(late);
    all.on_flush(start + 1s);
    all.add(unsent);
    CHECK(all.oldest_sent() == start);

    all.expire(start);
    CHECK(early.answers == 1);
    CHECK(early.outcome == engine::outcome::unknown);
    CHECK(early.sent == start);
    CHECK(late.answers == 0);
    CHECK(all.oldest_sent() == start + 1s);

    CHECK(all.take().to == nullptr);
    CHECK(all.take().to == &late);
    all.on_flush(start + 2s);
    CHECK(all.take().sent == start + 2s);
    CHECK(all.oldest_sent() == core::never);
}

TEST_CASE("awaited_replies: the end of the connection ends all commands, also those not sent yet", "[session]")
{
    awaited_replies all;
    probe sent, unsent;
    all.add(sent);
    all.on_flush(start);
    all.add_guard(true);
    all.add(unsent);
    all.give_up_all(start + 1s);
    CHECK(sent.sent == start);
    CHECK(unsent.sent == start + 1s);
    CHECK(unsent.answers == 1);
    CHECK(all.empty());
}

TEST_CASE("awaited_replies: a command that ends may call forget_all(), and no other command ends then", "[session]")
{
    awaited_replies all;
    probe first, second;
    first.then = [&] { all.forget_all(); };
    all.add(first);
    all.add(second);
    all.give_up_all(start);
    CHECK(first.answers == 1);
    CHECK(second.answers == 0);

    probe third;
    all.add(third);
    all.on_flush(start);
    CHECK(all.take().to == &third);
}

TEST_CASE("awaited_replies: a command submitted while others expire does not expire with them", "[session]")
{
    awaited_replies all;
    probe first, more;
    first.then = [&] { all.add(more); };
    all.add(first);
    all.on_flush(start);
    all.expire(start + 10s);
    CHECK(first.answers == 1);
    CHECK(more.answers == 0);
}

}  // namespace session_awaited_replies_test
}  // namespace holdfast::session
