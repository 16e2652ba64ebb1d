//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Prints the longest turn of the event loop, in processor time of one handler, and the longest script of the server,
// with many contenders, waiters and held locks, and with foreign data of a million elements under each name, and fails if
// one is beyond its bound. A crowd of another size: the first argument, a factor.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scripts_generated.hpp"
#include "support/growth.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"
#include "support/script_word.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr auto turn_bound = 20ms;
constexpr auto script_bound = 5ms;

bool all_are_within_bounds = true;

// The longest turn, the longest script or command, and which one that was.
struct figures {
    std::chrono::nanoseconds turn{};
    std::chrono::microseconds script{};
    std::string command = {};

    bool are_within_bounds() const { return turn <= turn_bound && script <= script_bound; }
};

double in_milliseconds(std::chrono::nanoseconds d)
{
    return double(d.count()) / 1e6;
}

void print(std::string const& what, figures const& f, bool is_done, std::string const& where = "")
{
    bool const is_within = is_done && f.are_within_bounds();
    all_are_within_bounds = all_are_within_bounds && is_within;
    std::printf(
        "%-58s longest turn %8.2f ms, longest script %8.2f ms%s%s\n",
        what.c_str(),
        in_milliseconds(f.turn),
        in_milliseconds(f.script),
        !is_done    ? ", NOT DONE"
        : is_within ? ""
                    : ", BEYOND THE BOUND",
        is_within ? "" : (": " + f.command + where).c_str());
    std::fflush(stdout);
}

// A server, and the loop of one client that measures each of its handlers.
class stage {
public:
    explicit stage(std::function<void(log_level, std::string_view)> log = {})
    {
        server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "200"});
        server_.command({"CONFIG", "SET", "slowlog-max-len", "100000"});
        server_.command({"CLIENT", "SETNAME", own_name});
        config c;
        c.url = server_.url();
        c.lease = 30s;
        c.command_timeout = 10s;
        c.log = std::move(log);
        client.emplace(context_, c);
        client->run(asio::detached);
    }
    ~stage()
    {
        client->stop();
        context_.restart();
        context_.run_for(5s);
    }

    // Runs until the condition holds, and returns the longest since the last call.
    figures play(std::function<bool()> const& holds, std::chrono::seconds limit)
    {
        auto const end = std::chrono::steady_clock::now() + limit;
        figures f;
        while (!holds() && std::chrono::steady_clock::now() < end) {
            context_.restart();
            auto const start = processor_time();
            if (context_.poll_one() > 0)
                f.turn = std::max(f.turn, processor_time() - start);
            else
                context_.run_one_for(1ms);
        }
        find_longest_script(f);
        return f;
    }
    void measure(std::string const& what, std::function<bool()> holds, std::chrono::seconds limit = 120s)
    {
        auto const f = play(holds, limit);
        print(what, f, holds());
    }
    simulated::value command(std::vector<std::string> const& words) { return server_.command(words); }
    // Ends the connection of the client.
    void disconnect() { server_.command({"CLIENT", "KILL", "TYPE", "normal"}); }
    // Until resume_writes() the server receives commands that write, and does not execute them.
    void pause_writes() { server_.command({"CLIENT", "PAUSE", "100000", "WRITE"}); }
    void resume_writes() { server_.command({"CLIENT", "UNPAUSE"}); }
    void pause(std::string const& what, std::chrono::milliseconds d)
    {
        auto const end = std::chrono::steady_clock::now() + d;
        measure(what, [end] { return std::chrono::steady_clock::now() >= end; });
    }
    template <class Coroutine>
    void spawn(Coroutine body)
    {
        asio::co_spawn(context_, std::move(body), asio::detached);
    }

