//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Each lock has several keys. What holds when some of them are damaged, and the others are as they were: the table of
// test/support/damaged_keys.hpp, and further cases.

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "support/damaged_keys.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

struct primitive {
    char const* name;
    std::function<any_lock(client&)> make;
    bool is_semaphore = false;
};

std::vector<primitive> primitives()
{
    std::vector<primitive> all;
    for (auto const& l : exclusive_locks())
        all.push_back({l.name, [make = l.make](client& c) { return make(c, "k"); }, l.is_semaphore});
    return all;
}

// The simulator: each process has a client, and the servers of a red_lock are "redis", "n1" and "n2".
class simulated_world : public key_world {
public:
    arena& simulated() { return arena_; }

    client& client_of(unsigned process) override
    {
        if (!clients_[process])
            clients_[process] = &arena_.client(name_of(process));
        return *clients_[process];
    }
    std::vector<client const*> clients_of_three_servers(unsigned process) override
    {
        std::vector<client const*> all{&client_of(process)};
        for (auto* server : {"n1", "n2"})
            all.push_back(&arena_.client(name_of(process), arena::quick(), server));
        return all;
    }
    simulated::value execute(std::vector<std::string> const& words) override
    {
        return arena_.server().execute(std::vector<std::string_view>(words.begin(), words.end()));
    }
    std::vector<std::string> keys(std::string const&) override { return arena_.server().model().keys().names(); }
    awaitable<void> sleep(std::chrono::milliseconds d) override { co_await arena_.sleep(d); }
    void spawn(awaitable<void> a) override { arena_.spawn(std::move(a)); }
    std::chrono::milliseconds watch_time() const override { return 5s; }
    bool is_punctual() const override { return true; }

private:
    static std::string name_of(unsigned process) { return {static_cast<char>('A' + process)}; }

    arena arena_;
    std::array<client*, processes> clients_{};
};

template <class Play>
void require_promises(char const* name, Play const& play_in)
{
    for (auto const& what : key_scenes()) {
        simulated_world world;
        world.simulated().run([&]() -> awaitable<void> {
            auto const v = co_await play_in(world, what);
            CAPTURE(name, description_of(what), v.damaged);
            CHECK(v.broken == std::vector<std::string>());
        });
    }
}

TEST_CASE("a lock of which keys were damaged has no second holder, and serves again afterwards", "[keys]")
{
    for (auto const& row : key_rows())
        require_promises(row.name, [&](key_world& w, key_scene const& what) { return play(w, row, what, "k"); });
}

TEST_CASE("a latch of which keys were damaged opens for nobody before it is counted, and serves again", "[keys][latch]")
{
    require_promises("latch", [](key_world& w, key_scene const& what) { return play_latch(w, what, "k"); });
}

// A held key that has lost its time to live gets one at the next renewal.
TEST_CASE("a renewal gives a lock that lost its time to live its lease time again", "[keys]")
{
    auto all = primitives();
    all.push_back({"read", [](client& c) { return any_lock(read_write_lock(c, "k").read()); }});
    for (auto const& p : all) {
        CAPTURE(p.name);
        arena a;
        auto lock = p.make(a.client());
        if (p.is_semaphore)
            continue;
        a.run([&]() -> awaitable<void> {
            auto held = co_await lock.acquire(use_awaitable);
            for (auto const& key : a.server().model().keys().names())
                if (key.starts_with("k") || key.starts_with("{k}"))
                    a.server().execute({"PERSIST", key});
            co_await a.sleep(1500ms);
            CHECK(held.valid());
            for (auto const& key : a.server().model().keys().names()) {
                CAPTURE(key);
                if (key.starts_with("k") || key.starts_with("{k}"))
                    CHECK(a.server().execute({"PTTL", key}).integer > 0);
            }
            co_await held.release(use_awaitable);
        });
    }
}

