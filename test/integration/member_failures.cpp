//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Servers of members fail in every way while multi_locks and red_locks are acquired. Afterwards no acquire is stuck,
// and nothing is left on any server or in the clients. HOLDFAST_MEMBER_FAILURES is the number of failures.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/cancellable_acquire.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"
#include "support/proxy.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t server_count = 5;
constexpr std::size_t lock_count = 12;  // of each server
constexpr std::size_t denied = 11;      // the one that access rules may forbid

enum class fault { killed, stopped, black_holed, disconnected, out_of_memory, denied, wrong_type };

std::string name_of(std::size_t lock)
{
    return lock == denied ? "denied" : "lock" + std::to_string(lock);
}

// A server behind a proxy, and its present fault.
class faulty_server {
public:
    std::string url() const { return way_.url(); }
    bool is_ill() const { return what_.has_value(); }
    simulated::value command(std::vector<std::string> const& words) { return server_.command(words); }

    void strike(fault what, std::string const& lock)
    {
        what_ = what;
        lock_ = lock;
        switch (what) {
            case fault::killed: server_.restart(); break;
            case fault::stopped: server_.freeze(); break;
            case fault::black_holed: way_.black_hole(); break;
            case fault::disconnected: command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}); break;
            case fault::out_of_memory: command({"CONFIG", "SET", "maxmemory", "1"}); break;
            case fault::denied: command({"ACL", "SETUSER", "default", "resetkeys", "~lock*"}); break;
            case fault::wrong_type:
                command({"DEL", lock});
                command({"RPUSH", lock, "somebody else's"});
                break;
        }
    }

    void heal()
    {
        switch (*what_) {
            case fault::stopped: server_.thaw(); break;
            case fault::black_holed: way_.heal(); break;
            case fault::out_of_memory: command({"CONFIG", "SET", "maxmemory", "0"}); break;
            case fault::denied: command({"ACL", "SETUSER", "default", "allkeys"}); break;
            case fault::wrong_type: command({"LPOP", lock_}); break;
            default: break;
        }
        what_.reset();
    }

private:
    redis_server server_;
    proxy way_{server_.socket_path()};
    std::optional<fault> what_;
    std::string lock_;
};

// The errors that an acquire may end with while its members fail.
bool is_plausible(cancellable_acquire const& a)
{
    if (a.ec == asio::error::operation_aborted)
        return a.is_plausible();
    static constexpr errc documented[] = {
        errc::unavailable, errc::no_quorum, errc::server_refused, errc::not_permitted, errc::wrong_type};
    return !a.ec || (a.got.empty() && std::ranges::find(documented, a.ec) != std::end(documented));
}

class hospital {
public:
    explicit hospital(std::uint64_t seed) : chance_(seed)
    {
        for (auto& process : processes_)
            for (auto const& s : servers_)
                process.push_back(&live_.client(config_of(s)));
    }

    void run(long failures)
    {
        while (failures_ < failures) {
            while (attempts_.size() < 48)
                begin_one();
            live_.context().restart();
            live_.context().run_one_for(1ms);
            live_.context().poll();
            touch_one();
            sweep();
            if (chance_.happens(0.6))
                touch_server();
        }
        for (auto& s : servers_)
            if (s.is_ill())
                s.heal();
    }

    // Waits for all acquires, those that were not cancelled included.
    void await_all()
    {
        auto const are_over = [&] {
            sweep();
            return attempts_.empty();
        };
        CHECK(live_.until(are_over, 2 * time_limit));
    }

    void audit()
    {
        for (auto& process : processes_)
            for (auto* c : process) {
                CHECK(live_.until([&] { return c->stats().held == 0 && c->stats().waiting == 0; }));
                CHECK(live_.until([&] { return live::census(*c) == engine::client_engine::census{}; }));
            }
        for (auto& s : servers_) {
            CHECK(live_.until([&] { return s.command({"DBSIZE"}).integer == 0; }));
            CHECK(live_.until([&] { return s.command({"PUBSUB", "CHANNELS"}).items.empty(); }));
        }
    }

