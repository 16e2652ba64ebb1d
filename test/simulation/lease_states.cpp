//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Tables: every accessor of a lease in every state, and every operation on a lease that is created first and launched
// after an event: the lease was moved, released, destroyed or lost, or its clients were stopped or destroyed.

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using std::chrono::steady_clock;

enum class lease_kind { write, multi, red };

constexpr unsigned servers = 3;

// A lease of that kind, and its clients.
class scenario : public nodes {
public:
    explicit scenario(lease_kind k) : nodes(servers), what(k), all(clients()), lock(make_lock()) {}

    awaitable<void> begin(std::chrono::milliseconds max_hold)
    {
        co_await ready(all);
        held = co_await lock.acquire({.max_hold = max_hold});
    }

    void stop_clients()
    {
        for (auto const* c : all)
            const_cast<holdfast::client*>(c)->stop();
    }
    void destroy_clients()
    {
        for (auto const* c : std::exchange(all, {}))
            destroy(*c);
    }

    lease_kind const what;
    std::vector<holdfast::client const*> all;
    any_lock lock;
    lease held;

private:
    any_lock make_lock()
    {
        switch (what) {
            case lease_kind::write: return read_write_lock(*all[0], "w", all[0]->make_owner("me")).write();
            case lease_kind::multi:
                return multi_lock(mutex(*all[0], "x"), reentrant_lock(*all[1], "y", all[1]->make_owner()));
            default: return red_lock(all, "r", trusting);
        }
    }
};

// ---- operations that were created from a lease and launched later

enum class event {
    nothing,
    moved,
    released,
    destroyed,
    lost,
    stopped,
    destroyed_clients,
    released_then_stopped,
    released_then_destroyed_clients
};

constexpr std::chrono::milliseconds max_hold = 5s;

awaitable<void> let_happen(event e, scenario& s)
{
    if (e == event::released || e == event::released_then_stopped || e == event::released_then_destroyed_clients)
        co_await s.held.release();
    if (e == event::destroyed || e == event::moved) {
        auto other = std::move(s.held);
        if (e == event::moved)
            s.held = std::move(other);
    }
    if (e == event::lost)
        co_await s.sleep(max_hold + 1s);
    if (e == event::stopped || e == event::released_then_stopped)
        s.stop_clients();
    if (e == event::destroyed_clients || e == event::released_then_destroyed_clients)
        s.destroy_clients();
    co_await s.sleep(10ms);
}

// The result of an operation: "lost" if lost() succeeds with a reason.
template <class... Results>
std::string named(std::tuple<error_code, Results...> const& end)
{
    auto const ec = std::get<0>(end);
    if constexpr (std::is_same_v<std::tuple<Results...>, std::tuple<loss>>)
        return ec ? ec.message() : "lost";
    return ec ? ec.message() : "success";
}

std::string named(errc e)
{
    return error_code(e).message();
}

template <class Operation>
awaitable<std::string> launch_after(event e, scenario& s, Operation operation)
{
    co_await let_happen(e, s);
    auto const end = co_await std::move(operation)(asio::as_tuple(use_awaitable));
    co_return named(end);
}

struct expectation {
    event before;
    std::string extend;
    std::string lost;
    std::string downgrade;  // of a write
};

std::vector<expectation> expectations()
{
    auto const empty = named(errc::empty_lease);
    auto const lost = named(errc::lease_lost);
    auto const stopped = named(errc::client_stopped);
    auto const released = named(errc::released);
    return {
        {event::nothing, "success", "lost", "success"},
        {event::moved, "success", "lost", "success"},
        {event::released, empty, released, empty},
        {event::destroyed, empty, released, empty},
        {event::lost, lost, "lost", lost},
        {event::stopped, lost, "lost", lost},
        {event::destroyed_clients, stopped, "lost", stopped},
        {event::released_then_stopped, empty, released, empty},
        {event::released_then_destroyed_clients, stopped, released, stopped},
    };
}

TEST_CASE("extend(), lost() and downgrade() report the lease's state at their launch, not at their creation", "[lease]")
{
    auto const what = GENERATE(lease_kind::write, lease_kind::multi, lease_kind::red);
    bool const is_single = what == lease_kind::write;
    for (auto const& row : expectations()) {
        CAPTURE(int(what), int(row.before));
        {
            scenario s(what);
            s.run([&]() -> awaitable<void> {
                co_await s.begin(max_hold);
                auto operation = s.held.extend(1s, asio::deferred);
                auto const end = co_await launch_after(row.before, s, std::move(operation));
                // A composite lease knows without its clients that it was released.
                bool const is_known = !is_single && row.before == event::released_then_destroyed_clients;
                CHECK(end == (is_known ? named(errc::empty_lease) : row.extend));
            });
        }
        {
            scenario s(what);
            s.run([&]() -> awaitable<void> {
                co_await s.begin(max_hold);
                auto operation = s.held.lost(asio::deferred);
                auto const end = co_await launch_after(row.before, s, std::move(operation));
                CHECK(end == row.lost);
            });
        }
        {
            scenario s(what);
            s.run([&]() -> awaitable<void> {
                co_await s.begin(max_hold);
                auto operation = s.held.downgrade(asio::deferred);
                auto const end = co_await launch_after(row.before, s, std::move(operation));
                CHECK(end == (is_single ? row.downgrade : named(errc::invalid_option)));
            });
        }
    }
}