TEST_CASE("a read that is renewed does not cut longer reads when the lock has lost its time to live", "[keys]")
{
    arena a;
    read_write_lock const one(a.client("A"), "k"), other(a.client("B"), "k");
    a.run([&]() -> awaitable<void> {
        auto brief = co_await one.read().acquire(use_awaitable);
        auto longer = co_await other.read().acquire({.lease = 60s}, use_awaitable);
        a.server().execute({"PERSIST", "k"});
        co_await a.sleep(1500ms);
        auto const left = a.server().execute({"PTTL", "k"}).integer;
        CHECK(left > 50'000);
        CHECK(left <= 60'000);
        co_await brief.release(use_awaitable);
        co_await longer.release(use_awaitable);
    });
}

// Waiters of a mutex: each kind of acquire learns in another way that it is held.
std::vector<primitive> kinds_of_mutex()
{
    return {
        {"mutex", [](client& c) { return any_lock(mutex(c, "k")); }},
        {"fenced mutex", [](client& c) { return any_lock(mutex(c, "k", {.fencing = true})); }},
        {"multi_lock", [](client& c) { return any_lock(multi_lock(mutex(c, "free"), mutex(c, "k"))); }}};
}

TEST_CASE("a waiter of a mutex that lost its time to live waits until its holder restores it", "[keys]")
{
    for (auto const& p : kinds_of_mutex()) {
        CAPTURE(p.name);
        arena a;
        auto const one = p.make(a.client("A")), other = p.make(a.client("B"));
        a.run([&]() -> awaitable<void> {
            auto held = co_await one.acquire(use_awaitable);
            a.server().execute({"PERSIST", "k"});
            error_code ended;
            bool is_granted = false;
            auto const wait = [&]() -> awaitable<void> {
                auto l = co_await other.acquire(asio::redirect_error(use_awaitable, ended));
                is_granted = l.valid();
            };
            a.spawn(wait(), "B");
            co_await a.sleep(5s);
            CHECK_FALSE(ended);
            CHECK_FALSE(is_granted);
            a.server().execute({"PERSIST", "k"});
            co_await a.sleep(5s);
            CHECK_FALSE(ended);
            CHECK(held.valid());
            co_await held.release(use_awaitable);
            co_await a.sleep(1s);
            CHECK(is_granted);
        });
    }
}

TEST_CASE("a mutex without a time to live whose holder is dead is wrong_type in bounded time", "[keys]")
{
    for (auto const& p : kinds_of_mutex()) {
        CAPTURE(p.name);
        arena a;
        auto const lock = p.make(a.client());
        a.run([&]() -> awaitable<void> {
            a.server().execute({"SET", "k", "6f1c1d0e-0000-8000-8000-000000000001:1"});
            auto const at_once = co_await error_of(lock.try_acquire({}, use_awaitable));
            CHECK(at_once == errc::wrong_type);
            error_code ended;
            a.spawn([&]() -> awaitable<void> { ended = co_await error_of(lock.acquire(use_awaitable)); });
            co_await a.sleep(1400ms);  // half of a lease time is 1.5 s
            CHECK_FALSE(ended);
            co_await a.sleep(1500ms);  // the next look comes within a poll_interval
            CHECK(ended == errc::wrong_type);
            CHECK(a.exists("k"));
        });
    }
}

TEST_CASE("no number of a numbered semaphore is given twice after the numbers were lost", "[keys][numbered]")
{
    constexpr semaphore_options numbered{.permits = 2, .numbered = true};
    arena a;
    semaphore const one(a.client("A"), "s", numbered), other(a.client("B"), "s", numbered);
    a.run([&]() -> awaitable<void> {
        auto held = co_await one.acquire(use_awaitable);
        CHECK(held.number() == 1U);
        a.server().execute({"DEL", "holdfast_permit_numbers:{s}"});
        error_code ec;
        auto next = co_await other.try_acquire({.wait = 5s}, asio::redirect_error(use_awaitable, ec));
        CHECK(ec == error_code());
        CHECK(next.valid());
        CHECK_FALSE((held.valid() && held.number() == next.number()));
        co_await next.release(use_awaitable);
        co_await a.sleep(4s);
        CHECK_FALSE(held.valid());
        auto const n = co_await one.permits(use_awaitable);
        CHECK(n.free == 2);
    });
}

TEST_CASE("a latch whose generation was lost stays closed for those that wait", "[keys][latch]")
{
    arena a;
    latch const one(a.client("A"), "parts"), other(a.client("B"), "parts");
    a.run([&]() -> awaitable<void> {
        co_await one.set(2, use_awaitable);
        bool is_open = false;
        auto const wait = [&]() -> awaitable<void> { is_open = co_await other.wait({}, use_awaitable); };
        a.spawn(wait(), "B");
        co_await a.sleep(500ms);
        a.server().execute({"DEL", "holdfast_latch:{parts}"});
        co_await a.sleep(3s);
        CHECK_FALSE(is_open);
        // It opens, and is set anew at once: another generation than the one that was lost.
        a.server().execute({"DEL", "parts"});
        co_await one.set(2, use_awaitable);
        co_await a.sleep(3s);
        CHECK(is_open);
    });
}

TEST_CASE("a latch whose generation was lost is removed for those that wait, also a second time", "[keys][latch]")
{
    arena a;
    latch const one(a.client("A"), "parts"), other(a.client("B"), "parts");
    a.run([&]() -> awaitable<void> {
        for (int i = 0; i < 2; ++i) {
            co_await one.set(2, use_awaitable);
            error_code ended;
            auto const wait = [&]() -> awaitable<void> { ended = co_await error_of(other.wait({}, use_awaitable)); };
            a.spawn(wait(), "B");
            co_await a.sleep(500ms);
            a.server().execute({"DEL", "holdfast_latch:{parts}"});
            co_await one.remove(use_awaitable);
            co_await a.sleep(100ms);
            CHECK(ended == errc::latch_removed);
        }
    });
}

TEST_CASE("a count of a latch that Redis does not count is wrong_type, and never open", "[keys][latch]")
{
    arena a;
    latch const l(a.client(), "parts");
    a.run([&]() -> awaitable<void> {
        for (auto* count : {"1e3", "2.5", " 5", "0x10", "9007199254740993", "05", "+5", "", "-0"}) {
            CAPTURE(count);
            a.server().execute({"SET", "parts", count});
            auto const on_wait = co_await error_of(l.wait({.wait = 100ms}, use_awaitable));
            CHECK(on_wait == errc::wrong_type);
            auto const on_count = co_await error_of(l.count_down(1, use_awaitable));
            CHECK(on_count == errc::wrong_type);
            auto const on_set = co_await error_of(l.set(1, use_awaitable));
            CHECK(on_set == errc::wrong_type);
            auto const on_remove = co_await error_of(l.remove(use_awaitable));
            CHECK(on_remove == errc::wrong_type);
        }
        a.server().execute({"SET", "parts", "4294967296"});
        auto const left = co_await l.count(use_awaitable);
        CHECK(left == 4294967295U);
        a.server().execute({"SET", "parts", "2"});
        a.server().execute({"SET", "holdfast_latch:{parts}", "1e3"});
        auto const on_generation = co_await error_of(l.count(use_awaitable));
        CHECK(on_generation == errc::wrong_type);
        auto const on_remove = co_await error_of(l.remove(use_awaitable));
        CHECK(on_remove == errc::wrong_type);
        CHECK(a.exists("parts"));
    });
}

TEST_CASE("a counter of a semaphore that Redis does not count is wrong_type for every operation", "[keys][semaphore]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        for (auto const o :
             {semaphore_options{.permits = 2},
              semaphore_options{.permits = 2, .fair = true},
              semaphore_options{.permits = 2, .numbered = true}})
            for (auto* count : {"1e3", "2.5", " 5", "0x10", "9007199254740991", "4294967296", "05", ""}) {
                CAPTURE(count, o.fair, o.numbered);
                semaphore const s(c, "s", o);
                a.server().execute({"SET", "s", count});
                auto const on_acquire = co_await error_of(s.try_acquire({}, use_awaitable));
                CHECK(on_acquire == errc::wrong_type);
                auto const on_permits = co_await error_of(s.permits(use_awaitable));
                CHECK(on_permits == errc::wrong_type);
                auto const on_set = co_await error_of(s.set_permits(2, use_awaitable));
                CHECK(on_set == errc::wrong_type);
                auto const is_locked = co_await s.is_locked(use_awaitable);
                CHECK((is_locked || std::string_view(count).empty()));
            }
    });
}

