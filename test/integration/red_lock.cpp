//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A red_lock and a multi_lock on private servers: outages of a minority and of a majority, two clients of one server,
// and the time that they take.

#include <bit>
#include <deque>
#include <memory>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support/live.hpp"
#include "support/proxy.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using std::chrono::steady_clock;

constexpr unsigned count = 5;
constexpr red_options trusting{.trust_new_nodes = true};
constexpr red_options patient{.node_timeout = 1s, .trust_new_nodes = true};

struct five {
    five()
    {
        for (auto& s : servers)
            clients.push_back(&here.client(live::quick(s.url())));
    }

    awaitable<void> ready()
    {
        for (auto const* c : clients)
            co_await const_cast<client*>(c)->ready(asio::use_awaitable);
    }

    std::deque<redis_server> servers = std::deque<redis_server>(count);
    live here;
    std::vector<client const*> clients;
};

// Five servers behind proxies.
enum class outage { refused, black_holed, paused, failing, slow };

struct five_servers {
    five_servers()
    {
        for (auto& s : servers)
            clients.push_back(&here.client(live::quick(ways.emplace_back(s.socket_path()).url())));
    }

    void strike(unsigned i, outage how)
    {
        switch (how) {
            case outage::refused:
                ways[i].refuse();
                ways[i].cut();
                break;
            case outage::black_holed: ways[i].black_hole(); break;
            case outage::paused: servers[i].freeze(); break;
            case outage::failing: servers[i].command({"CONFIG", "SET", "maxmemory", "1"}); break;
            case outage::slow: ways[i].delay(proxy::direction::to_client, 500ms); break;
        }
    }

    void heal(unsigned i, outage how)
    {
        servers[i].thaw();
        servers[i].command({"CONFIG", "SET", "maxmemory", "0"});
        ways[i].refuse(false);
        ways[i].delay(proxy::direction::to_client, 0ms);
        if (how == outage::black_holed)
            ways[i].heal();
    }

    bool is_free(unsigned i) { return servers[i].command({"EXISTS", "r"}).integer == 0; }

    awaitable<void> check_mask(unsigned mask, outage how);
    awaitable<void> settle();

    std::deque<redis_server> servers = std::deque<redis_server>(count);
    std::deque<proxy> ways;
    live here;
    std::vector<client const*> clients;
};

// Waits until commands get through again and no key is left.
awaitable<void> five_servers::settle()
{
    error_code ec;
    for (auto const* c : clients) {
        auto probe = co_await mutex(*c, "probe").acquire(asio::use_awaitable);
        co_await probe.release(redirect(ec));
    }
    for (unsigned i = 0; i < count; ++i) {
        auto const is_released = co_await comes_true([&] { return is_free(i); });
        CHECK(is_released);
    }
}

awaitable<void> five_servers::check_mask(unsigned mask, outage how)
{
    constexpr auto lease_time = 5s;
    auto const is_down = [mask](unsigned i) { return (mask >> i & 1) != 0; };
    bool const has_majority = std::popcount(mask) <= 2;
    // With a majority nobody waits for the others, so a busy machine may take long. Without one, a slow server is too slow.
    auto const node_timeout = has_majority ? 2'000ms : 200ms;
    red_lock const lock(clients, "r", {.node_timeout = node_timeout, .trust_new_nodes = true});
    unsigned up = 0;
    for (unsigned i = 0; i < count; ++i)
        is_down(i) ? strike(i, how) : void(up = i);
    auto const attempts = [&] { return servers[up].calls("set"); };
    CAPTURE(mask, int(how));

    auto const before = mask == 31 ? 0 : attempts();
    auto const start = steady_clock::now();
    error_code ec;
    auto l = co_await lock.try_acquire({.lease = lease_time}, redirect(ec));
    CHECK(steady_clock::now() - start < 2s);  // not for those that are down, or one node_timeout
    CAPTURE(ec.message());
    CHECK(l.valid() == has_majority);
    bool const says_so = ec == errc::no_quorum || (how == outage::failing && ec == errc::server_refused);
    CHECK(says_so == !has_majority);
    // One round; its reply may be late, or not needed.
    auto const once = co_await comes_true([&] { return !has_majority || attempts() - before == 1; });
    CHECK(once);
    if (mask != 31)
        CHECK(attempts() - before <= 1);
    if (!has_majority) {
        l = co_await lock.try_acquire({.wait = 250ms, .lease = lease_time}, redirect(ec));
        CHECK(ec.failed());
        if (mask != 31)
            CHECK(attempts() - before < 40);  // no busy loop
    } else
        co_await l.release(redirect(ec));

    for (unsigned i = 0; i < count; ++i)
        if (!is_down(i)) {
            auto const is_released = co_await comes_true([&] { return is_free(i); });
            CHECK(is_released);
        } else if (how != outage::paused)
            CHECK(servers[i].command({"PTTL", "r"}).integer <= lease_time / 1ms);  // until the lease time ends
    for (unsigned i = 0; i < count; ++i)
        if (is_down(i))
            heal(i, how);
    co_await settle();
}