// The operation has taken the hold out of the lease: events can only affect the clients and the hold.
TEST_CASE("a release reports the state of its hold at its launch, not at its creation", "[lease]")
{
    auto const what = GENERATE(lease_kind::write, lease_kind::multi, lease_kind::red);
    std::pair<event, std::string> const rows[] = {
        {event::nothing, "success"},
        {event::lost, named(errc::lease_lost)},
        {event::stopped, named(errc::lease_lost)},
        {event::destroyed_clients, named(errc::client_stopped)}};
    for (auto const& [before, expected] : rows) {
        CAPTURE(int(what), int(before));
        scenario s(what);
        s.run([&]() -> awaitable<void> {
            co_await s.begin(max_hold);
            auto operation = s.held.release(asio::deferred);
            CHECK(s.held.empty());
            auto const end = co_await launch_after(before, s, std::move(operation));
            CHECK(end == expected);
            auto const again = co_await s.held.release(asio::as_tuple(use_awaitable));
            CHECK(std::get<0>(again) == errc::empty_lease);
        });
    }
}

TEST_CASE("an extension completes although another executor launches it and destroys the lease at once", "[lease]")
{
    auto const what = GENERATE(lease_kind::write, lease_kind::multi, lease_kind::red);
    CAPTURE(int(what));
    scenario s(what);
    std::optional<error_code> end;
    s.run([&]() -> awaitable<void> { co_await s.begin(max_hold); });
    s.run(
        [&]() -> awaitable<void> {
            s.held.extend(1s, asio::bind_executor(s.at("B").get_executor(), [&](error_code ec) { end = ec; }));
            auto const destroyed = std::move(s.held);
            co_return;
        },
        "B");
    s.run([&]() -> awaitable<void> { co_await s.sleep(1s); });
    REQUIRE(end);
    // The order of the extension and the release is not specified.
    CHECK((!*end || *end == errc::empty_lease || *end == errc::lease_lost));
    CHECK(s.keys("w") + s.keys("x") + s.keys("y") + s.keys("r") == 0);
}

// ---- accessors

struct observed {
    bool valid, empty;
    lease_state state;
    bool has_end, has_name, has_owner;
    unsigned holds;

    bool operator==(observed const&) const = default;
};

observed observe(lease const& l)
{
    CHECK(bool(l) == l.valid());
    CHECK_FALSE(l.fencing_token());
    CHECK_FALSE(l.fencing_token(l.name()));
    CHECK_FALSE(l.fencing_token(""));
    CHECK_FALSE(l.fencing_token("another"));
    (void)l.get_executor();
    return {
        .valid = l.valid(),
        .empty = l.empty(),
        .state = l.state(),
        .has_end = l.valid_until() != steady_clock::time_point(),
        .has_name = !l.name().empty(),
        .has_owner = l.owner().has_value(),
        .holds = l.hold_count()};
}

TEST_CASE("every accessor of a lease has a defined value in every state", "[lease]")
{
    auto const what = GENERATE(lease_kind::write, lease_kind::multi, lease_kind::red);
    CAPTURE(int(what));
    bool const owned = what == lease_kind::write;
    unsigned const of_lost = owned ? 0 : 1;
    observed const nothing{false, true, lease_state::empty, false, false, false, 0};

    scenario s(what);
    CHECK(observe(s.held) == nothing);
    s.run([&]() -> awaitable<void> {
        co_await s.begin(max_hold);
        CHECK(observe(s.held) == observed{true, false, lease_state::held, true, true, owned, 1});

        auto other = std::move(s.held);
        CHECK(observe(s.held) == nothing);
        s.held = std::move(other);

        co_await s.held.release();
        CHECK(observe(s.held) == nothing);

        s.held = co_await s.lock.acquire();
        if (owned) {
            auto const read = co_await s.held.downgrade();
            CHECK(observe(s.held) == nothing);
            CHECK(observe(read) == observed{true, false, lease_state::held, true, true, true, 1});
        }
        s.held = {};
        co_await s.sleep(10ms);

        s.held = co_await s.lock.acquire({.lease = 1s});
        co_await s.sleep(2s);
        auto lost = observe(s.held);
        lost.has_end = false;  // the former end is still returned
        CHECK(lost == observed{false, false, lease_state::lost, false, true, owned, of_lost});
        s.held = {};
        co_await s.sleep(10ms);

        s.held = co_await s.lock.acquire();
        s.stop_clients();
        co_await s.sleep(0ms);
        lost = observe(s.held);
        lost.has_end = false;
        CHECK(lost == observed{false, false, lease_state::lost, false, true, owned, of_lost});
        s.destroy_clients();
        CHECK(observe(s.held) == observed{false, false, lease_state::lost, false, true, owned, of_lost});
    });
}

}  // namespace
}  // namespace holdfast::test
