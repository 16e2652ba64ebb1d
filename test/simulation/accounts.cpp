//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Statistics and observer events: each acquire of the user counts once, however many locks or attempts it involves.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// Counts the events: "acquired m", "failed m" ... By the numbers of the acquires it also follows which of them wait,
// and which have leases.
class notebook final : public observer {
public:
    using entries = std::map<std::string, int>;

    entries read() const { return entries_; }
    std::size_t waiting() const { return waiting_.size(); }
    std::size_t held() const { return held_.size(); }
    // An acquire that ended twice or without a begin, or another kind of lock at the end, or an event with the context
    // of another acquire.
    bool has_contradiction() const { return has_contradiction_; }
    // The contexts of acquires that the client has not destroyed.
    std::ptrdiff_t contexts() const
    {
        return std::ranges::count_if(contexts_, [](auto const& each) { return !each.expired(); });
    }

private:
    void note(std::string what, lock_event const& e) noexcept
    {
        ++entries_[what + ' ' + std::string(e.name)];
        check_context(e);
    }
    // The context has the number of its acquire, from the first event of the acquire on. The members of a composite
    // have no number and no context.
    void check_context(lock_event const& e) noexcept
    {
        auto* const context = static_cast<std::uint64_t*>(e.context);
        if (context && *context == 0)
            *context = e.acquire;
        has_contradiction_ = has_contradiction_ || (context ? *context : 0) != e.acquire;
    }
    void end_wait(lock_event const& e) noexcept
    {
        auto const found = waiting_.find(e.acquire);
        has_contradiction_ = has_contradiction_ || found == waiting_.end() || found->second != e.kind;
        waiting_.erase(e.acquire);
    }
    void require_held(lock_event const& e) noexcept
    {
        has_contradiction_ = has_contradiction_ || !held_.contains(e.acquire);
    }

    static char const* name_of(error_code ec) noexcept
    {
        if (ec == asio::error::operation_aborted)
            return "cancelled";
        return ec == errc::unavailable ? "unavailable" : ec == errc::no_quorum ? "no_quorum" : "failed";
    }

    std::shared_ptr<void> on_initiated(lock_event const&) noexcept override
    {
        auto const context = std::make_shared<std::uint64_t>(0);
        contexts_.emplace_back(context);
        return context;
    }
    void on_waiting(lock_event const& e) noexcept override
    {
        check_context(e);
        bool const is_new = e.acquire != 0 && waiting_.emplace(e.acquire, e.kind).second && !held_.contains(e.acquire);
        has_contradiction_ = has_contradiction_ || !is_new;
    }
    void on_acquired(lock_event const& e) noexcept override
    {
        note("acquired", e);
        end_wait(e);
        held_.insert(e.acquire);
    }
    void on_busy(lock_event const& e) noexcept override
    {
        note("busy", e);
        end_wait(e);
    }
    void on_failed(lock_event const& e) noexcept override
    {
        note(name_of(e.code), e);
        end_wait(e);
    }
    void on_released(lock_event const& e) noexcept override
    {
        note("released", e);
        require_held(e);
        if (e.kind != lock_kind::write)  // its read goes on with the number
            held_.erase(e.acquire);
    }
    void on_lost(lock_event const& e) noexcept override
    {
        note("lost", e);
        held_.erase(e.acquire);
    }

    entries entries_;
    std::map<std::uint64_t, lock_kind> waiting_;
    std::set<std::uint64_t> held_;
    std::vector<std::weak_ptr<std::uint64_t>> contexts_;
    bool has_contradiction_ = false;
};

struct tally {
    std::uint64_t acquired = 0, busy = 0, unavailable = 0, cancelled = 0, failed = 0;
    std::uint64_t waits = 0, holds = 0, held = 0, waiting = 0;
    bool operator==(tally const&) const = default;
};

tally tally_of(lock_stats const& s)
{
    return {s.acquired, s.busy, s.unavailable, s.cancelled, s.failed, s.wait.count, s.hold.count, s.held, s.waiting};
}

std::string to_string(tally const& t)
{
    std::string all;
    for (auto const n : {t.acquired, t.busy, t.unavailable, t.cancelled, t.failed, t.waits, t.holds, t.held, t.waiting})
        all += std::to_string(n) + ' ';
    return all;
}

tally sum_of(std::vector<stats_part> const& parts)
{
    tally all;
    for (auto const& p : parts) {
        auto const t = tally_of(p);
        all.acquired += t.acquired;
        all.busy += t.busy;
        all.unavailable += t.unavailable;
        all.cancelled += t.cancelled;
        all.failed += t.failed;
        all.waits += t.waits;
        all.holds += t.holds;
        all.held += t.held;
        all.waiting += t.waiting;
    }
    return all;
}