template <class Lock>
awaitable<std::chrono::nanoseconds> median_of_acquire(Lock lock)
{
    std::vector<std::chrono::nanoseconds> all;
    for (int i = 0; i < 501; ++i) {
        auto const start = steady_clock::now();
        auto l = co_await lock.acquire(asio::use_awaitable);
        all.push_back(steady_clock::now() - start);
        co_await l.release(asio::use_awaitable);
    }
    std::ranges::nth_element(all, all.begin() + 250);
    co_return all[250];
}

TEST_CASE("a red_lock over five servers is granted exactly if a majority works, for each kind of outage", "[red_lock]")
{
    five_servers f;
    f.here.run([&]() -> awaitable<void> {
        co_await f.settle();
        for (auto const how : {outage::refused, outage::black_holed, outage::paused, outage::failing, outage::slow})
            for (unsigned mask = 0; mask < 32; ++mask)
                co_await f.check_mask(mask, how);
    });
}

TEST_CASE("a red_lock's lease stays valid when a minority is killed, and is lost when a majority is", "[red_lock]")
{
    five f;
    f.here.run([&]() -> awaitable<void> {
        co_await f.ready();
        auto l = co_await red_lock(f.clients, "r", patient).acquire({.lease = 10s, .renew = true});
        f.servers[0].kill();
        f.servers[3].kill();
        co_await sleep_for(11s);
        CHECK(l.valid());
        f.servers[4].kill();
        co_await l.lost(asio::use_awaitable);
        CHECK_FALSE(l.valid());
    });
}

// A rolling upgrade: each server restarts without its data when the one before has joined the lease again.
TEST_CASE(
    "a red_lock's lease survives restarts of all five servers, one by one, although another client waits",
    "[red_lock][loss]")
{
    std::deque<redis_server> servers(count);
    live here;
    std::vector<client const*> ours, theirs;
    for (auto& s : servers)
        for (auto* const of : {&ours, &theirs}) {
            auto c = live::quick(s.url());
            c.lease = 5s;
            of->push_back(&here.client(c));
        }
    here.run([&]() -> awaitable<void> {
        constexpr red_options options{.node_timeout = 500ms};
        auto l = co_await red_lock(ours, "r", options).acquire(asio::use_awaitable);  // waits until the servers count
        bool is_lost = false;
        l.lost([&](error_code ec, loss) { is_lost = !ec; });
        lease other;
        red_lock(theirs, "r", options).acquire([&](error_code, lease got) { other = std::move(got); });
        auto const is_ours = [&](unsigned i) {
            auto const& id = detail::client_access::state_of(const_cast<client&>(*ours[i])).id();
            return servers[i].command({"GET", "r"}).text.starts_with(std::string(id));
        };
        for (unsigned i = 0; i < count; ++i) {
            CAPTURE(i);
            auto const before = co_await comes_true([&] { return is_ours(i); });
            CHECK(before);
            servers[i].restart();
            auto const after = co_await comes_true([&] { return is_ours(i); });
            CHECK(after);
            co_await sleep_for(1s);  // the reply has arrived
            CHECK(l.valid());
        }
        CHECK_FALSE(is_lost);
        CHECK(other.empty());
        co_await l.release(asio::use_awaitable);
        auto const is_handed_on = co_await comes_true([&] { return other.valid(); });
        CHECK(is_handed_on);
        co_await other.release(asio::use_awaitable);
    });
}

