//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// An acquire is cancelled at every possible point, and leaves nothing behind: no key, no subscription, no waiter, no
// deadline.

#include <cstdlib>
#include <deque>
#include <map>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/cancellable_acquire.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::cancellation_type;

enum class kind { mutex, fenced, reentrant };

any_lock make_lock(client& c, kind k, std::string_view name)
{
    switch (k) {
        case kind::mutex: return mutex(c, name);
        case kind::fenced: return mutex(c, name, {.fencing = true});
        default: return reentrant_lock(c, name, c.make_owner());
    }
}

bool is_counter(std::string const& key)
{
    return key.starts_with("holdfast_fence:") || key.starts_with("redisson_lock_token:");
}

std::vector<std::string> leftover_keys(redis_server& server)
{
    std::vector<std::string> keys;
    for (auto const& k : server.command({"KEYS", "*"}).items)
        if (!is_counter(k.text))
            keys.push_back(k.text);
    return keys;
}

// Checks that nothing is left, on the server or in the clients, after subscriptions have ended. `until` runs the loops.
template <class Until>
void audit(Until until, redis_server& server, std::initializer_list<client*> clients)
{
    for (auto* c : clients) {
        CHECK(until([&] { return c->stats().held == 0 && c->stats().waiting == 0; }));
        CHECK(until([&] { return live::census(*c) == engine::client_engine::census{}; }));
        CHECK(c->stats().abandoned == 0);
    }
    CHECK(until([&] { return leftover_keys(server).empty(); }));
    CHECK(leftover_keys(server) == std::vector<std::string>{});
    CHECK(until([&] { return server.command({"PUBSUB", "CHANNELS"}).items.empty(); }));
}

config with_long_lease(std::string url)
{
    auto c = live::quick(std::move(url));
    c.lease = long_lease;
    return c;
}

// The holder of the lock when the acquire begins; it releases the lock when the acquire waits.
enum class scene { nobody, other_process, same_process };

// Runs one handler at a time, cancels the acquire after the k-th, and checks that nothing is left behind.
class enumeration {
public:
    enumeration(kind k, scene s, cancellation_type t) : kind_(k), scene_(s), type_(t)
    {
        subject_loop_.client(with_long_lease(server_.url()));
        other_loop_.client(with_long_lease(server_.url()));
        subject_loop_.run(subject().ready(asio::use_awaitable));
        other_loop_.run(other().ready(asio::use_awaitable));
    }

    // False: the acquire was over before the k-th handler, so there are no more points.
    bool cancel_after(int k)
    {
        settle();
        any_lock const lock = make_lock(subject(), kind_, "it");
        lease held = hold();
        cancellable_acquire a;
        a.start(lock);
        int handlers = 0;
        while (handlers < k && !a.done) {
            subject_loop_.context().restart();
            if (subject_loop_.context().run_one_for(20ms) != 0)
                ++handlers;
            else if (!held.empty())
                let_go(held);
        }
        bool const was_over = a.done;
        if (!was_over)
            a.cancel(type_);
        CHECK(subject_loop_.until([&] { return a.done; }));
        CHECK(a.is_plausible());
        bool const got = !a.got.empty();
        CHECK(got == !a.ec);
        if (got)
            CHECK(a.got.valid());
        a.got = {};
        if (!held.empty())
            let_go(held);
        others_get_it();
        return !was_over;
    }

    void audit()
    {
        test::audit([this](auto holds) { return pump(holds); }, server_, {&subject(), &other()});
    }

private:
    client& subject() { return subject_loop_.at(0); }
    client& other() { return other_loop_.at(0); }

    template <class Predicate>
    bool pump(Predicate holds)
    {
        auto const end = std::chrono::steady_clock::now() + time_limit;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            for (auto* l : {&subject_loop_, &other_loop_}) {
                l->context().restart();
                l->context().run_one_for(1ms);
            }
        }
        return true;
    }

    // Runs all handlers that are ready.
    void settle()
    {
        subject_loop_.context().restart();
        subject_loop_.context().poll();
    }

    lease take(client& c)
    {
        cancellable_acquire a;
        a.start(make_lock(c, kind_, "it"));
        auto const begin = std::chrono::steady_clock::now();
        REQUIRE(pump([&] { return a.done; }));
        REQUIRE_FALSE(a.ec);
        CHECK(std::chrono::steady_clock::now() - begin < long_lease / 2);
        return std::move(a.got);
    }

    lease hold()
    {
        switch (scene_) {
            case scene::other_process: return take(other());
            case scene::same_process: return take(subject());
            default: return {};
        }
    }

    // Releases the lock without running handlers of the subject.
    void let_go(lease& held)
    {
        bool released = scene_ == scene::same_process;
        if (released)
            held = {};
        else
            held.release([&](error_code ec) {
                CHECK_FALSE(ec);
                released = true;
            });
        CHECK(other_loop_.until([&] { return released; }));
    }

    void others_get_it()
    {
        auto l = take(other());
        bool released = false;
        l.release([&](error_code ec) {
            CHECK_FALSE(ec);
            released = true;
        });
        CHECK(pump([&] { return released; }));
    }

    kind kind_;
    scene scene_;
    cancellation_type type_;
    redis_server server_;
    live subject_loop_;
    live other_loop_;
};

