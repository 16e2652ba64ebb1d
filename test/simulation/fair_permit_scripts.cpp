//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of fair semaphores over the server model, in virtual time: two clients whose waiters arrive, die and give
// up, changed numbers of permits, lost counters, a server that stands still. No permits are granted past a live waiter
// that arrived before, none are lost or made, and the first waiter never waits for permits that are free.

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "simulation/fair_permit_server.hpp"
#include "support/chance.hpp"

namespace holdfast::test {
namespace {

using simulated::lua_engine;
namespace scripts = engine::scripts;

struct contender {
    std::string holder;
    std::int64_t weight;
    std::size_t client;
    bool is_dead = false;
    bool is_told = false;
    bool may_lose_place = false;
    std::int64_t valid_until = 0;
};

class fair_world {
    static constexpr auto usual_total = fair_permit_server::usual_total;
    static constexpr auto lease_ms = fair_permit_server::lease_ms;
    static constexpr auto counter = fair_permit_server::counter;
    static constexpr auto queue = fair_permit_server::queue;
    static constexpr auto waiters = fair_permit_server::waiters;

public:
    fair_world(std::shared_ptr<lua_engine> lua, std::uint64_t seed) : server_(std::move(lua)), chance_(seed) {}

    void go_on()
    {
        server_.now_ms += std::int64_t(chance_.below(400));
        switch (chance_.below(20)) {
            case 0: die(); break;
            case 1: stand_still(); break;
            case 2: set_permits(); break;
            case 3: lose_counter(); break;
            case 4: give_up(); break;
            case 5: force_release(); break;
            case 6:
            case 7:
            case 8:
            case 9:
            case 10: release(); break;
            case 11: try_once(); break;
            default: arrive();
        }
        serve_told();
        check();
        if (server_.now_ms - refreshed_ > 5'000)
            refresh();
    }

    // Nobody arrives any more: all that wait are served, and the queue is gone.
    void finish()
    {
        for (int i = 0; i != 200 && !waiting_.empty(); ++i) {
            server_.now_ms += 5'001;
            while (!held_.empty())
                release();
            std::erase_if(waiting_, [](contender const& c) { return c.is_dead; });
            refresh();
        }
        CHECK(waiting_.empty());
        // Those that died last may be passed by the first newcomer, and are removed for the next one by the end of two
        // timeouts, because nobody looked after the queue.
        for (int newcomers = 0; newcomers != 2; ++newcomers) {
            server_.now_ms += 2 * lease_ms;
            held_.clear();
            arrive();
            for (int i = 0; i != 8; ++i) {
                server_.now_ms += 5'001;
                refresh();
            }
        }
        CHECK((waiting_.empty() || total_ == 0));
        CHECK(server_.say({"EXISTS", queue, waiters}).integer == 0);
    }

    unsigned granted() const noexcept { return granted_; }

private:
    simulated::value ask(contender const& c, bool will_wait = true)
    {
        return server_.acquire(c.holder, c.weight, will_wait);
    }

    // Who asks for more than there are loses its place, and does not get it back when the number is raised.
    void note_total()
    {
        if (!server_.exists())
            total_ = usual_total;
        for (auto& c : waiting_)
            c.may_lose_place = c.may_lose_place || c.weight > total_;
    }

    // ---- what contenders do

    contender newcomer()
    {
        auto const client = chance_.below(2);
        auto const uuid = "6f1c1d0e-0000-8000-8000-00000000000" + std::to_string(client);
        return {
            .holder = uuid + ":" + std::to_string(++last_),
            .weight = std::int64_t(1 + chance_.below(3)),
            .client = client};
    }

    void arrive()
    {
        waiting_.push_back(newcomer());
        server_.listen(waiting_.back().holder);
        attempt(waiting_.size() - 1);
    }

    void attempt(std::size_t at)
    {
        auto c = waiting_[at];
        waiting_[at].is_told = false;
        note_total();
        auto const reply = ask(c);
        // The reply is lost at times: the contender asks again.
        auto const again = chance_.happens(0.2) ? ask(c) : reply;
        CHECK(again.is_nil() == reply.is_nil());
        if (reply.is_nil())
            return granted(at);
        CHECK(reply.items.at(2).integer == total_);
        if (reply.items.at(1).integer == -2) {
            CHECK(c.weight > total_);
            waiting_.erase(waiting_.begin() + std::ptrdiff_t(at));
        } else
            CHECK(c.weight <= total_);
    }

    void granted(std::size_t at)
    {
        ++granted_;
        for (std::size_t i = 0; i != at; ++i)
            if (!waiting_[i].is_dead && !waiting_[i].may_lose_place)
                FAIL_CHECK(waiting_[at].holder << " passes " << waiting_[i].holder);
        held_.push_back(waiting_[at]);
        held_.back().valid_until = server_.now_ms + lease_ms;
        waiting_.erase(waiting_.begin() + std::ptrdiff_t(at));
        std::int64_t sum = 0;
        for (auto const& h : held_)
            sum += h.valid_until > server_.now_ms ? h.weight : 0;
        CHECK(sum <= total_);
    }

    // One attempt passes nobody, and leaves no place.
    void try_once()
    {
        auto const c = newcomer();
        auto const places = server_.say({"ZCARD", queue}).integer;
        note_total();
        bool const is_served = ask(c, false).is_nil();
        CHECK(server_.say({"ZSCORE", queue, c.holder}).is_nil());
        CHECK(server_.say({"ZCARD", queue}).integer <= places);
        if (is_served) {
            waiting_.push_back(c);
            granted(waiting_.size() - 1);
        }
    }

    void leave(contender const& c, std::string const& expected)
    {
        auto const reply = server_.leave(c.holder, c.weight);
        CHECK((reply == expected || reply == "0"));
    }

    void release()
    {
        if (held_.empty())
            return;
        auto const at = chance_.below(held_.size());
        auto const c = held_[at];
        held_.erase(held_.begin() + std::ptrdiff_t(at));
        leave(c, "1");
    }

    void give_up()
    {
        if (waiting_.empty())
            return;
        auto const at = chance_.below(waiting_.size());
        auto const c = waiting_[at];
        if (c.is_dead)
            return;
        waiting_.erase(waiting_.begin() + std::ptrdiff_t(at));
        leave(c, "2");
    }

    void die()
    {
        if (waiting_.empty())
            return;
        auto& c = waiting_[chance_.below(waiting_.size())];
        c.is_dead = true;
        // Otherwise it hangs, and still receives messages.
        if (chance_.happens(0.5))
            server_.unlisten(c.holder);
    }

    // ---- what happens to the server

    void stand_still()
    {
        if (!chance_.happens(0.3))
            return;
        server_.now_ms += 60'000;
        if (chance_.happens(0.5))
            refresh();
    }

    void set_permits()
    {
        if (!chance_.happens(0.3))
            return;
        total_ = std::int64_t(chance_.below(8));
        server_.run(scripts::permits_set, {std::to_string(total_), "86400000", "channel"});
        note_total();
    }

    void lose_counter()
    {
        if (chance_.happens(0.1))
            server_.say({"DEL", counter});
    }

    void force_release()
    {
        if (held_.empty() || !chance_.happens(0.2))
            return;
        server_.run(scripts::permits_force_release, {"channel", held_.back().holder});
        held_.pop_back();
    }

    // ---- what clients do

    void tell(std::string const& holder)
    {
        for (auto& c : waiting_)
            c.is_told = c.is_told || (c.holder == holder && !c.is_dead);
    }

    void tell(std::vector<std::string> const& holders)
    {
        for (auto const& holder : holders)
            tell(holder);
    }

    void serve_told()
    {
        for (;;) {
            tell(server_.messages());
            auto const at = std::ranges::find_if(waiting_, [](contender const& c) { return c.is_told; });
            if (at == waiting_.end())
                return;
            attempt(std::size_t(at - waiting_.begin()));
        }
    }

    void refresh()
    {
        refreshed_ = server_.now_ms;
        for (std::size_t client = 0; client != 2; ++client) {
            std::vector<std::string> holders;
            for (auto const& c : waiting_)
                if (c.client == client && !c.is_dead)
                    holders.push_back(c.holder);
            if (holders.empty())
                continue;
            tell(server_.refresh(holders));
            serve_told();
            check();
        }
    }

    // ---- what holds after each event

    void check()
    {
        auto const left = server_.say({"GET", counter});
        if (left.is_nil())
            return;
        CHECK(simulated::to_integer(left.text).value_or(-99) + server_.held() == total_);
        auto const first = server_.say({"ZRANGE", queue, "0", "0"});
        if (first.items.empty())
            return;
        auto const at = std::ranges::find(waiting_, first.items[0].text, &contender::holder);
        if (at != waiting_.end() && !at->is_dead && server_.free() >= at->weight)
            FAIL_CHECK(at->holder << " waits for " << at->weight << " of " << server_.free());
    }

    fair_permit_server server_;
    chance chance_;
    std::int64_t refreshed_ = server_.now_ms;
    std::int64_t total_ = usual_total;
    std::uint64_t last_ = 0;
    unsigned granted_ = 0;
    std::vector<contender> waiting_;  // in order of arrival
    std::vector<contender> held_;
};

TEST_CASE("permits of a fair semaphore are granted in order of arrival", "[semaphore]")
{
    auto const lua = std::make_shared<lua_engine>();
    unsigned granted = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        fair_world world(lua, seed);
        for (int i = 0; i != 300; ++i)
            world.go_on();
        world.finish();
        granted += world.granted();
    }
    CHECK(granted > 5'000);
}

}  // namespace
}  // namespace holdfast::test