TEST_CASE("an acquire of a red_lock with two clients of one server completes as invalid_option", "[red_lock]")
{
    redis_server one, two;
    live here;
    std::vector<client const*> clients;
    for (auto const& url : {one.url(), two.url(), one.tcp_url()})
        clients.push_back(&here.client(live::quick(url)));
    here.run([&]() -> awaitable<void> {
        for (auto const* c : clients)
            co_await const_cast<client*>(c)->ready(asio::use_awaitable);
        error_code ec;
        co_await red_lock(clients, "r", {.node_timeout = 1s, .trust_new_nodes = true}).acquire(redirect(ec));
        CHECK(ec == errc::invalid_option);
        CHECK(clients.front()->last_failure().message.find("one server") != std::string::npos);
    });
}

TEST_CASE(
    "fencing tokens of a red_lock grow while minorities of its servers stop or restart empty", "[red_lock][fencing]")
{
    five f;
    f.here.run([&]() -> awaitable<void> {
        co_await f.ready();
        // Restarted servers count at once, so that all majorities occur: a server without its counter uses its clock.
        red_lock lock(f.clients, "r", {.fencing = true, .node_timeout = 500ms, .trust_new_nodes = true});
        std::uint64_t last = 0;
        for (unsigned i = 0; i < 20; ++i) {
            auto& one = f.servers[i % count];
            auto& other = f.servers[(i + 2) % count];
            i % 4 == 3 ? one.restart() : one.freeze();
            other.freeze();
            auto l = co_await lock.acquire();
            CHECK(l.fencing_token() > last);
            last = l.fencing_token().value_or(0);
            one.thaw();
            other.thaw();
            co_await l.release();
        }
    });
}

TEST_CASE(
    "when a majority loses its keys early, a fence_gate refuses the first of the two holders", "[red_lock][fencing]")
{
    five f;
    std::vector<client const*> others;
    for (auto& s : f.servers)
        others.push_back(&f.here.client(live::quick(s.url())));
    f.here.run([&]() -> awaitable<void> {
        co_await f.ready();
        constexpr red_options options{.fencing = true, .node_timeout = 500ms, .trust_new_nodes = true};
        auto stale = co_await red_lock(f.clients, "r", options).acquire();
        // A majority ends the round. A member that grants later would keep its key, and block the other holder.
        for (auto& s : f.servers)
            CHECK(co_await comes_true([&] { return s.command({"EXISTS", "r"}).integer == 1; }));
        for (unsigned i = 0; i < 3; ++i)
            f.servers[i].command({"DEL", "r"});
        auto fresh = co_await red_lock(others, "r", options).acquire();
        CHECK(fresh.valid());
        fence_gate gate;
        CHECK(gate.pass(fresh.fencing_token().value_or(0)));
        CHECK_FALSE(gate.pass(stale.fencing_token().value_or(0)));
    });
}

// On a busy machine the replies may need more than a millisecond. Then a try ends as no_quorum, or as busy for a
// multi_lock.
template <class Lock>
awaitable<void> check_shortest_wait(std::deque<redis_server>& servers, Lock lock)
{
    auto const is_free = [&] {
        return std::ranges::all_of(servers, [](auto& s) { return s.command({"EXISTS", "r", "m"}).integer == 0; });
    };
    int granted = 0;
    auto const end = steady_clock::now() + time_limit;
    while (granted != 30 && steady_clock::now() < end) {
        error_code ec;
        auto l = co_await lock.try_acquire({.wait = 1ms}, redirect(ec));
        CAPTURE(ec.message());
        CHECK((!ec || ec == errc::no_quorum));
        granted += l.valid() ? 1 : 0;
        co_await l.release(redirect(ec));
        bool const is_over = co_await comes_true(is_free);
        REQUIRE(is_over);
    }
    CHECK(granted == 30);
}

