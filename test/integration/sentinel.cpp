//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// redis+sentinel:// and rediss+sentinel://: a failover under load, and sentinels that are down, or tell of a wrong
// master.

#include "support/sentinel.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/credentials.hpp>

#include "integration/storm.hpp"
#include "support/acknowledged.hpp"
#include "support/all_kinds.hpp"
#include "support/certificates.hpp"
#include "support/child_program.hpp"
#include "support/live.hpp"
#include "support/tls_port.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// What a client may do in the time of a storm.
constexpr int most_connections = 30;

// A master with two replicas, and three sentinels, of which two must agree.
class watched_master {
public:
    watched_master()
    {
        for (std::size_t i = 0; i != 3; ++i)
            servers_.push_back(std::make_unique<redis_server>(std::vector<std::string>{"repl-diskless-sync-delay 0"}));
        for (std::size_t i = 1; i != servers_.size(); ++i)
            servers_[i]->command({"REPLICAOF", "127.0.0.1", std::to_string(servers_[0]->port())});
        for (int i = 0; i != 3; ++i)
            sentinels_.push_back(std::make_unique<sentinel>(*servers_[0], sentinel_options{.quorum = 2}));
    }

    redis_server& master() { return *servers_.front(); }
    sentinel& watch(std::size_t i) { return *sentinels_.at(i); }
    std::string url() const
    {
        std::vector<std::string> hosts;
        for (auto const& s : sentinels_)
            hosts.push_back(s->host());
        return sentinel_url(hosts);
    }

    // All know of each other, so a majority can decide.
    bool is_ready()
    {
        return std::ranges::all_of(sentinels_, [](auto const& s) { return s->knows(3, 2); })
               && master().online_replicas() == 2;
    }
    bool has_failed_over()
    {
        return std::ranges::all_of(
            sentinels_, [&](auto const& s) { return s->announced() != servers_.front()->port(); });
    }
    std::int64_t connections() const
    {
        std::int64_t all = 0;
        for (auto const& s : sentinels_)
            all += s->connections();
        return all;
    }

private:
    std::vector<std::unique_ptr<redis_server>> servers_;
    std::vector<std::unique_ptr<sentinel>> sentinels_;
};

// Acquires and releases until it is told to end.
awaitable<void> contend(any_lock lock, bool const& enough, int& holds, int& inside, bool& overlapped)
{
    while (!enough) {
        error_code ec;
        auto held = co_await lock.try_acquire({.wait = 1s}, redirect(ec));
        if (held.empty())
            continue;
        overlapped = overlapped || ++inside > 1;
        ++holds;
        co_await sleep_for(5ms);
        --inside;
        co_await held.release(redirect(ec));
    }
}

awaitable<bool> is_granted(any_lock lock)
{
    auto const held = co_await lock.try_acquire();
    co_return !held.empty();
}

void outlast_failover(std::function<void(redis_server&)> const& fail, unsigned acknowledged_by = 0)
{
    watched_master all;
    live l;
    REQUIRE(l.until([&] { return all.is_ready(); }));
    auto options = live::quick(all.url());
    options.lease = 15s;
    options.acknowledged_by = acknowledged_by;
    auto& c = l.client(options);
    auto& other = l.client(options);
    l.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        auto const rivals = locks_of_all_kinds(other, {"a", "b", "c", "d", "e", "f"});
        for (auto const& lock : locks_of_all_kinds(c, {"a", "b", "c", "d", "e", "f"}))
            held.push_back(co_await acquire_acknowledged(lock));
        REQUIRE(held.size() >= 50);
        bool enough = false, overlapped = false;
        int holds = 0, running = 0, taken = 0;
        std::vector<int> inside(10);
        for (auto& n : inside)
            for (auto* const who : {&c, &other}) {
                auto const name = "contended " + std::to_string(&n - inside.data());
                l.spawn([&, who, name]() -> awaitable<void> {
                    ++running;
                    co_await contend(mutex(*who, name), enough, holds, n, overlapped);
                    --running;
                });
            }
        co_await sleep_for(1s);
        fail(all.master());
        CHECK(co_await comes_true([&] { return all.has_failed_over(); }));
        auto const before = holds;
        CHECK(co_await comes_true([&] { return holds > before + 100; }));
        co_await sleep_for(6s);  // more than a renewal of each lease
        CHECK(std::ranges::all_of(held, [](lease const& h) { return h.valid(); }));
        for (auto const& rival : rivals)
            taken += co_await is_granted(rival) ? 1 : 0;
        CHECK(taken == 6);  // the reads, which are shared
        enough = true;
        CHECK(co_await comes_true([&] { return running == 0; }));
        for (auto& h : held)
            co_await h.release();
        CHECK_FALSE(overlapped);
    });
    if (acknowledged_by > 0)  // otherwise contended grants that no replica has yet are lost with the master
        CHECK(c.stats().lost == 0);
    CHECK(all.connections() < 10 * most_connections);  // those of the sentinels among each other, too
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

