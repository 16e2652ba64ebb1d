//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Locks of several clients, of which some live in an execution context that is not run for a while, as behind a thread
// that is busy. Their operations end at their limits and at a cancellation, and leave nothing behind when that context
// runs again. In real time on memory://; these tests wait for events, never for a duration.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <holdfast.hpp>

#include "client/client_access.hpp"
#include "composite/composite_lease.hpp"
#include "redlock/round_replies.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

enum class whole { red, multi, nested };

// The first context runs always, the second one when a test says so. One thread runs both.
class still_context {
public:
    still_context()
    {
        for (auto* c : {&here_, &there_, &there_}) {
            config how{
                .url = "memory://n" + std::to_string(clients_.size()), .log = [](log_level, std::string_view) {}};
            how.lease = 1min;
            how.command_timeout = 100ms;
            how.poll_interval = 20ms;
            clients_.push_back(std::make_unique<client>(*c, how));
            clients_.back()->run([](error_code) {});
        }
        int connected = 0;
        for (auto& c : clients_)
            c->ready([&](error_code ec) { connected += !ec; });
        until([&] { return connected == 3; });
    }

    client& at(std::size_t i) { return *clients_[i]; }

    // `first`: where the first member is, whose client is the first that the lock uses.
    any_lock make(whole k, bool is_first_there)
    {
        auto& own = at(0);
        red_options const trusting{.trust_new_nodes = true};
        red_lock const red = is_first_there ? red_lock({at(1), own, at(2)}, "r", trusting)
                                            : red_lock({own, at(1), at(2)}, "r", trusting);
        mutex const mine(own, "m");
        mutex const theirs(at(1), "t");
        switch (k) {
            case whole::red: return red;
            case whole::multi: return is_first_there ? multi_lock(theirs, mine) : multi_lock(mine, theirs);
            default: return is_first_there ? multi_lock(red, mine) : multi_lock(mine, red);
        }
    }

    template <class Handler>
    auto bound(Handler h)
    {
        return asio::bind_executor(here_.get_executor(), std::move(h));
    }

    // Runs both contexts, or only the first, until the predicate holds.
    template <class Predicate>
    void until(Predicate holds, bool both = true)
    {
        for (auto const limit = steady_clock::now() + 20s; !holds() && steady_clock::now() < limit;) {
            run(here_, 1ms);
            if (both)
                run(there_, 0ms);
        }
        REQUIRE(holds());
    }
    template <class Predicate>
    void until_here(Predicate holds)
    {
        until(holds, false);
    }
    void run_for_turns(int turns)
    {
        for (; turns > 0; --turns) {
            run(here_, 0ms);
            run(there_, 0ms);
        }
    }

    lease acquire(any_lock const& l)
    {
        std::optional<lease> got;
        l.acquire(bound([&](error_code ec, lease x) {
            CHECK_FALSE(ec);
            got = std::move(x);
        }));
        until([&] { return got.has_value(); });
        return std::move(*got);
    }

    // Runs both until nobody holds a member and no client has anything left to do. Then the lock can be acquired again.
    void check_nothing_left()
    {
        until([&] {
            return std::ranges::all_of(
                clients_, [](auto const& c) { return detail::client_access::state_of(*c).count().arbiters == 0; });
        });
        std::vector<any_lock> all;
        all.emplace_back(mutex(at(0), "m"));
        all.emplace_back(mutex(at(1), "t"));
        for (auto& c : clients_)
            all.emplace_back(mutex(*c, "r"));
        for (auto const& l : all) {
            std::optional<bool> locked;
            l.is_locked(bound([&](error_code, bool yes) { locked = yes; }));
            until([&] { return locked.has_value(); });
            CHECK(locked == false);
        }
        for (auto const k : {whole::red, whole::nested, whole::multi})
            CHECK(acquire(make(k, false)).valid());
    }

private:
    static void run(asio::io_context& c, std::chrono::milliseconds longest)
    {
        c.restart();
        c.run_one_for(longest);
        c.poll();
    }

    asio::io_context here_{1};
    asio::io_context there_{1};
    std::vector<std::unique_ptr<client>> clients_;
};