TEST_CASE("a free red_lock is granted with a wait of 1 ms, alone and as a member of a multi_lock", "[red_lock]")
{
    std::deque<redis_server> servers(3);
    live here;
    std::vector<client const*> clients;
    for (auto& s : servers)
        clients.push_back(&here.client(live::quick(s.url())));
    here.run([&]() -> awaitable<void> {
        for (auto const* c : clients)
            co_await const_cast<client*>(c)->ready(asio::use_awaitable);
        red_lock const lock(clients, "r", trusting);
        co_await check_shortest_wait(servers, lock);
        co_await check_shortest_wait(servers, multi_lock(lock, mutex(*clients[0], "m")));
    });
}

// A context with clients of three servers, two for each server, as if of two processes.
struct mortal {
    mortal()
    {
        for (int i = 0; i < 6; ++i) {
            auto c = live::quick("memory://node" + std::to_string(i % 3));
            c.log = [](log_level, std::string_view) {};
            clients.emplace_back(*context, std::move(c)).run(asio::detached);
        }
    }

    std::vector<client const*> of(std::size_t process) const
    {
        auto const first = 3 * process;
        return {&clients[first], &clients[first + 1], &clients[first + 2]};
    }

    std::unique_ptr<asio::io_context> context = std::make_unique<asio::io_context>();
    std::deque<client> clients;
};

TEST_CASE("waiters of a red_lock are destroyed with their context, at any point of the wait", "[red_lock][lifetimes]")
{
    bool const context_first = GENERATE(true, false);
    auto const steps = GENERATE(range(0, 80, 3), values({100, 400}));
    CAPTURE(context_first, steps);
    auto const witness = std::make_shared<int>(0);
    bool called = false;
    {
        mortal m;
        lease held;
        red_lock(m.of(0), "r", trusting).acquire([&](error_code, lease l) { held = std::move(l); });
        auto const end = steady_clock::now() + time_limit;
        while (held.empty() && steady_clock::now() < end)
            m.context->run_one_for(10ms);
        REQUIRE(held.valid());
        for (int i = 0; i < 5; ++i)
            red_lock(m.of(1), "r", trusting).acquire([&called, witness](error_code, lease) { called = true; });
        for (int i = 0; i < steps; ++i)
            m.context->run_one_for(1ms);
        if (context_first)
            m.context.reset();
        else
            m.clients.clear();
    }
    CHECK_FALSE(called);
    CHECK(witness.use_count() == 1);
}

TEST_CASE(
    "the median time of an acquire is measured for a mutex, a red_lock and a multi_lock",
    "[red_lock][multi_lock][figures]")
{
    five f;
    f.here.run([&]() -> awaitable<void> {
        co_await f.ready();
        auto slowest = 0ns;
        for (auto const* c : f.clients)
            slowest = std::max(slowest, co_await median_of_acquire(mutex(*c, "m")));
        auto const red = co_await median_of_acquire(red_lock(f.clients, "r", trusting));
        std::vector<any_lock> eight;
        for (int i = 0; i < 8; ++i)
            eight.emplace_back(mutex(*f.clients[0], "m" + std::to_string(i)));
        auto const one = co_await median_of_acquire(mutex(*f.clients[0], "m"));
        auto const multi = co_await median_of_acquire(multi_lock(eight));
        WARN(
            "median acquire: slowest mutex of five " << slowest / 1us << " us, red_lock " << red / 1us
                                                     << " us; one mutex " << one / 1us << " us, multi_lock of eight "
                                                     << multi / 1us << " us");
    });
}

}  // namespace
}  // namespace holdfast::test