TEST_CASE("54 renewed locks outlast the end of a master that sentinels replace", "[live][sentinel]")
{
    outlast_failover([](redis_server& master) { master.kill(); });
}

TEST_CASE("54 renewed locks outlast a master that freezes, and that sentinels replace", "[live][sentinel]")
{
    outlast_failover([](redis_server& master) { master.freeze(); });
}

TEST_CASE(
    "54 renewed locks outlast a failover if each grant needs an acknowledgement", "[live][sentinel][acknowledgement]")
{
    outlast_failover([](redis_server& master) { master.kill(); }, 1);
}

// The former master is well: it goes on granting locks for ten seconds, until the sentinels demote it.
TEST_CASE(
    "a planned failover of a healthy master leaves no client behind, and makes no two holders", "[live][sentinel]")
{
    watched_master all;
    live l;
    REQUIRE(l.until([&] { return all.is_ready(); }));
    auto& c = l.client(live::quick(all.url()));
    l.run([&]() -> awaitable<void> {
        auto kept = co_await mutex(c, "kept").acquire();
        REQUIRE(all.master().online_replicas() == 2);
        CHECK(all.watch(0).fail_over());
        CHECK(co_await comes_true([&] { return c.stats().connections >= 2; }));
        CHECK(all.master().info("role") == "master");
        // The witness, which has never known another master.
        auto& later = l.client(live::quick(all.url()));
        CHECK((co_await mutex(later, "kept").try_acquire()).empty());
        auto held = co_await mutex(c, "m").acquire();
        CHECK((co_await mutex(later, "m").try_acquire()).empty());
        CHECK(all.master().command({"EXISTS", "m"}).integer == 0);
        CHECK(kept.valid());
        co_await held.release();
        co_await kept.release();
    });
    CHECK(c.stats().lost == 0);
}

// At the former master no replica is left, so a client that stayed there would renew nothing for ten seconds.
TEST_CASE(
    "short leases outlast a planned failover of a healthy master if each grant needs an acknowledgement",
    "[live][sentinel][acknowledgement]")
{
    watched_master all;
    live l;
    REQUIRE(l.until([&] { return all.is_ready(); }));
    auto options = live::quick(all.url());
    options.lease = 8s;
    options.acknowledged_by = 1;
    auto& c = l.client(options);
    l.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (auto const& lock : locks_of_all_kinds(c, {"a", "b"}))
            held.push_back(co_await acquire_acknowledged(lock));
        bool const has_begun = co_await comes_true([&] { return all.watch(0).fail_over(); });
        REQUIRE(has_begun);
        CHECK(co_await comes_true([&] { return all.has_failed_over(); }));
        auto next = co_await acquire_acknowledged(mutex(c, "new"));
        // Longer than a lease, and than the former master is one.
        co_await sleep_for(options.lease + 4s);
        CHECK(std::ranges::all_of(held, [](lease const& h) { return h.valid(); }));
        auto& later = l.client(options);
        CHECK((co_await mutex(later, "new").try_acquire({.wait = 100ms})).empty());
        for (auto& h : held)
            co_await h.release();
        co_await next.release();
    });
    CHECK(c.stats().lost == 0);
}