// Without a number of holds nobody knows which slots a reader has.
TEST_CASE("a reader whose number of holds is none keeps writers out, and is wrong_type for them", "[keys]")
{
    for (auto* count : {"1e3", "2.5", " 1", "01", ""}) {
        CAPTURE(count);
        arena a;
        read_write_lock const one(a.client("A"), "k"), other(a.client("B"), "k");
        a.run([&]() -> awaitable<void> {
            auto held = co_await one.read().acquire(use_awaitable);
            auto brief = co_await other.read().acquire(use_awaitable);
            for (auto const& h : co_await one.read().holders(use_awaitable))
                a.server().execute({"HSET", "k", h.id, count});
            auto const on_write = co_await error_of(other.write().try_acquire({}, use_awaitable));
            CHECK(on_write == errc::wrong_type);
            auto const on_holders = co_await error_of(other.read().holders(use_awaitable));
            CHECK(on_holders == errc::wrong_type);
            brief = {};
            co_await a.sleep(2s);
            CHECK(held.valid());
            CHECK(a.exists("k"));
        });
    }
}

TEST_CASE("no number of a numbered semaphore is given twice after other data took the place of one", "[keys][numbered]")
{
    constexpr semaphore_options numbered{.permits = 2, .numbered = true};
    for (auto* number : {"x", "1e0", "01", "1.0", ""}) {
        CAPTURE(number);
        arena a;
        semaphore const one(a.client("A"), "s", numbered), other(a.client("B"), "s", numbered);
        a.run([&]() -> awaitable<void> {
            auto held = co_await one.acquire(use_awaitable);
            auto const holder = (co_await one.holders(use_awaitable)).front().id;
            a.server().execute({"HSET", "holdfast_permit_numbers:{s}", holder, number});
            auto next = co_await other.acquire(use_awaitable);
            CHECK_FALSE((held.valid() && held.number() == next.number()));
            co_await a.sleep(3s);
            CHECK_FALSE(held.valid());
            CHECK(next.valid());
        });
    }
}