// The client whose statistics are checked, a client of another process, and a client of another server.
struct stage {
    arena a;
    std::shared_ptr<notebook> notes = std::make_shared<notebook>();
    client* mine = nullptr;
    client* other = nullptr;
    client* elsewhere = nullptr;
    error_code ec;
    lease kept;

    stage()
    {
        auto config = arena::quick();
        other = &a.client("B", config);
        elsewhere = &a.client("A", config, "s2");
        config.observer = notes;
        mine = &a.client("A", config);
    }

    any_lock mutex_of(std::string_view name) const { return mutex(*mine, name); }
    any_lock two() const { return multi_lock(std::vector<any_lock>{mutex_of("x"), mutex_of("y")}); }
    any_lock two_servers() const
    {
        return multi_lock(std::vector<any_lock>{mutex_of("x"), any_lock(mutex(*elsewhere, "z"))});
    }

    // Made outside of coroutines: GCC 12 does not accept an initializer list in a co_await expression.
    any_lock nested() const { return multi_lock(std::vector<any_lock>{two_servers(), mutex_of("m")}); }
    // The key of that name on both servers of majority(), with a value of somebody else.
    void occupy(std::string_view key)
    {
        for (auto const* const server : {"redis", "s2"})
            a.server(server).execute({"SET", key, "somebody else", "PX", "60000"});
    }

    any_lock majority() const { return red_lock(std::vector<client const*>{mine, elsewhere}, "r", trusting); }

    // An acquire that is cancelled after the duration d.
    awaitable<void> cancelled_after(core::duration d, any_lock lock)
    {
        asio::cancellation_signal signal;
        a.world().at(a.now() + d, [&] {
            asio::post(a.at("A").get_executor(), [&] { signal.emit(asio::cancellation_type::total); });
        });
        auto const l = co_await lock.acquire(asio::bind_cancellation_slot(signal.slot(), redirect(ec)));
        CHECK(ec == asio::error::operation_aborted);
    }
};

struct program {
    char const* title;
    awaitable<void> (*run)(stage&);
    tally counts;
    notebook::entries events;
    lock_kind kind = lock_kind::mutex;  // that has the counts
};