// A master, a replica and three sentinels, each of which is replaced by another one at another address. The clients know
// the addresses of the sentinels that come.
class renewed_servers {
public:
    renewed_servers()
    {
        for (auto& p : ports_)
            p = free_port();
        add_replica();
        add_replica();
        for (unsigned i = 0; i != 3; ++i)
            add_sentinel();
    }

    redis_server& master() { return *servers_.front(); }
    std::string url() const
    {
        std::vector<std::string> hosts;
        for (auto const p : ports_)
            hosts.push_back("127.0.0.1:" + std::to_string(p));
        return sentinel_url(hosts);
    }
    // All know of each other.
    bool is_ready(std::size_t replicas)
    {
        auto const all = static_cast<unsigned>(sentinels_.size());
        return std::ranges::all_of(sentinels_, [&](auto const& s) { return s->knows(all, replicas); })
               && master().online_replicas() == static_cast<int>(replicas);
    }

    // The first one is the master.
    void add_replica()
    {
        servers_.push_back(std::make_unique<redis_server>(std::vector<std::string>{"repl-diskless-sync-delay 0"}));
        if (servers_.size() > 1)
            servers_.back()->command({"REPLICAOF", "127.0.0.1", std::to_string(master().port())});
    }
    void end_server(std::size_t i)
    {
        servers_.erase(servers_.begin() + static_cast<std::ptrdiff_t>(i));
        forget();
    }
    void add_sentinel()
    {
        sentinels_.push_back(
            std::make_unique<sentinel>(master(), sentinel_options{.quorum = 2, .own_port = ports_.at(added_++)}));
    }
    void end_first_sentinel()
    {
        sentinels_.erase(sentinels_.begin());
        forget();
    }
    bool begin_failover() { return sentinels_.front()->fail_over(); }
    bool has_failed_over()
    {
        return std::ranges::all_of(sentinels_, [&](auto const& s) { return s->announced() != master().port(); });
    }

private:
    // What has ended must not count for a majority.
    void forget()
    {
        for (auto const& s : sentinels_)
            s->reset();
    }

    std::array<std::uint16_t, 6> ports_{};
    std::size_t added_ = 0;
    std::vector<std::unique_ptr<redis_server>> servers_;
    std::vector<std::unique_ptr<sentinel>> sentinels_;
};

