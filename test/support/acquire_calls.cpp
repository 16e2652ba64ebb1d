//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/acquire_calls.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"

namespace holdfast::test {
namespace {

namespace scripts = engine::scripts;
using command_text = std::vector<std::string>;

std::string const me = "01234567-89ab-8def-8123-456789abcdef:1";
std::string const other = "fedcba98-7654-8321-8fed-cba987654321:1";
constexpr auto later = "1900000000000000";  // a counter ahead of the server's clock
constexpr auto lease = "10000";
constexpr auto one_day = "86400000";

command_text const other_holds{"HSET", "L", other, "1"};
command_text const lock_expires{"PEXPIRE", "L", lease};

std::vector<acquire_call> mutex_calls()
{
    auto const fenced = [](std::string name, std::vector<command_text> state) {
        return acquire_call{
            std::move(name),
            &scripts::mutex_acquire_fenced,
            std::move(state),
            {"L", "holdfast_fence:{L}"},
            {me, lease, one_day}};
    };
    auto const both = [](std::string name, std::vector<command_text> state) {
        return acquire_call{
            std::move(name), &scripts::mutex_acquire_all, std::move(state), {"L", "M"}, {lease, me, other}, 2};
    };
    return {
        fenced("free", {}),
        fenced("the counter is ahead", {{"SET", "holdfast_fence:{L}", later, "PX", one_day}}),
        fenced("the counter is a list", {{"RPUSH", "holdfast_fence:{L}", "x"}}),
        fenced("the counter is text", {{"SET", "holdfast_fence:{L}", "text", "PX", one_day}}),
        fenced("held", {{"SET", "L", other, "PX", lease}}),
        fenced("a list", {{"RPUSH", "L", "x"}}),
        both("free", {}),
        both("the second is held", {{"SET", "M", other, "PX", lease}})};
}

std::vector<acquire_call> reentrant_calls()
{
    auto const plain = [](std::string name, std::vector<command_text> state) {
        return acquire_call{std::move(name), &scripts::reentrant_acquire, std::move(state), {"L"}, {me, lease}};
    };
    auto const fenced = [](std::string name, std::vector<command_text> state) {
        return acquire_call{
            std::move(name),
            &scripts::reentrant_acquire_fenced,
            std::move(state),
            {"L", "redisson_lock_token:{L}"},
            {me, lease}};
    };
    return {
        plain("free", {}),
        plain("held", {other_holds, lock_expires}),
        plain("a list", {{"RPUSH", "L", "x"}}),
        fenced("free", {{"SET", "redisson_lock_token:{L}", "7"}}),
        fenced("the counter is ahead", {{"SET", "redisson_lock_token:{L}", later}}),
        fenced("the counter is a list", {{"RPUSH", "redisson_lock_token:{L}", "x"}}),
        fenced("held", {other_holds, lock_expires})};
}

std::vector<acquire_call> read_write_calls()
{
    std::string const writer = "holdfast_writer_waiting:{L}", readers = "holdfast_readers_waiting:{L}";
    auto const slot = [](std::string const& holder) { return "{L}:" + holder + ":rwlock_timeout:1"; };
    auto const read = [&](std::string name, std::vector<command_text> state) {
        return acquire_call{
            std::move(name),
            &scripts::read_acquire,
            std::move(state),
            {"L", slot(me), writer, readers},
            {me, lease, "", "1000"}};
    };
    auto const abandoned = [](acquire_call c) {
        c.is_abandoned = true;
        return c;
    };
    auto const write = [&](std::string name, std::vector<command_text> state) {
        return acquire_call{
            std::move(name),
            &scripts::write_acquire,
            std::move(state),
            {"L", writer, readers, "holdfast_fence:{L}"},
            {me, lease, "{L}:", "1000", one_day}};
    };
    command_text const other_reads{"HSET", "L", "mode", "read", other, "1"};
    command_text const is_alive{"SET", slot(other), "1", "PX", lease};
    command_text const waits{"SET", writer, me, "PX", lease};
    return {
        read("free", {}),
        read("read by another", {other_reads, lock_expires, is_alive}),
        read("a writer waits", {waits}),
        read("a list", {{"RPUSH", "L", "x"}}),
        write("free", {}),
        write("free, and its mark stands", {waits}),
        abandoned(write("of a dead reader", {other_reads, lock_expires})),
        write("read by another", {other_reads, lock_expires, is_alive}),
        write("the counter is a list", {{"RPUSH", "holdfast_fence:{L}", "x"}}),
        write("the mark is a list", {{"RPUSH", writer, "x"}, {"PEXPIRE", writer, lease}})};
}

std::vector<acquire_call> fair_calls()
{
    std::string const queue = "redisson_lock_queue:{L}", timeouts = "redisson_lock_timeout:{L}";
    std::string const waiters = "holdfast_lock_waiters:{L}", counter = "holdfast_fence:{L}";
    auto const call = [&](std::string name, std::string priority, std::vector<command_text> state) {
        return acquire_call{
            std::move(name),
            &scripts::fair_acquire,
            std::move(state),
            {"L", queue, timeouts, waiters, "holdfast_lock_priority:{L}", counter},
            {me, lease, "15000", "channel", std::move(priority), one_day}};
    };
    constexpr auto far = "4000000000000";  // a time in ms before which no waiter counts as dead
    auto const first = [&](std::string const& holder) -> std::vector<command_text> {
        return {
            {"RPUSH", queue, holder},
            {"PEXPIRE", queue, one_day},
            {"ZADD", timeouts, far, holder},
            {"PEXPIRE", timeouts, one_day},
            {"ZADD", waiters, far, holder, far, "#seen"},
            {"PEXPIRE", waiters, one_day}};
    };
    auto const with = [](std::vector<command_text> state, std::vector<command_text> const& more) {
        state.insert(state.end(), more.begin(), more.end());
        return state;
    };
    command_text const bad_counter{"RPUSH", counter, "x"};
    return {
        call("free", "5", {}),
        call("the counter is a list", "5", {bad_counter}),
        call("our turn", "5", first(me)),
        call("our turn, the counter is a list", "5", with(first(me), {bad_counter})),
        call("held", "5", {other_holds, lock_expires}),
        call("held, with a high priority", "9", {other_holds, lock_expires}),
        call("a queue, with a high priority", "9", with(first(other), {other_holds, lock_expires})),
        call("a queue", "5", with(first(other), {other_holds, lock_expires})),
        call("a queue, one attempt", "0", first(other)),
        call("the timeouts are text", "5", {other_holds, lock_expires, {"SET", timeouts, "x", "PX", lease}})};
}

std::vector<acquire_call> election_calls()
{
    auto const call = [](std::string name, std::vector<command_text> state, std::string settle = "0") {
        return acquire_call{
            std::move(name),
            &scripts::election_acquire,
            std::move(state),
            {"L",
             "redisson_lock_queue:{L}",
             "redisson_lock_timeout:{L}",
             "holdfast_lock_waiters:{L}",
             "holdfast_lock_priority:{L}",
             "holdfast_leader:{L}",
             "holdfast_fence:{L}"},
            {me, lease, "15000", "channel", "5", one_day, "value", "observers", "candidates", "5", std::move(settle)}};
    };
    command_text const former{"HSET", "holdfast_leader:{L}", "holder", other, "term", "7"};
    command_text const is_kept{"PEXPIRE", "holdfast_leader:{L}", one_day};
    return {
        call("free", {}),
        call("free, with a settle time", {former, is_kept}, "5000"),
        call("held", {other_holds, lock_expires})};
}

std::string contents(restricted_server const& s, std::string const& key)
{
    auto const kind = s.by_admin({"TYPE", key}).text;
    if (kind == "string")
        return to_string(s.by_admin({"GET", key}));
    return kind + (kind == "hash" ? to_string(s.by_admin({"HGETALL", key})) : "");
}

bool lasts_for_ever(restricted_server const& s, std::string const& key)
{
    return s.by_admin({"PTTL", key}).integer == -1;
}

simulated::value make(restricted_server const& s, acquire_call const& c)
{
    command_text words{"EVAL", std::string(c.script->text), std::to_string(c.keys.size())};
    words.insert(words.end(), c.keys.begin(), c.keys.end());
    words.insert(words.end(), c.arguments.begin(), c.arguments.end());
    return s.by_user(words);
}

bool is_refused_with(restricted_server const& s, acquire_call const& c, std::string const& denied)
{
    for (auto const& key : c.keys)
        s.by_admin({"DEL", key});
    for (auto const& command : c.state)
        s.by_admin(command);
    std::vector<std::string> locks_before;
    std::vector<bool> lasted;
    for (auto const& key : c.keys) {
        locks_before.push_back(contents(s, key));
        lasted.push_back(lasts_for_ever(s, key));
    }
    s.deny(denied);
    auto const reply = make(s, c);
    CAPTURE(c.script->name, c.name, denied, to_string(reply));
    if (!reply.is_error())
        return false;
    for (std::size_t i = 0; i < c.keys.size(); ++i) {
        CAPTURE(c.keys[i]);
        // Without the right to DEL the script cannot undo the acquire of a mutex: its key stays until the lease time
        // ends.
        bool const may_stay = denied == "unlink" && s.by_admin({"PTTL", c.keys[i]}).integer > 0;
        bool const may_go = c.is_abandoned && contents(s, c.keys[i]) == "none";
        if (i < c.locks && !may_stay && !may_go)
            CHECK(contents(s, c.keys[i]) == locks_before[i]);
        CHECK((lasted[i] || !lasts_for_ever(s, c.keys[i])));
    }
    return true;
}

}  // namespace

std::vector<std::string> commands_of(engine::script const& script)
{
    constexpr std::string_view call = "call('";
    std::vector<std::string> all;
    for (auto at = script.text.find(call); at != script.text.npos; at = script.text.find(call, at + 1)) {
        auto const begin = at + call.size();
        all.emplace_back(script.text.substr(begin, script.text.find('\'', begin) - begin));
    }
    return all;
}

std::vector<acquire_call> acquire_calls()
{
    std::vector<acquire_call> all;
    for (auto const& some : {mutex_calls(), reentrant_calls(), read_write_calls(), fair_calls(), election_calls()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

std::vector<acquire_call> latch_and_record_calls()
{
    command_text const counts{"SET", "L", "3", "PX", one_day};
    command_text const leads{"HSET", "L", me, "1"};
    std::string const record = "holdfast_leader:{L}";
    auto const count = [&](std::string name, std::string by) {
        return acquire_call{
            std::move(name),
            &scripts::latch_count_down,
            {counts},
            {"L", "holdfast_latch:{L}", "holdfast_latch_steps:{L}"},
            {me, std::move(by), "channel", one_day},
            3};
    };
    auto const proclaim = [&](std::string name, std::vector<command_text> state) {
        return acquire_call{
            std::move(name),
            &scripts::election_proclaim,
            std::move(state),
            {"L", record},
            {me, later, "value", "observers", "5"},
            2};
    };
    return {
        count("some are left", "1"),
        count("the last", "3"),
        proclaim("the record is lost", {leads, lock_expires}),
        proclaim("another value", {leads, lock_expires, {"HSET", record, "holder", me}, {"PEXPIRE", record, one_day}})};
}

int check_refusals(restricted_server const& s, acquire_call const& c)
{
    auto denied = commands_of(*c.script);
    std::ranges::sort(denied);
    denied.erase(std::unique(denied.begin(), denied.end()), denied.end());
    denied.emplace_back();
    return static_cast<int>(
        std::ranges::count_if(denied, [&](auto const& command) { return is_refused_with(s, c, command); }));
}

}  // namespace holdfast::test