TEST_CASE("a fencing counter that Redis does not count is wrong_type, and stays as it is", "[keys][fencing]")
{
    arena a;
    auto& c = a.client();
    std::string const counters[]{"holdfast_fence:{k}", "redisson_lock_token:{k}"};
    std::vector<primitive> fenced;
    for (auto& p : primitives())
        if (!p.is_semaphore && p.name != std::string_view("mutex"))
            fenced.push_back(p);
    fenced.push_back({"numbered semaphore", primitives().back().make, true});
    a.run([&]() -> awaitable<void> {
        for (auto const& p : fenced)
            for (std::string const count : {"1e3", "2.5", " 5", "0x10", "9007199254740993", "05", ""}) {
                CAPTURE(p.name, count);
                for (auto const& key : a.server().model().keys().names())
                    a.server().execute({"DEL", key});
                for (auto const& key : counters)
                    a.server().execute({"SET", key, count});
                auto const lock = p.make(c);
                auto const on_acquire = co_await error_of(lock.try_acquire({.wait = 3s}, use_awaitable));
                CHECK(on_acquire == errc::wrong_type);
                auto const is_held = co_await lock.is_locked(use_awaitable);
                CHECK_FALSE(is_held);
                for (auto const& key : counters)
                    CHECK(a.server().execute({"GET", key}).text == count);
                // A counter that is missing is made anew.
                a.server().execute({"DEL", counters[0], counters[1]});
                auto held = co_await lock.acquire(use_awaitable);
                CHECK(held.fencing_token().value_or(0) > 0U);
                co_await held.release(use_awaitable);
            }
    });
}

// ---- the record of a leader

config days()
{
    auto c = arena::quick();
    c.lease = 96h;
    return c;
}

TEST_CASE("the record of a leader with a lease of days lasts as long as the leadership", "[keys][election]")
{
    arena a;
    election const boss(a.client("A", days()), "boss");
    election const observer(a.client("B"), "boss");
    a.run([&]() -> awaitable<void> {
        auto leads = co_await boss.campaign("here", use_awaitable);
        co_await a.sleep(31h);
        auto const now = co_await observer.current(use_awaitable);
        REQUIRE(now.has_value());
        CHECK(now->value == "here");
        CHECK(now->term == leads.term());
        co_await leads.resign(use_awaitable);
    });
}