TEST_CASE("master, replica and sentinels are replaced one by one, and every lock goes on", "[live][sentinel]")
{
    renewed_servers all;
    live l;
    REQUIRE(l.until([&] { return all.is_ready(1); }));
    auto options = live::quick(all.url());
    options.lease = 30s;
    options.acknowledged_by = 1;
    auto& c = l.client(options);
    auto& other = l.client(options);
    l.run([&]() -> awaitable<void> {
        auto kept = co_await acquire_acknowledged(mutex(c, "kept"));
        bool enough = false, overlapped = false;
        int holds = 0, running = 0, inside = 0;
        for (auto* const who : {&c, &other})
            l.spawn([&, who]() -> awaitable<void> {
                ++running;
                co_await contend(mutex(*who, "contended"), enough, holds, inside, overlapped);
                --running;
            });
        auto const are_served = [&]() -> awaitable<bool> {
            auto const before = holds;
            co_return co_await comes_true([&] { return holds > before + 20; });
        };
        bool goes_on = co_await are_served();
        CHECK(goes_on);
        // The replica.
        all.add_replica();
        REQUIRE(co_await comes_true([&] { return all.is_ready(2); }));
        all.end_server(1);
        REQUIRE(co_await comes_true([&] { return all.is_ready(1); }));
        goes_on = co_await are_served();
        CHECK(goes_on);
        // The sentinels.
        for (int i = 0; i != 3; ++i) {
            all.add_sentinel();
            REQUIRE(co_await comes_true([&] { return all.is_ready(1); }));
            all.end_first_sentinel();
            REQUIRE(co_await comes_true([&] { return all.is_ready(1); }));
            goes_on = co_await are_served();
            CHECK(goes_on);
        }
        // The master: a planned failover to the new replica, which gets one of its own.
        bool const has_begun = co_await comes_true([&] { return all.begin_failover(); });
        REQUIRE(has_begun);
        REQUIRE(co_await comes_true([&] { return all.has_failed_over(); }));
        all.end_server(0);
        all.master().reconnect();
        all.add_replica();
        REQUIRE(co_await comes_true([&] { return all.is_ready(1); }));
        goes_on = co_await are_served();
        CHECK(goes_on);
        // The witness, which has never known another server.
        auto& later = l.client(options);
        CHECK((co_await mutex(later, "kept").try_acquire({.wait = 100ms})).empty());
        CHECK(kept.valid());
        enough = true;
        CHECK(co_await comes_true([&] { return running == 0; }));
        CHECK_FALSE(overlapped);
        co_await kept.release();
        auto next = co_await acquire_acknowledged(mutex(later, "kept"));
        co_await next.release();
    });
    CHECK(c.stats().lost == 0);
}

// ---- credentials of the sentinels

// A user who may do what the documentation says.
sentinel_options with_user(std::string const& password)
{
    return {
        .own_password = "of-the-test",
        .lines = {
            "user watch on >" + password
            + " &+switch-master &+promoted-slave +ping +subscribe +sentinel|master +sentinel|get-master-addr-by-name"}};
}

TEST_CASE("sentinels get the credentials of a provider, and a refusal leads to others", "[live][sentinel][credentials]")
{
    redis_server master;
    sentinel first(master, with_user("hunter2")), second(master, with_user("hunter2"));
    live l;
    auto options = live::quick(sentinel_url({first.host(), second.host()}));
    std::vector<bool> refusals;
    options.sentinel_credentials = [&](credentials_request what, credentials_handler done) {
        refusals.push_back(what.is_refused);
        done({"watch", what.is_refused ? "hunter2" : "hunter1"});
    };
    auto& c = l.client(options);
    l.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "m").acquire();
        CHECK(master.command({"EXISTS", "m"}).integer == 1);
        co_await held.release();
    });
    REQUIRE(refusals.size() >= 2);
    CHECK_FALSE(refusals[0]);
    CHECK(refusals[1]);
    CHECK(l.lines_with("WRONGPASS") >= 1);
    CHECK(l.lines_with("hunter") == 0);
}

TEST_CASE(
    "a password of the sentinels that is replaced is found at the next connection", "[live][sentinel][credentials]")
{
    redis_server master, other;
    sentinel watch(master, with_user("first"));
    live l;
    std::string password = "first";
    auto options = live::quick(sentinel_url({watch.host()}));
    options.sentinel_credentials = [&](credentials_request, credentials_handler done) { done({"watch", password}); };
    auto& c = l.client(options);
    l.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "m").acquire();
        password = "second";
        watch.command({"ACL", "SETUSER", "watch", "resetpass", ">second"});
        watch.command({"CLIENT", "KILL", "USER", "watch"});
        CHECK(co_await comes_true([&] { return has(watch.command({"CLIENT", "LIST"}).text, "user=watch"); }));
        CHECK(held.valid());
        CHECK(c.stats().connections == 1);
        co_await held.release();
        watch.announce(other.port());
        CHECK(co_await comes_true([&] { return c.stats().connections == 2; }));
        auto there = co_await mutex(c, "m").acquire();
        CHECK(other.command({"EXISTS", "m"}).integer == 1);
        co_await there.release();
    });
}