TEST_CASE("an acquire that is cancelled at any point leaves nothing behind", "[cancellation]")
{
    auto const k = GENERATE(kind::mutex, kind::fenced, kind::reentrant);
    auto const s = GENERATE(scene::nobody, scene::other_process, scene::same_process);
    auto const type = GENERATE(cancellation_type::terminal, cancellation_type::partial, cancellation_type::total);
    CAPTURE(k, s, type);
    enumeration e(k, s, type);
    int points = 0;
    while (e.cancel_after(points)) {
        ++points;
        REQUIRE(points < 1000);
    }
    CHECK(points >= 3);
    e.audit();
}

// Many acquires of many locks at once, by two clients. Each is cancelled, released or neither, at random.
class storm {
public:
    storm(redis_server& server, live& l, std::uint64_t seed) : server_(server), live_(l), chance_(seed)
    {
        for (auto& c : clients_)
            c = &l.client(with_long_lease(server.url()));
    }

    void run(long cancellations)
    {
        while (cancelled_ < cancellations) {
            while (attempts_.size() < 300)
                begin_one();
            live_.context().restart();
            live_.context().run_one_for(1ms);
            touch_one();
            if (chance_.happens(0.001))
                disturb();
        }
        auto const has_ended = [&] {
            for (auto& [number, a] : attempts_)
                if (!a.done && !a.was_cancelled)
                    a.cancel(cancellation_type::terminal);
            std::erase_if(attempts_, [](auto const& entry) { return entry.second.done; });
            return attempts_.empty();
        };
        CHECK(live_.until(has_ended));
    }

    // A third process gets each of the locks, without waiting for an expiry.
    void others_get_all()
    {
        auto& third = live_.client(with_long_lease(server_.url()));
        for (int i = 0; i < locks; ++i) {
            cancellable_acquire a;
            a.start(make_lock(third, kind_of(i), name_of(i)));
            CHECK(live_.until([&] { return a.done; }));
            CHECK_FALSE(a.ec);
        }
        audit([this](auto holds) { return live_.until(holds); }, server_, {clients_[0], clients_[1], &third});
    }

    long cancelled() const { return cancelled_; }
    long granted() const { return granted_; }
    long kills() const { return kills_; }

private:
    static constexpr int locks = 12;

    static kind kind_of(int i) { return static_cast<kind>(i % 3); }
    static std::string name_of(int i) { return "lock" + std::to_string(i); }

    void begin_one()
    {
        auto const i = static_cast<int>(chance_.below(locks));
        auto& c = *clients_[chance_.below(clients_.size())];
        auto& a = attempts_[++last_];
        // Neither wait ends before the test does: no acquire completes as busy.
        auto const lock = make_lock(c, kind_of(i), name_of(i));
        if (chance_.happens(0.5))
            lock.try_acquire({.wait = long_lease}, a.handler());
        else
            a.start(lock);
    }

    // Cancels a random acquire that is under way, or releases the lease of one that has ended.
    void touch_one()
    {
        auto found = attempts_.lower_bound(
            chance_.below(static_cast<std::uint64_t>(last_ - attempts_.begin()->first + 1)) + attempts_.begin()->first);
        if (found == attempts_.end())
            return;
        auto& a = found->second;
        if (!a.done) {
            if (a.was_cancelled)
                return;
            static constexpr cancellation_type types[] = {
                cancellation_type::terminal, cancellation_type::partial, cancellation_type::total};
            ++cancelled_;
            return a.cancel(types[chance_.below(3)]);
        }
        if (!a.is_plausible())
            FAIL_CHECK("ended with " << a.ec.message());
        if (!a.got.empty()) {
            ++granted_;
            if (chance_.happens(0.5))
                a.got.release(asio::detached);
        }
        attempts_.erase(found);
    }

    void disturb()
    {
        if (chance_.happens(0.5))
            server_.command({"SCRIPT", "FLUSH"});
        else if (++kills_; chance_.happens(0.5))
            server_.command({"CLIENT", "KILL", "TYPE", "pubsub"});
        else
            server_.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    }

    redis_server& server_;
    live& live_;
    chance chance_;
    std::array<client*, 2> clients_;
    std::map<std::uint64_t, cancellable_acquire> attempts_;
    std::uint64_t last_ = 0;
    long cancelled_ = 0;
    long granted_ = 0;
    long kills_ = 0;
};

TEST_CASE("acquires that are cancelled at random moments leave nothing behind", "[cancellation]")
{
    auto const* wanted = std::getenv("HOLDFAST_CANCELLATIONS");
    long const cancellations = wanted ? std::atol(wanted) : 5'000;
    redis_server server;
    live l;
    storm s(server, l, 1);
    s.run(cancellations);
    s.others_get_all();
    CHECK(s.cancelled() >= cancellations);
    WARN(s.cancelled() << " cancelled, " << s.granted() << " granted, " << s.kills() << " times disconnected");
}

}  // namespace
}  // namespace holdfast::test