program const programs[] = {
    {"a lock that is free",
     [](stage& s) -> awaitable<void> { co_await s.mutex_of("m").acquire(); },
     {.acquired = 1, .waits = 1, .holds = 1},
     {{"acquired m", 1}, {"released m", 1}}},
    {"a lock that is kept",
     [](stage& s) -> awaitable<void> { s.kept = co_await s.mutex_of("m").acquire(); },
     {.acquired = 1, .waits = 1, .held = 1},
     {{"acquired m", 1}}},
    {"a lock that somebody else holds",
     [](stage& s) -> awaitable<void> {
         s.kept = co_await mutex(*s.other, "m").acquire();
         co_await s.mutex_of("m").try_acquire();
         co_await s.mutex_of("m").try_acquire({.wait = 10ms});
     },
     {.busy = 2},
     {{"busy m", 2}}},
    {"a server that does not answer",
     [](stage& s) -> awaitable<void> {
         s.a.server().pause();
         co_await s.mutex_of("m").try_acquire({.wait = 100ms}, redirect(s.ec));
         s.a.server().resume();
     },
     {.unavailable = 1},
     {{"unavailable m", 1}}},
    {"a cancelled wait",
     [](stage& s) -> awaitable<void> {
         s.kept = co_await mutex(*s.other, "m").acquire();
         co_await s.cancelled_after(50ms, s.mutex_of("m"));
     },
     {.cancelled = 1},
     {{"cancelled m", 1}}},
    {"a key that is no lock",
     [](stage& s) -> awaitable<void> {
         s.a.server().execute({"RPUSH", "m", "1"});
         co_await s.mutex_of("m").acquire(redirect(s.ec));
     },
     {.failed = 1},
     {{"failed m", 1}}},
    {"a lock that is entered again",
     [](stage& s) -> awaitable<void> {
         reentrant_lock const lock(*s.mine, "r", s.mine->make_owner());
         auto const outer = co_await lock.acquire();
         auto const inner = co_await lock.acquire();
     },
     {.acquired = 2, .waits = 2, .holds = 2},
     {{"acquired r", 2}, {"released r", 2}},
     lock_kind::reentrant},
    {"a write that becomes a read",
     [](stage& s) -> awaitable<void> {
         auto write = co_await read_write_lock(*s.mine, "w").write().acquire();
         auto const read = co_await write.downgrade();
     },
     {.acquired = 1, .waits = 1, .holds = 2},
     {{"acquired w", 1}, {"released w", 2}},
     lock_kind::write},
    {"several locks that are free",
     [](stage& s) -> awaitable<void> { co_await s.two().acquire(); },
     {.acquired = 1, .waits = 1, .holds = 1},
     {{"acquired x+y", 1}, {"released x+y", 1}},
     lock_kind::multi},
    {"several locks that are kept",
     [](stage& s) -> awaitable<void> { s.kept = co_await s.two_servers().acquire(); },
     {.acquired = 1, .waits = 1, .held = 1},
     {{"acquired x+z", 1}},
     lock_kind::multi},
    {"several locks, of which one is held by somebody else for a while",
     [](stage& s) -> awaitable<void> {
         auto held = co_await mutex(*s.other, "y").acquire();
         s.a.spawn([&s, held = std::move(held)]() mutable -> awaitable<void> {
             co_await s.a.sleep(200ms);
             co_await held.release();
         });
         co_await s.two().acquire();
     },
     {.acquired = 1, .waits = 1, .holds = 1},
     {{"acquired x+y", 1}, {"released x+y", 1}},
     lock_kind::multi},
    {"several locks, of which one is held by somebody else for too long",
     [](stage& s) -> awaitable<void> {
         s.kept = co_await mutex(*s.other, "y").acquire();
         co_await s.two().try_acquire();
         co_await s.two().try_acquire({.wait = 50ms});
     },
     {.busy = 2},
     {{"busy x+y", 2}},
     lock_kind::multi},
    {"several locks, cancelled while they wait for one",
     [](stage& s) -> awaitable<void> {
         s.kept = co_await mutex(*s.other, "y").acquire();
         co_await s.cancelled_after(50ms, s.two());
     },
     {.cancelled = 1},
     {{"cancelled x+y", 1}},
     lock_kind::multi},
    {"several locks of a server that does not answer",
     [](stage& s) -> awaitable<void> {
         s.a.server().pause();
         co_await s.two().try_acquire({.wait = 100ms}, redirect(s.ec));
         s.a.server().resume();
     },
     {.unavailable = 1},
     {{"unavailable x+y", 1}},
     lock_kind::multi},
    {"several locks in several locks",
     [](stage& s) -> awaitable<void> { co_await s.nested().acquire(); },
     {.acquired = 1, .waits = 1, .holds = 1},
     {{"acquired x+z+m", 1}, {"released x+z+m", 1}},
     lock_kind::multi},
    {"a red_lock",
     [](stage& s) -> awaitable<void> { co_await s.majority().acquire(); },
     {.acquired = 1, .waits = 1, .holds = 1},
     {{"acquired r", 1}, {"released r", 1}},
     lock_kind::red},
    {"a red_lock that somebody else holds",
     [](stage& s) -> awaitable<void> {
         s.occupy("r");
         co_await s.majority().try_acquire();
         co_await s.majority().try_acquire({.wait = 50ms});
     },
     {.busy = 2},
     {{"busy r", 2}},
     lock_kind::red},
    {"a red_lock without a majority",
     [](stage& s) -> awaitable<void> {
         s.a.server("s2").pause();
         co_await s.majority().try_acquire(redirect(s.ec));
         s.a.server("s2").resume();
     },
     {.unavailable = 1},
     {{"no_quorum r", 1}},
     lock_kind::red},
    {"a red_lock, cancelled while it waits",
     [](stage& s) -> awaitable<void> {
         s.occupy("r");
         co_await s.cancelled_after(50ms, s.majority());
     },
     {.cancelled = 1},
     {{"cancelled r", 1}},
     lock_kind::red},
};

// Whether that part has all acquires of the program. A downgrade is a hold of the read, which counts no acquire.
bool is_of(stats_part const& part, program const& p)
{
    auto t = tally_of(part);
    t.holds += p.kind == lock_kind::write;
    return part.kind == p.kind && t == p.counts;
}

TEST_CASE("the statistics and the observer report each acquire exactly once", "[accounts]")
{
    for (auto const& p : programs) {
        CAPTURE(p.title);
        stage s;
        s.a.run([&]() -> awaitable<void> {
            co_await s.mine->ready();
            co_await s.other->ready();
            co_await s.elsewhere->ready();
            co_await p.run(s);
            co_await s.a.sleep(100ms);
        });
        auto const all = s.mine->stats();
        CHECK(to_string(tally_of(all)) == to_string(p.counts));
        CHECK(to_string(sum_of(all.parts)) == to_string(p.counts));
        CHECK(std::ranges::count_if(all.parts, [&](auto const& each) { return is_of(each, p); }) == 1);
        CHECK(s.notes->read() == p.events);
        CHECK_FALSE(s.notes->has_contradiction());
        CHECK(s.notes->waiting() == p.counts.waiting);
        CHECK(s.notes->held() == p.counts.held);
        CHECK(static_cast<std::uint64_t>(s.notes->contexts()) == p.counts.held + p.counts.waiting);
    }
}

}  // namespace
}  // namespace holdfast::test