TEST_CASE("the name of a master that no sentinel knows is reported, without a storm", "[live][sentinel]")
{
    redis_server master;
    sentinel watch(master);
    live l;
    auto& c = l.client("redis+sentinel://" + watch.host() + "/another");
    auto const before = watch.connections();
    l.run([&]() -> awaitable<void> {
        auto const ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(has(c.last_failure().message, "master 'another'"));
        CHECK(has(c.last_failure().message, "it does not know the master"));
    });
    CHECK(watch.connections() - before < most_connections);
    CHECK(l.lines_with("no connection to") == 1);
}

TEST_CASE("sentinels that are all down are reported, without a storm of log lines", "[live][sentinel]")
{
    live l;
    auto& c = l.client(
        sentinel_url({"127.0.0.1:" + std::to_string(free_port()), "127.0.0.1:" + std::to_string(free_port())}));
    l.run([&]() -> awaitable<void> {
        auto const ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(has(c.last_failure().message, "Connection refused"));
    });
    CHECK(l.lines_with("no connection to") == 1);
}

TEST_CASE("a sentinel that tells of a wrong master for a while costs time only", "[live][sentinel]")
{
    redis_server master;
    redis_server replica;
    replica.command({"REPLICAOF", "127.0.0.1", std::to_string(master.port())});
    sentinel watch(master);
    live l;
    bool follows = false;
    l.run([&]() -> awaitable<void> {
        follows = co_await comes_true([&] { return replica.info("master_link_status") == "up"; });
    });
    REQUIRE(follows);
    for (auto const wrong : {free_port(), replica.port()}) {
        watch.announce(wrong);
        auto& c = l.client(sentinel_url({watch.host()}));
        auto const before = watch.connections();
        l.run([&]() -> awaitable<void> {
            auto const ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = storm_time}));
            CHECK(ec == errc::unavailable);
            CHECK(has(c.last_failure().message, wrong == replica.port() ? "that is a replica" : "refused"));
            CHECK(watch.connections() - before < most_connections);
            watch.announce(master.port());
            auto held = co_await mutex(c, "m").acquire();
            CHECK(master.command({"EXISTS", "m"}).integer == 1);
            co_await held.release();
        });
        CHECK(c.stats().lost == 0);
    }
    bool same = false;  // the replica has run what it has replicated, and nothing else
    l.run([&]() -> awaitable<void> {
        same = co_await comes_true([&] { return replica.calls("set") == master.calls("set"); });
    });
    CHECK(same);
}

TEST_CASE("what was released before a failover is released at the new master, too", "[live][sentinel]")
{
    redis_server master, replica;
    replica.command({"REPLICAOF", "127.0.0.1", std::to_string(master.port())});
    sentinel watch(master);
    live l;
    auto options = live::quick(sentinel_url({watch.host()}));
    options.lease = long_lease;
    auto& a = l.client(options);
    auto& b = l.client(options);
    auto const make = [](client& c) -> std::vector<any_lock> {
        return {
            mutex(c, "m"),
            fair_lock(c, "f"),
            semaphore(c, "s", {.permits = 1, .fair = true}),
            read_write_lock(c, "w").write()};
    };
    l.run([&]() -> awaitable<void> {
        CHECK(co_await comes_true([&] { return replica.info("master_link_status") == "up"; }));
        std::vector<lease> held;
        std::size_t ended = 0;
        for (auto const& lock : make(a))
            held.push_back(co_await lock.acquire());
        for (auto const& lock : make(b))
            l.spawn([lock, &ended]() -> awaitable<void> {
                auto mine = co_await lock.acquire();
                co_await mine.release();
                ++ended;
            });
        // The replica has all grants, and the places of those that wait.
        CHECK(co_await comes_true([&] {
            return replica
                       .command(
                           {"EXISTS",
                            "m",
                            "f",
                            "{s}:timeout",
                            "w",
                            "redisson_lock_queue:{f}",
                            "holdfast_permit_queue:{s}"})
                       .integer
                   == 6;
        }));
        replica.command({"REPLICAOF", "127.0.0.1", std::to_string(free_port())});
        for (auto& h : held)
            co_await h.release();
        CHECK(co_await comes_true([&] { return ended == held.size(); }));
        replica.command({"REPLICAOF", "NO", "ONE"});
        watch.announce(replica.port());
        master.kill();
        for (auto const& lock : make(l.client(options))) {
            INFO(lock.name());
            auto const granted = co_await lock.try_acquire({.wait = 10s});
            CHECK(granted.valid());
        }
    });
    CHECK(a.stats().lost + b.stats().lost == 0);
}

