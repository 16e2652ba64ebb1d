//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tool/dashboard/changes.hpp"

namespace dashboard_changes_test {

using namespace holdfast::cli::dashboard;
using namespace std::chrono_literals;
using holdfast::holder;
using holdfast::detail::lock_record;
using holdfast::detail::recorded_kind;
using names = std::vector<std::string>;

holder named(std::string id)
{
    holder h;
    h.id = std::move(id);
    h.remaining = 30s;
    return h;
}

lock_record lock_of(names const& holders, names const& queue = {})
{
    lock_record r;
    r.kind = holders.empty() ? recorded_kind::free : recorded_kind::fair;
    for (auto const& id : holders)
        r.holders.push_back(named(id));
    for (auto const& id : queue)
        r.queue.push_back(named(id));
    r.holder_count = holders.size();
    r.queue_length = queue.size();
    return r;
}

std::string text_of(std::vector<lock_change> const& all)
{
    constexpr char const* words[] = {"acquired", "ended", "queued", "left"};
    std::string text;
    for (auto const& c : all)
        text.append(words[static_cast<int>(c.what)]).append(" ").append(c.who.id).append(";");
    return text;
}

TEST_CASE("changes: holders that come and go", "[dashboard]")
{
    CHECK(text_of(changes_between(lock_of({}), lock_of({"a"}))) == "acquired a;");
    CHECK(text_of(changes_between(lock_of({"a"}), lock_of({}))) == "ended a;");
    CHECK(text_of(changes_between(lock_of({"a"}), lock_of({"b"}))) == "ended a;acquired b;");
    CHECK(text_of(changes_between(lock_of({"a", "b"}), lock_of({"b", "c"}))) == "ended a;acquired c;");
    CHECK(text_of(changes_between(lock_of({"a"}), lock_of({"a"}))).empty());
}

TEST_CASE("changes: a waiter that leaves the queue as the holder has not given up", "[dashboard]")
{
    CHECK(text_of(changes_between(lock_of({"a"}), lock_of({"a"}, {"b"}))) == "queued b;");
    CHECK(text_of(changes_between(lock_of({"a"}, {"b", "c"}), lock_of({"b"}, {"c"}))) == "ended a;acquired b;");
    CHECK(text_of(changes_between(lock_of({"a"}, {"b", "c"}), lock_of({"a"}, {"c"}))) == "left b;");
}

TEST_CASE("changes: lists that are cut show none", "[dashboard]")
{
    auto before = lock_of({"a"});
    before.holder_count = 60;
    CHECK(changes_between(before, lock_of({"b"})).empty());
    CHECK(changes_between(lock_of({"b"}), before).empty());
}

TEST_CASE("changes: only another remaining time is no difference", "[dashboard]")
{
    auto before = lock_of({"a"}, {"b"});
    auto after = before;
    after.holders[0].remaining = 10s;
    after.queue[0].remaining = 1s;
    CHECK(same_apart_from_time(before, after));
    after.fence = "17";
    CHECK_FALSE(same_apart_from_time(before, after));
    after = before;
    after.subscribers = 0;
    CHECK_FALSE(same_apart_from_time(before, after));
    after = before;
    after.holders[0].writer = true;
    CHECK_FALSE(same_apart_from_time(before, after));
    after = before;
    after.waiting_writer = named("w");
    CHECK_FALSE(same_apart_from_time(before, after));
    before.waiting_writer = named("w");
    before.waiting_writer->remaining = 1s;
    CHECK(same_apart_from_time(before, after));
    before.waiting_writer = named("v");
    CHECK_FALSE(same_apart_from_time(before, after));
    CHECK_FALSE(same_apart_from_time(before, lock_of({"a"})));
}

}  // namespace dashboard_changes_test
