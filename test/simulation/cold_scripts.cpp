//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A server that has lost its scripts, and many calls that find that out at the same moment. The texts of scripts are long:
// the server gets each of them once, however many calls need it.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "sim/redis_model.hpp"
#include "simulation/arena.hpp"
#include "support/all_kinds.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// What the server has received since it lost its scripts.
struct traffic {
    std::map<std::string, int> texts;
    std::size_t bytes = 0;
    int by_sha1 = 0;
};

class cold_arena : public arena {
public:
    cold_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}), c(client())
    {
        server().check([t = traffic_](executed const& e) {
            auto const& args = e.what.args;
            if (e.what.in_script || args.size() < 2)
                return;
            if (args[0] == "EVAL") {
                ++t->texts[std::string(args[1])];
                t->bytes += args[1].size();
            }
            t->by_sha1 += args[0] == "EVALSHA";
        });
    }

    holdfast::client& c;

    void lose_scripts()
    {
        server().model().flush_scripts();
        *traffic_ = {};
    }
    int texts() const
    {
        int n = 0;
        for (auto const& [text, count] : traffic_->texts)
            n += count;
        return n;
    }
    int calls() const { return traffic_->by_sha1; }
    // No script was sent twice by its text, although at least so many calls needed one.
    void check_texts(int least_calls) const
    {
        std::size_t bytes = 0;
        for (auto const& [text, count] : traffic_->texts) {
            CAPTURE(text.substr(0, 200));
            CHECK(count == 1);
            bytes += text.size();
        }
        CHECK(traffic_->bytes == bytes);
        CHECK_FALSE(traffic_->texts.empty());
        CHECK(calls() >= least_calls);
    }

    // Runs an operation for each lock, all in one iteration of the event loop. Returns how many have succeeded after
    // that time.
    template <class Operation>
    awaitable<std::size_t> each(std::size_t count, core::duration time, Operation operate)
    {
        auto const done = std::make_shared<std::size_t>();
        for (std::size_t i = 0; i != count; ++i)
            spawn([=]() -> awaitable<void> {
                co_await operate(i);
                ++*done;
            });
        co_await sleep(time);
        co_return *done;
    }

private:
    std::shared_ptr<traffic> const traffic_ = std::make_shared<traffic>();  // outlived by the checks of the server
};

std::vector<std::string> names_up_to(int count)
{
    std::vector<std::string> all;
    for (int i = 0; i != count; ++i)
        all.push_back("lock " + std::to_string(i));
    return all;
}

TEST_CASE("calls of each kind of lock send each text once to a server without scripts", "[cold_scripts]")
{
    cold_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.c.ready();
        auto const all = locks_of_all_kinds(a.c, names_up_to(70));
        auto const kinds = int(all.size() / 70);
        std::vector<lease> held(all.size());

        a.lose_scripts();
        auto done = co_await a.each(
            all.size(), 100ms, [&](std::size_t i) -> awaitable<void> { held[i] = co_await all[i].acquire(); });
        CHECK(done == all.size());
        a.check_texts(70 * (kinds - 1));  // a mutex is acquired by a plain command

        a.lose_scripts();
        done = co_await a.each(
            all.size(), 100ms, [&](std::size_t i) -> awaitable<void> { co_await held[i].extend(4s); });
        CHECK(done == all.size());
        a.check_texts(70 * kinds);

        a.lose_scripts();
        co_await a.sleep(10s);
        for (auto const& h : held)
            CHECK(h.valid());
        a.check_texts(kinds);  // renewals in batches

        a.lose_scripts();
        done = co_await a.each(
            all.size(), 100ms, [&](std::size_t i) -> awaitable<void> { co_await held[i].release(); });
        CHECK(done == all.size());
        a.check_texts(kinds);  // releases in batches
    });
}

TEST_CASE("waiters, elections, latches and queries send each text once to a server without scripts", "[cold_scripts]")
{
    cold_arena a;
    auto& other = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await other.ready();
        auto const all = locks_of_all_kinds(other, names_up_to(10));
        std::vector<lease> held;
        for (auto const& lock : all)
            held.push_back(co_await lock.acquire());
        co_await a.c.ready();
        auto const mine = locks_of_all_kinds(a.c, names_up_to(10));

        a.lose_scripts();
        auto done = co_await a.each(mine.size(), 300ms, [&](std::size_t i) -> awaitable<void> {
            co_await mine[i].try_acquire({.wait = 200ms});
        });
        CHECK(done == mine.size());
        a.check_texts(int(mine.size()));

        std::vector<leadership> leads(20);
        a.lose_scripts();
        done = co_await a.each(20, 300ms, [&](std::size_t i) -> awaitable<void> {
            auto const n = std::to_string(i);
            leads[i] = co_await election(a.c, "election " + n).campaign(n);
            latch const l(a.c, "latch " + n);
            co_await l.set(1);
            co_await l.count_down();
            co_await l.wait();
            co_await fair_lock(a.c, "queue " + n).waiters();
        });
        CHECK(done == 20);
        a.check_texts(20 * 5);
        for (auto& l : leads)
            co_await l.resign();
        for (auto& h : held)
            co_await h.release();
    });
}

// Acquires fenced mutexes in one iteration of the event loop. The first of them is cancelled after a time.
class race : public cold_arena {
public:
    static constexpr std::size_t count = 50;