TEST_CASE("a limited acquire of several locks ends at its limit while a client stands still", "[contexts][still]")
{
    auto const k = GENERATE(whole::red, whole::multi, whole::nested);
    bool const is_first_there = GENERATE(false, true);
    bool const is_one_attempt = GENERATE(false, true);
    CAPTURE(int(k), is_first_there, is_one_attempt);
    still_context w;
    auto const lock = w.make(k, is_first_there);
    std::optional<error_code> end;
    auto note = w.bound([&](error_code ec, lease const& l) {
        end = ec;
        CHECK(l.empty());
    });
    auto const start = steady_clock::now();
    if (is_one_attempt)
        lock.try_acquire(std::move(note));
    else
        lock.try_acquire({.wait = 60ms}, std::move(note));
    w.until_here([&] { return end.has_value(); });
    // The limit of the whole may pass before the member of a multi_lock has said that it found no quorum.
    bool const is_no_quorum = *end == errc::no_quorum && k != whole::multi;
    CHECK((is_no_quorum || (*end == errc::unavailable && k != whole::red)));
    if (!is_one_attempt)
        CHECK(steady_clock::now() - start >= 59ms);
    w.check_nothing_left();
}

TEST_CASE(
    "a cancelled acquire of several locks ends while a client stands still, and leaves nothing", "[contexts][still]")
{
    auto const k = GENERATE(whole::red, whole::multi, whole::nested);
    bool const is_first_there = GENERATE(false, true);
    auto const type = GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::total);
    auto const turns = GENERATE(range(0, 12));
    bool const is_held = GENERATE(false, true);
    CAPTURE(int(k), is_first_there, int(type), turns, is_held);
    still_context w;
    auto const lock = w.make(k, is_first_there);
    lease in_the_way;
    if (is_held)
        in_the_way = w.acquire(mutex(w.at(1), k == whole::multi ? "t" : "r"));
    std::optional<error_code> end;
    std::optional<lease> got;
    asio::cancellation_signal signal;
    lock.acquire(w.bound(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, lease l) {
        end = ec;
        got = std::move(l);
    })));
    w.run_for_turns(turns);
    signal.emit(type);
    w.until_here([&] { return end.has_value(); });
    CHECK(got->empty() == (*end == asio::error::operation_aborted));
    CHECK((*end == asio::error::operation_aborted || !*end));
    got.reset();
    in_the_way = {};
    w.check_nothing_left();
}

TEST_CASE("a cancelled lost() of several locks ends while a client stands still", "[contexts][still]")
{
    auto const k = GENERATE(whole::red, whole::multi, whole::nested);
    bool const is_first_there = GENERATE(false, true);
    auto const turns = GENERATE(0, 1, 3);
    CAPTURE(int(k), is_first_there, turns);
    still_context w;
    auto held = w.acquire(w.make(k, is_first_there));
    std::optional<error_code> lost;
    asio::cancellation_signal signal;
    held.lost(w.bound(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, loss) { lost = ec; })));
    w.run_for_turns(turns);
    signal.emit(asio::cancellation_type::total);
    w.until_here([&] { return lost.has_value(); });
    CHECK(*lost == asio::error::operation_aborted);
    CHECK(held.valid());
    held = {};
    w.check_nothing_left();
}

TEST_CASE("operations on several locks end within command_timeout while a client stands still", "[contexts][still]")
{
    auto const k = GENERATE(whole::red, whole::multi, whole::nested);
    bool const is_first_there = GENERATE(false, true);
    CAPTURE(int(k), is_first_there);
    still_context w;
    auto const lock = w.make(k, is_first_there);
    auto held = w.acquire(lock);
    std::optional<error_code> extended, asked, listed, forced, released;
    auto const note = [&](std::optional<error_code>& end) {
        return w.bound([&end](error_code ec, auto const&...) { end = ec; });
    };
    held.extend(30s, note(extended));
    lock.is_locked(note(asked));
    lock.holders(note(listed));
    w.until_here([&] { return extended && asked && listed; });
    CHECK(*extended == errc::unavailable);
    CHECK(*asked == (k == whole::red ? error_code(errc::unavailable) : error_code()));
    CHECK(*listed == errc::unavailable);
    held.release(note(released));
    w.until_here([&] { return released.has_value(); });
    CHECK(*released == errc::unavailable);
    lock.force_release(note(forced));
    w.until_here([&] { return forced.has_value(); });
    CHECK(*forced == errc::unavailable);
    w.check_nothing_left();
}