private:
    // Of all commands but those of our own connection, which makes the foreign data.
    void find_longest_script(figures& f)
    {
        for (auto const& entry : server_.command({"SLOWLOG", "GET", "-1"}).items) {
            std::chrono::microseconds const time(entry.items.at(2).integer);
            if (time <= f.script || entry.items.at(5).text == own_name)
                continue;
            f.script = time;
            f.command = text_of(entry.items.at(3).items);
        }
        server_.command({"SLOWLOG", "RESET"});
    }
    static std::string text_of(std::vector<simulated::value> const& words)
    {
        if (words.size() > 1 && words[0].text.starts_with("EVAL"))
            for (auto const& script : engine::scripts::all)
                if (is_script(words[1].text, script))
                    return std::string(script.name);
        return words.empty() ? "" : words.size() == 1 ? words[0].text : words[0].text + " " + words[1].text;
    }

    static constexpr auto* own_name = "stage";

    redis_server server_;
    asio::io_context context_{1};

public:
    std::optional<holdfast::client> client;  // destroyed first
    std::size_t done = 0;
    std::vector<lease> held;
};

std::string count_of(std::size_t n)
{
    return std::to_string(n) + " ";
}

void measure_readers(std::size_t n)
{
    stage s;
    auto const lock = read_write_lock(*s.client, "rw").read();
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&]() -> awaitable<void> {
            auto l = co_await lock.acquire();
            s.held.push_back(std::move(l));
        });
    s.measure(count_of(n) + "readers join", [&] { return s.held.size() == n; });
    s.held.clear();
    s.pause(count_of(n) + "readers leave", 2s);
}

// All acquire one lock in turn.
template <class Lock>
void measure_turns(std::string const& what, Lock const& lock, stage& s, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, lock]() -> awaitable<void> {
            auto l = co_await lock.acquire();
            ++s.done;
            co_await l.release();
        });
    s.measure(
        count_of(n) + what, [&] { return s.done == n; }, 300s);
}

void measure_fair(std::size_t n)
{
    stage s;
    measure_turns("waiters of one fair_lock in turn", fair_lock(*s.client, "f"), s, n);
}

void measure_mutex(std::size_t n)
{
    stage s;
    measure_turns("waiters of one mutex in turn", mutex(*s.client, "m"), s, n);
}

void measure_writers(std::size_t n)
{
    stage s;
    measure_turns("contenders for the write side in turn", read_write_lock(*s.client, "rw").write(), s, n);
}

// Each with an owner of its own: those of one owner hold the lock together.
void measure_reentrant(std::size_t n)
{
    stage s;
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s]() -> awaitable<void> {
            auto l = co_await reentrant_lock(*s.client, "r", s.client->make_owner()).acquire();
            ++s.done;
            co_await l.release();
        });
    s.measure(
        count_of(n) + "contenders for a reentrant_lock in turn", [&] { return s.done == n; }, 300s);
}

void measure_fair_semaphore(std::size_t n)
{
    stage s;
    semaphore const sem(*s.client, "s", {.permits = 100, .fair = true});
    measure_turns("contenders for 100 permits of a fair semaphore", sem, s, n);
}

void measure_election(std::size_t n)
{
    stage s;
    election const e(*s.client, "e");
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, e]() -> awaitable<void> {
            auto me = co_await e.campaign("value");
            ++s.done;
            co_await me.resign();
        });
    s.measure(
        count_of(n) + "candidates of an election lead in turn", [&] { return s.done == n; }, 300s);
}

void measure_held(std::size_t n)
{
    stage s;
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, i]() -> awaitable<void> {
            auto l = co_await mutex(*s.client, "m" + std::to_string(i)).acquire({.lease = 9s});
            s.held.push_back(std::move(l));
        });
    s.measure(count_of(n) + "mutexes acquired at once", [&] { return s.held.size() == n; });
    s.pause(count_of(n) + "mutexes held, each renewed every 3 s", 10s);
    s.disconnect();
    s.pause(count_of(n) + "mutexes held, and a new connection", 10s);
    s.held.clear();
    s.pause(count_of(n) + "mutexes released at once", 5s);
}

