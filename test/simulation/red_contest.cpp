//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "simulation/red_contest.hpp"

#include <algorithm>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>

namespace holdfast::test {

using namespace std::chrono_literals;

red_contest::red_contest(red_contest_options const& o) : o_(o), arena_(o.servers, {.world = {.seed = o.seed}})
{
    auto& luck = arena_.world().chance();
    for (unsigned i = 0; i < o.servers; ++i) {
        arena_.node(i).step_clock(luck.between({}, o.skew));
        arena_.node(i).check([this](executed const& e) { attempts_ += e.what.args[0] == "SET"; });
    }
    for (unsigned i = 0; i < o.contenders; ++i) {
        processes_.push_back("P" + std::to_string(i));
        auto config = arena::quick();
        config.lease = o.lease;
        clients_.push_back(arena_.clients(processes_.back(), config));
    }
}

red_options red_contest::options() const
{
    return {.fencing = o_.fencing, .trust_new_nodes = o_.restarts == 0};
}

void red_contest::run()
{
    auto& world = arena_.world();
    if (o_.restarts > 0)
        world.run_for(o_.lease + o_.lease / 50 + 2s);  // from here on all servers count
    for (unsigned i = 0; i < o_.servers; ++i)
        arena_.node(i).faults = o_.faults;
    restart_minority();
    for (unsigned i = 0; i < o_.contenders; ++i)
        arena_.spawn([this, i] { return contend(i); }, processes_[i]);
    world.run_for(20s);
    for (unsigned i = 0; i < o_.servers; ++i)
        arena_.node(i).faults = {};
    for (int i = 0; i < 600 && under_way_ > 0; ++i)
        world.run_for(1s);
    REQUIRE(under_way_ == 0);
    world.run_for(10s);
    REQUIRE(arena_.keys("r") == 0);
    for (auto const& of_process : clients_)
        for (auto const* c : of_process)
            REQUIRE(arena_.census(const_cast<client&>(*c)) == engine::client_engine::census{});
    REQUIRE(find_violation(holds_).value_or("none") == "none");
}

// Restarts one server after the other, each when the one before counts again.
void red_contest::restart_minority()
{
    auto& world = arena_.world();
    auto when = world.now();
    for (unsigned i = 0; i < o_.restarts; ++i) {
        when += world.chance().between(0ms, 1s);
        auto const downtime = world.chance().between(0ms, 200ms);
        auto& victim = arena_.node(static_cast<unsigned>(world.chance().below(o_.servers)));
        world.at(when, [&victim, downtime] { victim.restart(true, downtime); });
        when += downtime + o_.lease + o_.lease / 50 + 2s;
    }
}

asio::awaitable<void> red_contest::contend(unsigned n)
{
    auto& luck = arena_.world().chance();
    ++under_way_;
    for (unsigned i = 0; i < o_.rounds; ++i) {
        if (o_.longest_pause > 0ms)
            co_await arena_.sleep(luck.between({}, o_.longest_pause), processes_[n]);
        co_await once(n);
    }
    --under_way_;
}

void red_contest::cancel_some_time(asio::cancellation_signal& signal, std::string const& where)
{
    auto& luck = arena_.world().chance();
    if (!luck.happens(o_.cancel))
        return;
    arena_.world().at(arena_.now() + luck.between(0ms, 30ms), [this, where, &signal] {
        asio::post(arena_.at(where).get_executor(), [&signal] { signal.emit(asio::cancellation_type::total); });
    });
}

asio::awaitable<void> red_contest::once(unsigned n)
{
    auto& luck = arena_.world().chance();
    auto& signal = arena_.world().new_signal();
    cancel_some_time(signal, processes_[n]);
    error_code ec;
    auto const start = arena_.now();
    auto l = co_await red_lock(clients_[n], "r", options())
                 .acquire(asio::bind_cancellation_slot(signal.slot(), redirect(ec)));
    bool const expected = !ec || ec == asio::error::operation_aborted;
    REQUIRE(expected);
    cancelled_ += ec.failed();
    if (ec)
        co_return;
    REQUIRE(l.valid());
    REQUIRE(l.fencing_token().has_value() == o_.fencing);
    auto const from = arena_.now();
    longest_wait_ = std::max(longest_wait_, from - start);
    co_await arena_.sleep(luck.between(0ms, o_.longest_hold), processes_[n]);
    auto const to = l.valid() ? arena_.now() : from;
    lost_ += to == from && !l.valid();
    holds_.push_back(
        {.lock = "r",
         .holder = processes_[n],
         .from = from.time_since_epoch().count(),
         .to = to.time_since_epoch().count() + 1,
         .fence = l.fencing_token().value_or(0)});
    co_await l.release(redirect(ec));
}

}  // namespace holdfast::test
