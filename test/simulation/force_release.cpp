//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// force_release() deletes locks, and no other data that has the name of a lock.

#include <string>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using command_text = std::vector<std::string>;

std::string const ours = "01234567-89ab-8def-8123-456789abcdef:1";
std::string const theirs = "6f1c1d0e-0000-4000-8000-000000000003:77";
command_text const expires{"PEXPIRE", "k", "60000"};

void execute(arena& a, command_text const& command)
{
    std::vector<std::string_view> const text(command.begin(), command.end());
    a.server().execute(text);
}

// The content of the key "k", and which handles may delete it.
struct key_content {
    char const* name;
    std::vector<command_text> commands;
    bool by_one = false;         // mutex, reentrant_lock, fair_lock: they exclude each other
    bool by_read_write = false;  // either side of a read_write_lock
};

std::vector<key_content> key_contents()
{
    return {
        {"a token", {{"SET", "k", ours, "PX", "60000"}}, true},
        {"a token with a label", {{"SET", "k", ours + ":any label", "PX", "60000"}}, true},
        {"a holder", {{"HSET", "k", ours, "1"}, expires}, true},
        {"a holder of Redisson's", {{"HSET", "k", theirs, "3"}, expires}, true},
        {"a holder with a negative number", {{"HSET", "k", theirs.substr(0, 37) + "-5:tx", "1"}, expires}, true},
        {"a writer", {{"HSET", "k", "mode", "write", theirs + ":write", "1"}, expires}, false, true},
        {"readers", {{"HSET", "k", "mode", "read", ours, "1", theirs, "2"}, expires}, false, true},

        // Their times to live were lost, so nobody else would end them.
        {"a token that does not expire", {{"SET", "k", ours}}, true},
        {"a holder that does not expire", {{"HSET", "k", ours, "1"}}, true},
        {"readers that do not expire", {{"HSET", "k", "mode", "read", ours, "1"}}, false, true},

        {"text", {{"SET", "k", "data", "PX", "60000"}}},
        {"a bare UUID", {{"SET", "k", ours.substr(0, 36), "PX", "60000"}}},
        {"a UUID and text", {{"SET", "k", ours.substr(0, 37) + "data", "PX", "60000"}}},
        {"a number too much", {{"SET", "k", ours + "x", "PX", "60000"}}},
        {"a token of another length", {{"SET", "k", "0-1-2-3-4:5", "PX", "60000"}}},
        {"a session", {{"HSET", "k", "user", "17", "seen", "1800000000"}, expires}},
        {"a session of one field", {{"HSET", "k", "user", "17"}, expires}},
        {"a holder beside data", {{"HSET", "k", ours, "1", "user", "17"}, expires}},
        {"a holder with data", {{"HSET", "k", ours, "data"}, expires}},
        {"a session with a mode", {{"HSET", "k", "mode", "dark", "user", "17"}, expires}},
        {"readers beside data", {{"HSET", "k", "mode", "read", ours, "1", "user", "17"}, expires}},
        {"a list", {{"RPUSH", "k", ours}, expires}},
    };
}

std::string contents(arena& a)
{
    auto const kind = a.server().execute({"TYPE", "k"}).text;
    auto const what = kind == "string" ? a.server().execute({"GET", "k"}) : a.server().execute({"HGETALL", "k"});
    return kind + to_string(what);
}

TEST_CASE("force_release() deletes locks of its kind and completes as wrong_type on any other data", "[force_release]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        struct handle {
            char const* name;
            any_lock lock;
            bool key_content::*takes;
        };
        std::vector<handle> const handles{
            {"mutex", mutex(c, "k"), &key_content::by_one},
            {"reentrant_lock", reentrant_lock(c, "k", c.make_owner()), &key_content::by_one},
            {"fair_lock", fair_lock(c, "k"), &key_content::by_one},
            {"read_write_lock", read_write_lock(c, "k").write(), &key_content::by_read_write},
        };
        for (auto const& s : key_contents())
            for (auto const& h : handles) {
                CAPTURE(s.name, h.name);
                a.server().execute({"DEL", "k"});
                for (auto const& command : s.commands)
                    execute(a, command);
                auto const before = contents(a);
                error_code ec;
                auto const taken = co_await h.lock.force_release(asio::redirect_error(use_awaitable, ec));
                bool const should = s.*h.takes;
                CHECK(taken == should);
                CHECK(ec == (should ? error_code() : make_error_code(errc::wrong_type)));
                CHECK(a.exists("k") != should);
                if (!should)
                    CHECK(contents(a) == before);
            }
    });
}

}  // namespace
}  // namespace holdfast::test