TEST_CASE("a renewal writes a record that was deleted, as the leader proclaimed it last", "[keys][election]")
{
    arena a;
    election const boss(a.client("A"), "boss");
    election const observer(a.client("B"), "boss");
    a.run([&]() -> awaitable<void> {
        auto leads = co_await boss.campaign("first", {.priority = 7}, use_awaitable);
        auto const before = co_await observer.current(use_awaitable);
        for (auto* value : {"first", "second"}) {
            CAPTURE(value);
            if (value == std::string_view("second"))
                co_await leads.proclaim(value, use_awaitable);
            a.server().execute({"DEL", "holdfast_leader:{boss}"});
            co_await a.sleep(1500ms);
            auto const now = co_await observer.current(use_awaitable);
            REQUIRE(now.has_value());
            CHECK(now->value == value);
            CHECK(now->term == leads.term());
            CHECK(std::chrono::abs(now->since - before->since) <= 2ms);
            CHECK(a.server().execute({"HGET", "holdfast_leader:{boss}", "priority"}).text == "7");
        }
        a.server().execute({"DEL", "holdfast_leader:{boss}"});
        co_await leads.proclaim("third", use_awaitable);
        auto const now = co_await observer.current(use_awaitable);
        REQUIRE(now.has_value());
        CHECK(now->value == "third");
        CHECK(std::chrono::abs(now->since - before->since) <= 2ms);
        CHECK(a.server().execute({"HGET", "holdfast_leader:{boss}", "priority"}).text == "7");
        co_await leads.resign(use_awaitable);
    });
}

// ---- other data under the name of a lock's key

TEST_CASE("other data of many elements under a lock's key is refused, and not read", "[keys][bounds]")
{
    arena a;
    auto& c = a.client();
    int commands = 0;
    a.server().check([&](executed const& e) { commands += e.what.in_script ? 1 : 0; });
    auto const fill = [&](std::string const& key, std::vector<std::string> command, bool is_pairs) {
        a.server().execute({"DEL", key});
        for (int i = 0; i < 2000; ++i) {
            command.resize(2);
            command[1] = key;
            if (is_pairs)
                command.push_back(command[0] == "HSET" ? "f" + std::to_string(i) : std::to_string(i));
            command.push_back("v" + std::to_string(i));
            a.server().execute(std::vector<std::string_view>(command.begin(), command.end()));
        }
    };
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        fill("k", {"HSET", ""}, true);
        read_write_lock const rw(c, "k");
        commands = 0;
        for (any_lock const& l : {any_lock(mutex(c, "k")), any_lock(fair_lock(c, "k")), any_lock(rw.read())}) {
            auto const on_holders = co_await error_of(l.holders(use_awaitable));
            CHECK(on_holders == errc::wrong_type);
            auto const on_force = co_await error_of(l.force_release(use_awaitable));
            CHECK(on_force == errc::wrong_type);
        }
        CHECK(commands < 60);

        a.server().execute({"DEL", "k"});
        fill("redisson_lock_queue:{k}", {"RPUSH", ""}, false);
        fair_lock const fair(c, "k");
        commands = 0;
        auto const on_attempt = co_await error_of(fair.try_acquire({.wait = 100ms}, use_awaitable));
        CHECK(on_attempt == errc::wrong_type);
        auto const on_waiters = co_await error_of(fair.waiters(use_awaitable));
        CHECK(on_waiters == errc::wrong_type);
        CHECK(commands < 60);
        CHECK(a.server().execute({"LLEN", "redisson_lock_queue:{k}"}).integer == 2000);

        a.server().execute({"SET", "k", "0"});
        fill("{k}:timeout", {"ZADD", ""}, true);
        semaphore const s(c, "k", {.permits = 2});
        commands = 0;
        auto const on_permits = co_await error_of(s.permits(use_awaitable));
        CHECK(on_permits == errc::wrong_type);
        auto const on_acquire = co_await error_of(s.try_acquire({}, use_awaitable));
        CHECK(on_acquire == errc::wrong_type);
        auto const on_force = co_await error_of(s.force_release(use_awaitable));
        CHECK(on_force == errc::wrong_type);
        CHECK(commands < 60);
        CHECK(a.server().execute({"ZCARD", "{k}:timeout"}).integer == 2000);
    });
}