void measure_members(std::size_t n)
{
    stage s;
    std::vector<any_lock> members;
    for (std::size_t i = 0; i < n; ++i)
        members.emplace_back(mutex(*s.client, "m" + std::to_string(i)));
    auto const start = processor_time();
    multi_lock const all(members);
    std::printf(
        "%-58s %21.2f ms\n",
        (count_of(n) + "members: constructor of a multi_lock").c_str(),
        double((processor_time() - start).count()) / 1e6);
    s.spawn([&]() -> awaitable<void> {
        auto l = co_await all.acquire();
        co_await l.release();
        ++s.done;
    });
    s.measure(count_of(n) + "members of a multi_lock", [&] { return s.done == 1; });
}

void measure_semaphore(std::size_t n)
{
    stage s;
    measure_turns("contenders for 100 permits in turn", semaphore(*s.client, "s", {.permits = 100}), s, n);
}

// One contender acquires the lock, the others wait for it. Then somebody reads who they are.
void measure_fair_queue(std::size_t n)
{
    stage s;
    fair_lock const lock(*s.client, "f");
    std::size_t seen = 0;
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, lock]() -> awaitable<void> { s.held.push_back(co_await lock.acquire()); });
    s.pause(count_of(n) + "waiters of one fair_lock join", 5s);
    s.spawn([&]() -> awaitable<void> { seen = (co_await lock.waiters()).size(); });
    s.measure(count_of(n) + "waiters of one fair_lock are read", [&] { return seen == n - 1; });
}

void measure_permits(std::size_t n)
{
    stage s;
    semaphore const sem(*s.client, "s", {.permits = static_cast<std::uint32_t>(n)});
    std::size_t seen = 0;
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, sem]() -> awaitable<void> { s.held.push_back(co_await sem.acquire()); });
    s.measure(count_of(n) + "permits of one semaphore acquired at once", [&] { return s.held.size() == n; });
    s.spawn([&]() -> awaitable<void> { seen = (co_await sem.holders()).size(); });
    s.measure(count_of(n) + "holders of permits are read", [&] { return seen == n; });
    s.spawn([&]() -> awaitable<void> { s.done = (co_await sem.permits()).held; });
    s.measure(count_of(n) + "permits are counted", [&] { return s.done == n; });
    s.held.clear();
    s.pause(count_of(n) + "permits released at once", 5s);
}

// The connection ends while the reply to each of the commands is outstanding.
void measure_outstanding(std::size_t n)
{
    stage s;
    s.pause_writes();
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, i]() -> awaitable<void> {
            s.held.push_back(co_await mutex(*s.client, "m" + std::to_string(i)).acquire());
        });
    s.pause(count_of(n) + "commands without a reply", 3s);
    s.disconnect();
    s.resume_writes();
    s.measure(count_of(n) + "commands without a reply, and a new connection", [&] { return s.held.size() == n; });
}

// Waiters of a lock that is held, when their client stops.
void measure_stop(std::size_t n)
{
    stage s;
    auto const lock = mutex(*s.client, "m");
    for (std::size_t i = 0; i < n; ++i)
        s.spawn([&s, lock]() -> awaitable<void> {
            try {
                auto l = co_await lock.acquire();
                s.held.push_back(std::move(l));
            } catch (boost::system::system_error const&) {
                ++s.done;
            }
        });
    s.measure(count_of(n) + "waiters of a mutex", [&] { return s.held.size() == 1; });
    s.client->stop();
    s.measure(count_of(n) + "waiters, and the client stops", [&] { return s.done == n - 1; });
}

// Values of a million elements that no lock has written. RENAME puts one in the place of a key at once.
class foreign_data {
public:
    static constexpr std::array types{"hash", "list", "zset", "string"};

    explicit foreign_data(stage& s) : stage_(s)
    {
        // SLOWLOG shortens a text, so scripts are known by their digest only.
        for (auto const& script : engine::scripts::all)
            stage_.command({"SCRIPT", "LOAD", std::string(script.text)});
    }

