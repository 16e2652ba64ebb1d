//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Which releases another server executes again, and in which order.

#include "engine/release/release_history.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "unit/lock_of.hpp"

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;

constexpr core::instant at_first = core::instant() + 100s;
constexpr core::duration lease_time = 30s;

server_identity run(std::string_view id)
{
    return {.run_id = {id.data(), id.size()}};
}

release_history::grant_ptr released(std::uint64_t n, std::string_view name = "a")
{
    return new grant(std::make_shared<lock_spec const>(lock_of(name)), core::token("t", n, ""), lease_time);
}

// Of one server, which has executed nothing yet.
struct one_server {
    one_server() { history.on_open(run("1"), at_first); }

    void execute(std::uint64_t n, core::instant sent = at_first) { history.add(released(n), sent); }
    // The tokens of all that are due, each of which ends at once.
    std::string due()
    {
        std::string tokens;
        while (auto const g = history.next()) {
            tokens.append(g->token()).append(" ");
            history.on_repeated();
        }
        return tokens;
    }

    release_history history;
};

TEST_CASE_METHOD(one_server, "another server repeats the last releases, the latest first", "[release_history]")
{
    execute(1, at_first);
    execute(2, at_first + 1s);
    execute(3, at_first + 5s);
    execute(4, at_first + 6s);
    history.on_open(run("2"), at_first + 20s);
    CHECK(due() == "t:4 t:3 t:2 ");
    history.on_open(run("3"), at_first + 20s);
    CHECK(due().empty());  // they count again when they have been executed
}

TEST_CASE_METHOD(one_server, "the same run of a server repeats none", "[release_history]")
{
    execute(1);
    history.on_open(run("1"), at_first);
    CHECK(due().empty());
    history.on_open(run("2"), at_first);
    CHECK(due() == "t:1 ");
}

TEST_CASE_METHOD(one_server, "a server that is not known may be another one", "[release_history]")
{
    execute(1);
    history.on_open(run(""), at_first);
    CHECK(due() == "t:1 ");
    execute(2);
    history.on_open(run(""), at_first);
    CHECK(due() == "t:2 ");
}

TEST_CASE_METHOD(one_server, "a release whose key has expired everywhere is not repeated", "[release_history]")
{
    execute(1, at_first);
    execute(2, at_first + 1s);
    history.on_open(run("2"), at_first + lease_time + core::drift(lease_time));
    CHECK(due() == "t:2 ");
}

TEST_CASE_METHOD(one_server, "only the releases of slots that moved are repeated", "[release_history]")
{
    history.add(released(1, "a"), at_first);
    history.add(released(2, "b"), at_first);
    history.add(released(3, "a"), at_first);
    core::slot_set moved;
    moved.set(lock_of("a").slot);
    history.on_left(moved, at_first);
    CHECK(due() == "t:3 t:1 ");
    history.on_open(run("2"), at_first);
    CHECK(due() == "t:2 ");
}

TEST_CASE_METHOD(one_server, "few repetitions are under way at a time", "[release_history]")
{
    for (std::uint64_t n = 0; n != 100; ++n)
        execute(n);
    history.on_open(run("2"), at_first);
    std::size_t taken = 0;
    while (history.next())
        ++taken;
    CHECK(taken == release_history::most_under_way);
    history.on_repeated();
    CHECK(history.next());
    CHECK_FALSE(history.next());
}

TEST_CASE_METHOD(one_server, "of too many releases the oldest are forgotten", "[release_history]")
{
    for (std::uint64_t n = 0; n != release_history::most + 10; ++n)
        execute(n);
    history.on_open(run("2"), at_first);
    auto const all = due();
    CHECK(all.starts_with("t:" + std::to_string(release_history::most + 9) + " "));
    CHECK(all.ends_with(" t:10 "));
}

}  // namespace
}  // namespace holdfast::engine