TEST_CASE("a cancelled operation on several locks ends at once while a client stands still", "[contexts][still]")
{
    auto const k = GENERATE(whole::red, whole::multi, whole::nested);
    auto const what = GENERATE(0, 1, 2, 3);
    CAPTURE(int(k), what);
    still_context w;
    auto const lock = w.make(k, false);
    auto held = w.acquire(lock);
    std::optional<error_code> end;
    asio::cancellation_signal signal;
    auto note = w.bound(
        asio::bind_cancellation_slot(signal.slot(), [&end](error_code ec, auto const&...) { end = ec; }));
    switch (what) {
        case 0: held.extend(30s, std::move(note)); break;
        case 1: lock.is_locked(std::move(note)); break;
        case 2: lock.holders(std::move(note)); break;
        default: held.release(std::move(note));
    }
    signal.emit(asio::cancellation_type::total);
    for (int turns = 0; turns < 20 && !end; ++turns)
        w.until_here([&, first = true]() mutable { return !std::exchange(first, false); });
    CHECK(end == asio::error::operation_aborted);
    held = {};
    w.check_nothing_left();
}

TEST_CASE(
    "an owner acquires several locks again after an acquire that was cancelled while a client stood still",
    "[contexts][still]")
{
    bool const is_red = GENERATE(false, true);
    auto const turns = GENERATE(range(0, 12));
    CAPTURE(is_red, turns);
    still_context w;
    std::vector<any_lock> mine;
    for (std::size_t i = 0; i < 3; ++i)
        mine.emplace_back(reentrant_lock(w.at(i), "r", w.at(i).make_owner()));
    any_lock const lock = is_red ? any_lock(red_lock(mine, {.trust_new_nodes = true})) : any_lock(multi_lock(mine));
    std::vector<lease> in_the_way;
    for (std::size_t i : {1u, 2u})
        in_the_way.push_back(w.acquire(reentrant_lock(w.at(i), "r", w.at(i).make_owner())));
    std::optional<error_code> end;
    asio::cancellation_signal signal;
    lock.acquire(w.bound(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, lease const&) { end = ec; })));
    w.run_for_turns(turns);
    signal.emit(asio::cancellation_type::total);
    w.until_here([&] { return end.has_value(); });
    CHECK(*end == asio::error::operation_aborted);
    std::optional<lease> got;
    lock.acquire(w.bound([&](error_code ec, lease l) {
        end = ec;
        got = std::move(l);
    }));
    in_the_way.clear();
    w.until([&] { return got.has_value(); });
    CHECK_FALSE(*end);
    CHECK(got->valid());
    got.reset();
    w.check_nothing_left();
}

TEST_CASE("a red_lock makes no second attempt on a server while the first is under way", "[red_lock][still]")
{
    still_context w;
    red_lock const lock({w.at(0), w.at(1), w.at(2)}, "r", {.trust_new_nodes = true});
    auto const impl = std::static_pointer_cast<detail::red_lock_impl const>(detail::lock_access::impl_of(lock));
    auto const open = std::make_shared<detail::attempts_under_way>(3);
    auto const now = detail::client_access::state_of(w.at(0)).now();
    auto const first = std::make_shared<detail::round_replies>(impl, now, std::vector<lease>(), open);
    REQUIRE(first->targets().size() == 3);
    first->begin(nullptr);
    auto const second = std::make_shared<detail::round_replies>(impl, now, std::vector<lease>(), open);
    CHECK(second->targets().empty());
    first->refuse();
    first->take(1, {});
    auto const third = std::make_shared<detail::round_replies>(impl, now, std::vector<lease>(), open);
    REQUIRE(third->targets().size() == 1);
    CHECK(third->targets().front() == impl->members()[1]);
}

}  // namespace
}  // namespace holdfast::test