TEST_CASE("a long string under a lock's key is refused, and only its first bytes are read", "[keys][bounds]")
{
    arena a;
    auto& c = a.client();
    std::size_t longest = 0;  // of the replies to commands of scripts
    a.server().check([&](executed const& e) {
        if (e.what.in_script && e.what.reply)
            longest = std::max(longest, e.what.reply->text.size());
    });
    std::string const long_string(1'000'000, '7');
    auto const set = [&](std::string_view key) { a.server().execute({"SET", key, long_string, "PX", "600000"}); };
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        set("k");
        for (any_lock const& l : {any_lock(mutex(c, "k")), any_lock(fair_lock(c, "k"))}) {
            auto const holders = co_await l.holders(use_awaitable);
            CHECK(holders.size() == 1);
            auto const on_force = co_await error_of(l.force_release(use_awaitable));
            CHECK(on_force == errc::wrong_type);
        }
        semaphore const s(c, "k", {.permits = 2});
        auto const on_permits = co_await error_of(s.permits(use_awaitable));
        CHECK(on_permits == errc::wrong_type);
        auto const on_acquire = co_await error_of(s.try_acquire({}, use_awaitable));
        CHECK(on_acquire == errc::wrong_type);
        latch const l(c, "k");
        auto const on_count = co_await error_of(l.count(use_awaitable));
        CHECK(on_count == errc::wrong_type);
        CHECK(a.server().execute({"STRLEN", "k"}).integer == 1'000'000);

        a.server().execute({"SET", "l", "1", "PX", "600000"});
        set("holdfast_latch:{l}");
        latch const other(c, "l");
        auto const on_wait = co_await error_of(other.wait({.wait = 10ms}, use_awaitable));
        CHECK(on_wait == errc::wrong_type);
        CHECK(longest < 1000);
    });
}

TEST_CASE(
    "other data of which the first elements look like a lock's is refused, and not read as a whole", "[keys][bounds]")
{
    arena a;
    auto& c = a.client();
    std::size_t most = 0;  // elements of a reply to a command of a script
    a.server().check([&](executed const& e) {
        if (e.what.in_script && e.what.reply)
            most = std::max(most, e.what.reply->items.size());
    });
    auto const fill = [&](std::vector<std::string> words, auto const& element) {
        for (int i = 0; i < 2000; ++i)
            for (auto& word : element(std::to_string(i)))
                words.push_back(std::move(word));
        a.server().execute(std::vector<std::string_view>(words.begin(), words.end()));
    };
    using list = std::vector<std::string>;
    std::string const place = "6f1c1d0e-0000-8000-8000-000000000001:1";
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        fill({"HSET", "k", "mode", "read", place, "1"}, [](auto const& i) { return list{"f" + i, "1"}; });
        a.server().execute({"PEXPIRE", "k", "600000"});
        read_write_lock const rw(c, "k");
        auto const on_holders = co_await error_of(rw.read().holders(use_awaitable));
        CHECK(on_holders == errc::wrong_type);
        auto const on_force = co_await error_of(rw.read().force_release(use_awaitable));
        CHECK(on_force == errc::wrong_type);
        auto const on_write = co_await error_of(rw.write().try_acquire({.wait = 1s}, use_awaitable));
        CHECK(on_write == errc::wrong_type);
        CHECK(a.exists("k"));

        fill({"RPUSH", "redisson_lock_queue:{f}", place}, [](auto const& i) { return list{"v" + i}; });
        fair_lock const fair(c, "f");
        auto const on_attempt = co_await error_of(fair.try_acquire({.wait = 100ms}, use_awaitable));
        CHECK(on_attempt == errc::wrong_type);
        auto const on_waiters = co_await error_of(fair.waiters(use_awaitable));
        CHECK(on_waiters == errc::wrong_type);

        a.server().execute({"SET", "s", "0"});
        fill({"ZADD", "{s}:timeout"}, [](auto const& i) {
            return list{i, std::string(16 - i.size(), 'x') + i};  // as long as a permit of Redisson
        });
        semaphore const s(c, "s", {.permits = 2});
        auto const on_permits = co_await error_of(s.permits(use_awaitable));
        CHECK(on_permits == errc::wrong_type);
        auto const on_revoke = co_await error_of(s.revoke(std::string(12, 'x') + "1000", use_awaitable));
        CHECK(on_revoke == errc::wrong_type);
        auto const on_end = co_await error_of(s.force_release(use_awaitable));
        CHECK(on_end == errc::wrong_type);
        CHECK(a.server().execute({"ZCARD", "{s}:timeout"}).integer == 2000);
        CHECK(most <= 1000);
    });
}