    void make(std::string const& type)
    {
        if (stage_.command({"EXISTS", type}).integer == 1)
            return;
        if (type == "string")
            stage_.command({"SETRANGE", type, "9999999", "x"});
        else
            add_elements(type);
        stage_.command({"SLOWLOG", "RESET"});  // commands of a script are logged without the name of the connection
    }
    void put(std::string const& type, std::string const& key) { stage_.command({"RENAME", type, key}); }
    // It is made anew if an operation has removed it.
    void take_back(std::string const& type, std::string const& key)
    {
        if (stage_.command({"TYPE", key}).text == type && is_big(type, key))
            stage_.command({"RENAME", key, type});
        stage_.command({"PERSIST", type});
    }

private:
    void add_elements(std::string const& type)
    {
        auto const command = type == "list"   ? "'rpush', KEYS[1]"
                             : type == "hash" ? "'hset', KEYS[1], i"
                                              : "'zadd', KEYS[1], i";
        auto const script = "for i = ARGV[1] + 1, ARGV[1] + 100000 do redis.call(" + std::string(command) + ", i) end";
        for (int i = 0; i < 1'000'000; i += 100'000)
            stage_.command({"EVAL", script, "1", type, std::to_string(i)});
    }
    bool is_big(std::string const& type, std::string const& key)
    {
        auto const length = type == "list" ? "LLEN" : type == "hash" ? "HLEN" : type == "zset" ? "ZCARD" : "STRLEN";
        return stage_.command({length, key}).integer > 900'000;
    }

    stage& stage_;
};

// A kind of lock, and its keys: # is the name, {#} the name in braces, @ the holder.
struct foreign_kind {
    char const* name;
    std::vector<std::string> keys;
    std::function<any_lock(client&, std::string const&)> make;
    std::function<awaitable<void>(client&, std::string const&)> ask;         // the operations that only this kind has
    std::function<any_lock(client&, std::string const&)> other_side = make;  // that of the holder
};

std::string replaced(std::string text, std::string const& what, std::string const& by)
{
    if (auto const at = text.find(what); at != text.npos)
        text.replace(at, what.size(), by);
    return text;
}

awaitable<void> hold_and_release(lease l)
{
    co_await failure_of(l.extend(60s));
    co_await failure_of(l.release());
}

// The errors do not matter: how long it takes does.
awaitable<void> use(any_lock lock, std::chrono::milliseconds wait)
{
    error_code ec;
    auto l = co_await lock.try_acquire({.wait = wait}, asio::redirect_error(asio::use_awaitable, ec));
    if (l)
        co_await hold_and_release(std::move(l));
    co_await failure_of(lock.is_locked());
    co_await failure_of(lock.holders());
}

// One holds the lock and another one waits for it when the foreign data comes, or nobody.
awaitable<void> use_with_foreign_data(
    stage& s, foreign_data& data, foreign_kind const& kind, std::string type, std::string key, bool is_held)
{
    auto const name = std::string(kind.name) + " " + type + " " + std::to_string(s.done);
    auto const make = [&] { return kind.make(*s.client, name); };
    bool has_waited = !is_held;
    lease held;
    key = replaced(key, "#", name);
    if (is_held) {
        auto const lock = kind.other_side(*s.client, name);
        held = co_await lock.acquire();
        if (auto const all = co_await lock.holders(); !all.empty())
            key = replaced(key, "@", all.front().id);
        s.spawn([&, lock = make()]() -> awaitable<void> {
            co_await use(lock, 500ms);  // it refreshes its place meanwhile
            has_waited = true;
        });
        co_await sleep_for(20ms);
    }
    data.put(type, key);
    co_await use(make(), 50ms);
    co_await kind.ask(*s.client, name);
    if (is_held)
        co_await hold_and_release(std::move(held));
    while (!has_waited)
        co_await sleep_for(5ms);
    co_await use(make(), 50ms);
    co_await failure_of(make().force_release());
    co_await use(make(), 50ms);
    data.take_back(type, key);
    ++s.done;
}

// A latch is no any_lock.
awaitable<void> use_latch_with_foreign_data(
    stage& s, foreign_data& data, std::string type, std::string key, bool is_set)
{
    auto const name = "latch " + type + " " + std::to_string(s.done);
    latch const l(*s.client, name);
    key = replaced(key, "#", name);
    if (is_set) {
        co_await l.set(3);
        co_await l.count_down(1);
    }
    data.put(type, key);
    for (int i = 0; i < 2; ++i) {
        co_await failure_of(l.wait({.wait = 50ms}));
        co_await failure_of(l.count());
        co_await failure_of(l.count_down(1));
        co_await failure_of(l.count_down(9));
        co_await failure_of(l.set(3));
        co_await failure_of(l.remove());
    }
    data.take_back(type, key);
    ++s.done;
}

void measure_foreign_data(foreign_kind const& kind)
{
    stage s([](log_level, std::string_view) {});  // each error is a warning
    foreign_data data(s);
    figures worst;
    std::string where;
    bool all_are_done = true;
    auto const badness = [](figures const& f) {
        return std::max(
            double(f.turn / 1us) / double(turn_bound / 1us), double(f.script / 1us) / double(script_bound / 1us));
    };
    for (auto const& key : kind.keys)
        for (std::string const type : foreign_data::types)
            for (bool const is_held : {false, true}) {
                if (!is_held && key.find('@') != key.npos)
                    continue;
                data.make(type);
                auto const before = s.done;
                s.spawn([&] {
                    return kind.make ? use_with_foreign_data(s, data, kind, type, key, is_held)
                                     : use_latch_with_foreign_data(s, data, type, key, is_held);
                });
                auto const f = s.play([&] { return s.done > before; }, 30s);
                all_are_done = all_are_done && s.done > before;
                if (badness(f) > badness(worst))
                    where = ", a " + type + " as " + key;
                worst.turn = std::max(worst.turn, f.turn);
                if (f.script > worst.script)
                    worst.script = f.script, worst.command = f.command;
            }
    print("10^6 foreign elements: " + std::string(kind.name), worst, all_are_done, where);
}

std::vector<foreign_kind> foreign_kinds()
{
    using name = std::string const&;
    std::vector<std::string> const queue{
        "#",
        "redisson_lock_queue:{#}",
        "redisson_lock_timeout:{#}",
        "holdfast_lock_waiters:{#}",
        "holdfast_lock_priority:{#}",
        "holdfast_fence:{#}"};
    auto leader = queue;
    leader.push_back("holdfast_leader:{#}");
    std::vector<std::string> const sides{
        "#",
        "holdfast_writer_waiting:{#}",
        "holdfast_readers_waiting:{#}",
        "holdfast_fence:{#}",
        "{#}:@:rwlock_timeout:1"};
    std::vector<std::string> const permits{"#", "{#}:timeout", "holdfast_permit_waiting:{#}"};
    std::vector<std::string> const fair_permits{
        "#", "{#}:timeout", "holdfast_permit_queue:{#}", "holdfast_permit_waiters:{#}"};
    auto numbered_permits = permits;
    numbered_permits.insert(numbered_permits.end(), {"holdfast_permit_numbers:{#}", "holdfast_fence:{#}"});

    auto const nothing = [](client&, name) -> awaitable<void> { co_return; };
    auto const of_fair = [](client& c, name n) -> awaitable<void> { co_await failure_of(fair_lock(c, n).waiters()); };
    auto const of_sides = [](client& c, name n) -> awaitable<void> {
        co_await failure_of(read_write_lock(c, n).waiting_writer());
    };
    auto const read = [](client& c, name n) { return any_lock(read_write_lock(c, n, {.fencing = true}).read()); };
    auto const write = [](client& c, name n) { return any_lock(read_write_lock(c, n, {.fencing = true}).write()); };
    auto const of_permits = [](semaphore_options o) {
        return [o](client& c, name n) -> awaitable<void> {
            semaphore const s(c, n, o);
            co_await failure_of(s.permits());
            co_await failure_of(s.set_permits(2));
            co_await failure_of(s.add_permits(1));
            co_await failure_of(s.add_permits(-2));
            co_await failure_of(s.revoke(std::string(c.id()) + ":1"));
        };
    };
    auto const of_election = [](client& c, name n) -> awaitable<void> {
        election const e(c, n);
        co_await failure_of(e.current());
        co_await failure_of(e.candidates());
        error_code ec;
        auto me = co_await e.campaign("v", {.wait = 50ms}, asio::redirect_error(asio::use_awaitable, ec));
        if (me) {
            co_await failure_of(me.proclaim("w"));
            co_await failure_of(me.resign());
        }
    };
    semaphore_options const plain{.permits = 1}, numbered{.permits = 1, .numbered = true};
    semaphore_options const fair{.permits = 1, .fair = true, .waiter_timeout = 1s};
    auto const make_semaphore = [](semaphore_options o) {
        return [o](client& c, name n) { return any_lock(semaphore(c, n, o)); };
    };
    return {
        {"mutex", {"#"}, [](client& c, name n) { return any_lock(mutex(c, n)); }, nothing},
        {"fenced mutex",
         {"#", "holdfast_fence:{#}"},
         [](client& c, name n) { return any_lock(mutex(c, n, {.fencing = true})); },
         nothing},
        {"reentrant_lock",
         {"#"},
         [](client& c, name n) { return any_lock(reentrant_lock(c, n, c.make_owner())); },
         nothing},
        {"fenced reentrant_lock",
         {"#", "redisson_lock_token:{#}"},
         [](client& c, name n) { return any_lock(reentrant_lock(c, n, c.make_owner(), {.fencing = true})); },
         nothing},
        {"fair_lock",
         queue,
         [](client& c, name n) { return any_lock(fair_lock(c, n, {.fencing = true, .waiter_timeout = 1s})); },
         of_fair},
        {"readers", sides, read, of_sides},
        {"writers", sides, write, of_sides},
        {"readers, a writer holds the lock", sides, read, of_sides, write},
        {"writers, a reader holds the lock", sides, write, of_sides, read},
        {"semaphore", permits, make_semaphore(plain), of_permits(plain)},
        {"fair semaphore", fair_permits, make_semaphore(fair), of_permits(fair)},
        {"numbered semaphore", numbered_permits, make_semaphore(numbered), of_permits(numbered)},
        {"election",
         leader,
         [](client& c, name n) {
             return any_lock(detail::make_candidate(election(c, n, {.candidate_timeout = 1s}), "value", 5));
         },
         of_election},
        {"latch", {"#", "holdfast_latch:{#}", "holdfast_latch_steps:{#}"}, nullptr, nullptr}};
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv)
{
    using namespace holdfast::test;
    auto const factor = argc > 1 ? std::atof(argv[1]) : 1.0;
    auto const times = [factor](double n) { return static_cast<std::size_t>(n * factor); };
    for (double const n : {1'000., 10'000., 30'000.})
        measure_readers(times(n));
    for (double const n : {1'000., 10'000.}) {
        measure_fair(times(n));
        measure_mutex(times(n));
        measure_semaphore(times(n));
    }
    measure_writers(times(10'000));
    measure_reentrant(times(10'000));
    measure_fair_semaphore(times(10'000));
    measure_election(times(10'000));
    measure_fair_queue(times(10'000));
    measure_permits(times(10'000));
    measure_outstanding(times(10'000));
    measure_members(times(10'000));
    measure_stop(times(10'000));
    measure_held(times(100'000));
    for (auto const& kind : foreign_kinds())
        measure_foreign_data(kind);
    return all_are_within_bounds ? EXIT_SUCCESS : EXIT_FAILURE;
}
