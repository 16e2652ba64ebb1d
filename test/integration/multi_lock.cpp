//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Dining philosophers, whose forks are mutexes on three servers: they acquire multi_locks in opposite orders, are
// cancelled at random moments and lose connections, beside contenders for red_locks over the three servers. No acquire
// is stuck, no fork has two holders, and nothing is left.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/cancellable_acquire.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::cancellation_type;

class table {
public:
    static constexpr std::size_t forks = 7;

    explicit table(std::uint64_t seed) : chance_(seed)
    {
        for (auto& p : processes_)
            for (std::size_t s = 0; s < servers_.size(); ++s) {
                auto c = live::quick(servers_[s].url());
                c.lease = long_lease;
                p[s] = &live_.client(std::move(c));
            }
    }

    live& loop() { return live_; }
    test::chance& luck() { return chance_; }

    static std::string name_of(std::size_t fork) { return "fork" + std::to_string(fork); }

    // Returns two to four neighbouring forks, in ascending or descending order.
    std::vector<std::size_t> choose()
    {
        std::vector<std::size_t> chosen(2 + chance_.below(3));
        std::generate(
            chosen.begin(), chosen.end(), [this, next = chance_.below(forks)]() mutable { return next++ % forks; });
        if (chance_.happens(0.5))
            std::ranges::reverse(chosen);
        return chosen;
    }

    any_lock lock_of(std::vector<std::size_t> const& chosen)
    {
        auto const& p = any_process();
        std::vector<any_lock> all;
        for (auto const f : chosen)
            all.emplace_back(mutex(*p[f % p.size()], name_of(f)));
        return multi_lock(all);
    }

    // One of two over all servers.
    any_lock red()
    {
        auto const& p = any_process();
        return red_lock({p.begin(), p.end()}, "red" + std::to_string(chance_.below(2)), {.trust_new_nodes = true});
    }

    any_lock draw() { return chance_.happens(0.5) ? lock_of(choose()) : red(); }

    void disturb()
    {
        auto& server = servers_[chance_.below(servers_.size())];
        if (chance_.happens(0.3))
            server.command({"SCRIPT", "FLUSH"});
        else
            server.command({"CLIENT", "KILL", "TYPE", chance_.happens(0.5) ? "pubsub" : "normal", "SKIPME", "yes"});
    }

    void audit()
    {
        for (auto& p : processes_)
            for (auto* c : p) {
                CHECK(live_.until([&] { return c->stats().held == 0 && c->stats().waiting == 0; }));
                CHECK(live_.until([&] { return live::census(*c) == engine::client_engine::census{}; }));
            }
        for (auto& s : servers_) {
            CHECK(live_.until([&] { return s.command({"DBSIZE"}).integer == 0; }));
            CHECK(live_.until([&] { return s.command({"PUBSUB", "CHANNELS"}).items.empty(); }));
        }
    }

private:
    using process = std::array<client*, 3>;

    process const& any_process() { return processes_[chance_.below(processes_.size())]; }

    test::chance chance_;
    std::array<redis_server, 3> servers_;
    live live_;
    std::array<process, 3> processes_;
};

TEST_CASE(
    "multi_locks with members in opposite orders on three servers exclude each other, without deadlock", "[multi_lock]")
{
    constexpr int diners = 12;
    constexpr int meals = 40;
    table t(1);
    std::array<int, table::forks> in_use{};
    int done = 0;
    auto const dine = [&]() -> asio::awaitable<void> {
        for (int i = 0; i < meals; ++i) {
            auto const chosen = t.choose();
            auto l = co_await t.lock_of(chosen).acquire();
            CHECK(l.valid());
            for (auto const f : chosen)
                CHECK(++in_use[f] == 1);
            if (t.luck().happens(0.5))
                co_await sleep_for(1ms);
            for (auto const f : chosen)
                --in_use[f];
            co_await l.release();
        }
        ++done;
    };
    for (int i = 0; i < diners; ++i)
        t.loop().spawn(dine);
    CHECK(t.loop().until([&] { return done == diners; }, 4 * time_limit));
    t.audit();
}

class random_cancellations {
public:
    explicit random_cancellations(table& t) : table_(t) {}

    void run(long cancellations)
    {
        while (cancelled_ < cancellations) {
            while (attempts_.size() < 16)
                attempts_[++last_].start(table_.draw());
            table_.loop().context().restart();
            table_.loop().context().run_one_for(1ms);
            touch_one();
            if (table_.luck().happens(0.001))
                table_.disturb();
        }
        CHECK(table_.loop().until([&] { return is_over(); }));
    }

    long cancelled() const { return cancelled_; }
    long granted() const { return granted_; }

private:
    void touch_one()
    {
        auto const first = attempts_.begin()->first;
        auto const found = attempts_.lower_bound(first + table_.luck().below(last_ - first + 1));
        auto& a = found->second;
        if (a.done) {
            if (!a.is_plausible())
                FAIL_CHECK("ended with " << a.ec.message());
            granted_ += !a.got.empty();
            attempts_.erase(found);
        } else if (!a.was_cancelled && table_.luck().happens(0.1)) {
            static constexpr cancellation_type types[] = {
                cancellation_type::terminal, cancellation_type::partial, cancellation_type::total};
            ++cancelled_;
            a.cancel(types[table_.luck().below(3)]);
        }
    }

    bool is_over()
    {
        for (auto& [number, a] : attempts_)
            if (!a.done && !a.was_cancelled)
                a.cancel(cancellation_type::terminal);
        std::erase_if(attempts_, [](auto const& entry) { return entry.second.done; });
        return attempts_.empty();
    }

    table& table_;
    std::map<std::uint64_t, cancellable_acquire> attempts_;
    std::uint64_t last_ = 0;
    long cancelled_ = 0;
    long granted_ = 0;
};

TEST_CASE(
    "multi_locks and red_locks that are cancelled at random moments leave nothing behind",
    "[multi_lock][red_lock][cancellation]")
{
    auto const* wanted = std::getenv("HOLDFAST_CANCELLATIONS");
    long const cancellations = wanted ? std::atol(wanted) : 3'000;
    table t(2);
    random_cancellations s(t);
    s.run(cancellations);
    CHECK(s.granted() > 0);
    t.audit();
    WARN(s.cancelled() << " cancelled, " << s.granted() << " granted");
}

}  // namespace
}  // namespace holdfast::test