// ---- TLS

struct tls_master {
    explicit tls_master(std::string const& names)
    {
        auto const own = authority.sign("node", names);
        auto lines = tls_lines(port, authority, own);
        lines.emplace_back("tls-auth-clients no");
        master.emplace(lines);
        auto of_sentinel = tls_lines(sentinel_port, authority, own);
        of_sentinel.insert(of_sentinel.end(), {"tls-auth-clients no", "tls-replication yes"});
        watch.emplace(*master, sentinel_options{.port = sentinel_port, .master_port = port, .lines = of_sentinel});
    }

    config trusting(std::vector<std::string> const& hosts) const
    {
        auto options = live::quick(sentinel_url(hosts, "rediss+sentinel"));
        options.tls.ca_file = authority.ca_file();
        return options;
    }

    certificates authority;
    std::uint16_t const port = tls_port();
    std::uint16_t const sentinel_port = tls_port();
    std::optional<redis_server> master;
    std::optional<sentinel> watch;
};

TEST_CASE("rediss+sentinel:// uses TLS to the sentinels and to the master", "[live][sentinel][tls]")
{
    tls_master all("DNS:localhost,IP:127.0.0.1");
    auto const down = "localhost:" + std::to_string(free_port());
    for (auto const& hosts : {std::vector{all.watch->host()}, std::vector{down, all.watch->host()}}) {
        live l;
        auto& c = l.client(all.trusting(hosts));
        l.run([&]() -> awaitable<void> {
            auto held = co_await mutex(c, "m").acquire();
            CHECK(all.master->command({"EXISTS", "m"}).integer == 1);
            co_await held.release();
        });
    }
}

TEST_CASE("a sentinel with the certificate of another host is not asked", "[live][sentinel][tls]")
{
    tls_master all("DNS:elsewhere");
    auto const down = "localhost:" + std::to_string(free_port());
    for (auto const& hosts : {std::vector{all.watch->host()}, std::vector{down, all.watch->host()}}) {
        live l;
        auto& c = l.client(all.trusting(hosts));
        l.run([&]() -> awaitable<void> {
            auto const ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = 2s}));
            CHECK(ec == errc::unavailable);
            CHECK(has(c.last_failure().message, hosts.front() + ": "));
        });
        CHECK(all.master->calls("hello") == 0);
    }
    live l;
    auto options = all.trusting({all.watch->host()});
    options.tls.server_name = "elsewhere";
    auto& c = l.client(options);
    l.run([&]() -> awaitable<void> { co_await (co_await mutex(c, "m").acquire()).release(); });
}

TEST_CASE("TLS at one side only is reported, to sentinels as to servers", "[live][sentinel][tls]")
{
    tls_master all("DNS:localhost,IP:127.0.0.1");
    redis_server plain;
    sentinel watch(plain);
    live l;
    auto& encrypts = l.client(all.trusting({watch.host()}));
    auto& does_not = l.client(sentinel_url({all.watch->host()}));
    l.run([&]() -> awaitable<void> {
        error_code ec = co_await failure_of(mutex(encrypts, "m").try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(has(encrypts.last_failure().message, "no reply in time"));
        ec = co_await failure_of(mutex(does_not, "m").try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(has(does_not.last_failure().message, "does it expect TLS at this port?"));
    });
}

}  // namespace
}  // namespace holdfast::test