TEST_CASE("a read_write_lock of thousands of readers is read as a whole", "[keys][bounds]")
{
    arena a;
    read_write_lock const rw(a.client(), "k");
    a.run([&]() -> awaitable<void> {
        auto held = co_await rw.read().acquire(use_awaitable);
        for (int i = 0; i < 2000; ++i)
            a.server().execute({"HSET", "k", "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(i), "1"});
        auto const holders = co_await rw.read().holders(use_awaitable);
        CHECK(holders.size() == 1);  // the others have no slots
        co_await held.release(use_awaitable);
    });
}

// The server would free a million elements at once.
TEST_CASE("other data in place of a mark of a read_write_lock is not written over", "[keys][bounds]")
{
    arena a;
    read_write_lock const one(a.client("A"), "k"), other(a.client("B"), "k");
    a.run([&]() -> awaitable<void> {
        auto read = co_await one.read().acquire(use_awaitable);
        for (auto* mark : {"holdfast_writer_waiting:{k}", "holdfast_readers_waiting:{k}"})
            a.server().execute({"HSET", mark, "f", "1"});
        auto const on_write = co_await error_of(other.write().try_acquire({.wait = 100ms}, use_awaitable));
        CHECK(on_write == errc::wrong_type);
        co_await read.release(use_awaitable);
        a.server().execute({"HSET", "k", "mode", "write", "x", "1"});
        a.server().execute({"PEXPIRE", "k", "60000"});
        auto const on_read = co_await error_of(other.read().try_acquire({.wait = 100ms}, use_awaitable));
        CHECK(on_read == errc::wrong_type);
        for (auto* mark : {"holdfast_writer_waiting:{k}", "holdfast_readers_waiting:{k}"})
            CHECK(a.server().execute({"HGET", mark, "f"}).text == "1");
    });
}

TEST_CASE("a long string in place of a token or a mark is not read as a whole", "[keys][bounds]")
{
    arena a;
    auto& c = a.client("A");
    std::size_t longest = 0;  // of the replies to commands of scripts
    a.server().check([&](executed const& e) {
        if (e.what.in_script && e.what.reply)
            longest = std::max(longest, e.what.reply->text.size());
    });
    std::string const long_string(100'000, '7');
    a.run([&]() -> awaitable<void> {
        read_write_lock const rw(c, "w");
        auto held = co_await mutex(c, "k").acquire(use_awaitable);
        auto other = co_await mutex(c, "l", {.fencing = true}).acquire(use_awaitable);
        auto writes = co_await rw.write().acquire(use_awaitable);
        for (auto* key : {"k", "l", "holdfast_writer_waiting:{w}", "holdfast_readers_waiting:{w}"})
            a.server().execute({"SET", key, long_string, "PX", "600000"});
        co_await a.sleep(1500ms);
        CHECK_FALSE(held.valid());
        error_code ec;
        co_await other.release(asio::redirect_error(use_awaitable, ec));
        CHECK(ec == errc::lease_lost);
        co_await writes.release(asio::redirect_error(use_awaitable, ec));
        CHECK(longest < 1000);
    });
}

TEST_CASE("a thousand dead waiters of a fair lock are removed in steps", "[keys][bounds]")
{
    arena a;
    auto& c = a.client();
    int commands = 0;
    int most = 0;
    a.server().check([&](executed const& e) {
        commands = e.what.in_script ? commands + 1 : 0;
        most = std::max(most, commands);
    });
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        for (int i = 0; i < 3000; ++i)
            a.server().execute(
                {"RPUSH", "redisson_lock_queue:{k}", "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(i)});
        fair_lock const fair(c, "k");
        auto l = co_await fair.try_acquire({.wait = 5s}, use_awaitable);
        CHECK(l.valid());
        CHECK(most < 6000);
        co_await l.release(use_awaitable);
    });
}

}  // namespace
}  // namespace holdfast::test