    std::string summary() const
    {
        std::string all = std::to_string(failures_) + " failures, " + std::to_string(last_) + " acquires:";
        for (auto const& [how, times] : ends_)
            all += " " + how + " " + std::to_string(times) + ",";
        return all;
    }

    long granted() const { return ends_.contains("granted") ? ends_.at("granted") : 0; }

private:
    static config config_of(faulty_server const& s)
    {
        auto c = live::quick(s.url());
        c.command_timeout = 300ms;
        c.poll_interval = 200ms;
        c.log = [](log_level, std::string_view) {};
        return c;
    }

    // A key that access rules forbid cannot be released, and stays until its lease time ends. No other key may depend
    // on its lease time.
    static std::chrono::milliseconds lease_for(std::size_t lock) { return lock == denied ? 1s : 5min; }

    any_lock multi(std::size_t lock)
    {
        auto const& p = processes_[chance_.below(processes_.size())];
        std::vector<any_lock> all;
        auto const first = chance_.below(server_count);
        auto const count = 2 + chance_.below(3);
        for (std::size_t i = 0; i < count; ++i)
            all.emplace_back(mutex(*p[(first + i) % server_count], name_of(lock)));
        if (chance_.happens(0.5))
            std::ranges::reverse(all);
        return multi_lock(all);
    }

    any_lock red(std::size_t lock)
    {
        auto const& p = processes_[chance_.below(processes_.size())];
        return red_lock({p.begin(), p.end()}, name_of(lock), {.max_lease = 5min, .trust_new_nodes = true});
    }

    void begin_one()
    {
        auto const lock = chance_.below(lock_count);
        auto const what = chance_.happens(0.5) ? multi(lock) : red(lock);
        auto& a = attempts_[++last_];
        if (chance_.happens(0.5))
            what.acquire({.lease = lease_for(lock)}, a.handler());
        else
            what.try_acquire(
                {.wait = std::chrono::milliseconds(chance_.below(100)), .lease = lease_for(lock)}, a.handler());
    }

    void sweep()
    {
        std::erase_if(attempts_, [this](auto const& entry) { return is_over(entry.second); });
    }

    // Counts the result of an acquire that has ended.
    bool is_over(cancellable_acquire const& a)
    {
        if (!a.done)
            return false;
        if (!is_plausible(a))
            FAIL_CHECK("ended with " << a.ec.message());
        ++ends_[a.ec ? a.ec.message() : a.got.empty() ? "busy" : "granted"];
        return true;
    }

    // Cancels a waiting acquire from time to time.
    void touch_one()
    {
        auto const first = attempts_.begin()->first;
        auto& a = attempts_.lower_bound(first + chance_.below(last_ - first + 1))->second;
        if (a.done || a.was_cancelled || !chance_.happens(0.05))
            return;
        a.was_cancelled = true;
        a.signal.emit(asio::cancellation_type::total);
    }

    void touch_server()
    {
        auto& s = servers_[chance_.below(server_count)];
        if (s.is_ill())
            return s.heal();
        if (chance_.happens(0.5))
            return;  // so that a majority works most of the time
        s.strike(draw(), name_of(chance_.below(lock_count)));
        ++failures_;
    }

    // Most failures do not end the connection: otherwise the clients would do little more than reconnect.
    fault draw()
    {
        if (chance_.happens(0.9))
            return fault(4 + chance_.below(3));
        return chance_.happens(0.05) ? fault::killed : fault(1 + chance_.below(3));
    }

    chance chance_;
    std::array<faulty_server, server_count> servers_;
    live live_;
    std::array<std::vector<client*>, 2> processes_;
    std::map<std::uint64_t, cancellable_acquire> attempts_;
    std::uint64_t last_ = 0;
    long failures_ = 0;
    std::map<std::string, long> ends_;
};

TEST_CASE(
    "multi_locks and red_locks whose members fail in every way leave nothing behind",
    "[multi_lock][red_lock][failures]")
{
    auto const* wanted = std::getenv("HOLDFAST_MEMBER_FAILURES");
    hospital h(1);
    h.run(wanted ? std::atol(wanted) : 2'000);
    h.await_all();
    CHECK(h.granted() > 0);
    h.audit();
    WARN(h.summary());
}

}  // namespace
}  // namespace holdfast::test