    std::size_t granted = 0;
    std::optional<error_code> first;

    awaitable<void> start(core::duration cancelled_after)
    {
        co_await c.ready();
        lose_scripts();
        for (std::size_t i = 0; i != count; ++i)
            spawn([this, i]() -> awaitable<void> {
                error_code ec;
                auto const l = co_await mutex(c, "lock " + std::to_string(i), {.fencing = true})
                                   .acquire(asio::bind_cancellation_slot(
                                       i == 0 ? signal_.slot() : asio::cancellation_slot(),
                                       asio::redirect_error(use_awaitable, ec)));
                if (i == 0)
                    first = ec;
                granted += l.valid();
                co_await sleep(1s);
            });
        co_await sleep(cancelled_after);
        signal_.emit(asio::cancellation_type::terminal);
    }

private:
    asio::cancellation_signal signal_;
};

TEST_CASE("a text is sent once although the call that would send it is cancelled", "[cold_scripts][cancellation]")
{
    for (auto after = 0us; after <= 4500us; after += 250us) {
        CAPTURE(after);
        race a;
        a.run([&]() -> awaitable<void> {
            co_await a.start(after);
            co_await a.sleep(20ms);
            REQUIRE(a.first);
            CHECK(a.granted == race::count - (*a.first ? 1 : 0));
            a.check_texts(1);
            co_await a.sleep(3s);
        });
        CHECK(a.census(a.c) == engine::client_engine::census{});
    }
}

TEST_CASE("a new connection begins with unknown scripts, and sends each text once", "[cold_scripts]")
{
    for (auto after = 250us; after <= 5000us; after += 250us) {
        CAPTURE(after);
        race a;
        a.run([&]() -> awaitable<void> {
            a.world().at(a.now() + 10ms + after, [&] {
                a.server().restart(true);
                a.lose_scripts();
            });
            co_await a.sleep(10ms);
            co_await a.start(10s);
            CHECK(a.granted == race::count);
            a.check_texts(1);
        });
    }
}

// The server has the scripts that acquire, and not those that release. So the text of the release goes behind the attempt,
// which finds the client's own grant.
TEST_CASE("a single attempt is not refused because of an own release that got NOSCRIPT", "[cold_scripts]")
{
    cold_arena a;
    auto& warm = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await a.c.ready();
        co_await warm.ready();
        auto const all = locks_of_all_kinds(a.c, names_up_to(1));
        auto const others = locks_of_all_kinds(warm, {"other"});
        for (std::size_t i = 0; i != all.size(); ++i) {
            CAPTURE(all[i].name());
            auto held = co_await all[i].acquire();
            a.lose_scripts();
            auto const loads_script = co_await others[i].acquire();
            held = lease();
            auto const again = co_await all[i].try_acquire();
            CHECK(again);
            CHECK(a.texts() > 0);
        }
    });
}

TEST_CASE("attempts are not refused because of own releases of a batch that got NOSCRIPT", "[cold_scripts]")
{
    cold_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.c.ready();
        std::vector<mutex> all;
        std::vector<lease> held;
        for (auto const& name : names_up_to(10))
            held.push_back(co_await all.emplace_back(a.c, name).acquire());
        a.lose_scripts();
        held.clear();
        auto const done = co_await a.each(all.size(), 100ms, [&](std::size_t i) -> awaitable<void> {
            auto const again = co_await all[i].try_acquire();
            CHECK(again);
        });
        CHECK(done == all.size());
        a.check_texts(1);
    });
}

TEST_CASE(
    "a single attempt is refused at once if another client took the lock before the own release", "[cold_scripts]")
{
    cold_arena a;
    auto& other = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await a.c.ready();
        co_await other.ready();
        mutex const m(a.c, "m");
        auto held = co_await m.acquire();
        // Its token is gone, so the release finds nothing.
        CHECK(a.server().execute({"DEL", "m"}).integer == 1);
        auto const theirs = co_await mutex(other, "m").acquire();
        a.lose_scripts();
        held = lease();
        int attempts = 0;
        a.server().check([&](executed const& e) { attempts += !e.what.in_script && e.what.args[0] == "SET"; });
        auto const again = co_await m.try_acquire();
        CHECK_FALSE(again);
        // One overtakes the release, one goes behind it, and one goes with a probe.
        CHECK(attempts == 3);
        CHECK(theirs.valid());
    });
}

TEST_CASE("calls end, and send few texts, while the scripts of the server are flushed in a loop", "[cold_scripts]")
{
    for (auto const interval : {500us, 1300us, 2000us, 4100us}) {
        CAPTURE(interval.count());
        race a;
        int flushes = 0;
        std::function<void()> flush = [&] {
            a.server().model().flush_scripts();
            if (++flushes < 100)
                a.world().at(a.now() + interval, flush);
        };
        a.run([&]() -> awaitable<void> {
            co_await a.c.ready();
            flush();
            co_await a.start(0s);
            co_await a.sleep(700ms);
            CHECK(a.granted + (*a.first ? 1 : 0) == race::count);
            CHECK(a.texts() <= flushes + 1);
            co_await a.sleep(3s);
        });
        CHECK(a.census(a.c) == engine::client_engine::census{});
    }
}

}  // namespace
}  // namespace holdfast::test
