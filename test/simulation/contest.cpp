//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "simulation/contest.hpp"

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch_test_macros.hpp>

#include "client/client_access.hpp"
#include "simulation/contest_run.hpp"
#include "simulation/fair_order.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

cluster_options nodes_of(contest_options const& o)
{
    return {
        .primaries = o.primaries,
        .replicas = o.replicas,
        .replication = o.replica_lag,
        .moves_are_acknowledged = o.config.acknowledged_by != 0};
}

std::optional<std::uint64_t> number_of(char const* variable)
{
    auto const* text = std::getenv(variable);
    return text ? std::optional(std::strtoull(text, nullptr, 10)) : std::nullopt;
}

}  // namespace

bool has_faults(contest_options const& o) noexcept
{
    auto const& f = o.faults;
    return o.kill + o.pause + o.fail_overs + f.lose_request + f.lose_reply + f.delay_request + f.disconnect
               + f.refuse_connect + f.pause_server + f.restart_server
           > 0;
}

contest::contest(contest_options const& o)
    : options_(o), simulation_({.world = {.seed = o.seed, .trace = o.trace}, .faults = o.faults, .network = o.network})
{
    if (o.replicas > 0 && o.primaries == 0)
        replicated_.emplace(simulation_, "redis", replication_options{o.replicas, o.replica_lag});
    if (o.sentinels > 0)
        sentinels_.emplace(simulation_, *replicated_, o.sentinels);
    if (o.primaries > 0)
        cluster_.emplace(simulation_, nodes_of(o));
    // In every other contest the lease time is longer than the contest: a key that is left behind still exists. A
    // failover may undo a release.
    if (o.seed % 2 == 0 && o.kill == 0 && o.pause == 0 && o.fail_overs == 0)
        options_.config.lease = 10min;
}

contest_result contest::run()
{
    try {
        start();
        disturb();
        // Then the faults end, and every contender must be served.
        simulation_.world().run_for(20s);
        settle();
        audit();
    } catch (std::exception const& e) {
        result_.fault = e.what();
    }
    result_.digest = simulation_.world().trace().digest();
    if (options_.trace)
        result_.trace = simulation_.world().trace().text();
    return std::move(result_);
}

void contest::start()
{
    for_each_server([this](simulated_server& s) { check_commands(s); });
    if (options_.is_cluster)
        simulation_.server().model().set_cluster_mode(true);
    draw_kinds();
    participants_.reserve(options_.processes);
    auto& world = simulation_.world();
    for (unsigned i = 0; i < options_.processes; ++i) {
        auto& where = simulation_.at("P" + std::to_string(i));
        running_[&where] = options_.contenders;
        if (i == 0 || options_.latest_start == core::duration::zero()) {
            add_client(where);
            continue;
        }
        world.at(world.now() + luck().between(core::duration::zero(), options_.latest_start), [this, &where] {
            add_client(where);
            begin_contention(participants_.back());
        });
    }
    for (auto& p : participants_)
        begin_contention(p);
}

void contest::begin_contention(participant& p)
{
    for (unsigned i = 0; i < options_.contenders; ++i)
        asio::co_spawn(p.where->get_executor(), contend(p, i), [this, where = p.where](std::exception_ptr e) {
            --running_[where];
            if (e)
                std::rethrow_exception(e);
        });
}

void contest::check_commands(simulated_server& s)
{
    s.check(std::ref(rules_));
    if (cluster_)
        s.check(std::ref(cluster_rules_));
    if (cluster_ && options_.fail_overs > 0)
        s.check([this](executed const& e) {
            if (!e.what.in_script && cluster_->is_former_primary(e.server))
                late_words_.insert(e.what.args.begin(), e.what.args.end());
        });
    if (options_.is_in_order)
        s.check(fair_order());
}

void contest::draw_kinds()
{
    for (unsigned i = 0; i < options_.locks; ++i)
        kinds_.push_back(options_.kind.value_or(static_cast<contested_kind>(luck().below(4))));
    if (options_.kind == contested_kind::read_write)
        for (unsigned i = 0; i < options_.locks; ++i)
            rw_options_.push_back(
                {.fencing = luck().happens(0.3),
                 .prefer = static_cast<preference>(luck().below(3)),
                 .peer_watchdog = luck().happens(0.5) ? 0ms : 1s});
}

void contest::add_client(process& where)
{
    auto config = options_.config;
    config.log = [this, &where](log_level, std::string_view line) {
        misses_a_right_ = misses_a_right_ || line.find("does not permit") != line.npos;
        simulation_.world().trace().add(simulation_.now(), where.name(), line);
    };
    auto const make = [this, &where](engine::strand s, holdfast::config const& c, engine::log l) {
        return make_io(where, std::move(s), c, std::move(l));
    };
    auto client = detail::client_access::make(where.get_executor(), config, make);
    auto& p = participants_.emplace_back(participant{&where, std::make_unique<holdfast::client>(std::move(client))});
    p.client->run(asio::detached);
    p.client->ready([&p](error_code ec) { p.is_connected = !ec; });
}

engine::client_io contest::make_io(process& p, engine::strand s, holdfast::config const& c, engine::log l)
{
    if (cluster_)
        return simulation_.make_cluster_io(p, std::move(s), c, std::move(l), cluster_->names());
    if (sentinels_)
        return simulation_.make_sentinel_io(p, std::move(s), c, std::move(l), sentinels_->names());
    return simulation_.make_io(p, std::move(s), c, std::move(l), "redis");
}

void contest::disturb()
{
    auto& world = simulation_.world();
    for (unsigned i = 0; i < options_.locks; ++i)
        move_slot_of(i);
    for (unsigned n = 0; n < options_.fail_overs; ++n)
        cluster_ ? stop_primary(n, world.now() + luck().between(1ms, 3s)) : disturb_replicas();
    for (unsigned n = 0; n < options_.hung_sentinels; ++n)
        hang_sentinel();
    for (auto& p : participants_) {
        if (&p != &participants_.front() && luck().happens(options_.kill))
            world.at(world.now() + luck().between(1ms, 3s), [&p] { p.where->kill(); });
        else if (luck().happens(options_.pause))
            world.at(world.now() + luck().between(1ms, 3s), [this, &p] {
                p.where->pause_for(luck().between(10ms, 2 * options_.config.lease));
            });
    }
}

void contest::disturb_replicas()
{
    auto& world = simulation_.world();
    world.at(world.now() + luck().between(10ms, 6s), [this] {
        auto const unaware = luck().between(options_.unaware.least, options_.unaware.most);
        if (luck().happens(0.7))
            sentinels_ ? sentinels_->fail_over(unaware) : replicated_->fail_over(unaware);
        else
            replicated_->cut_off_replicas(luck().between(10ms, 2s));
    });
}

void contest::hang_sentinel()
{
    auto& world = simulation_.world();
    world.at(world.now() + luck().between(core::duration::zero(), 6s), [this] {
        auto& s = sentinels_->sentinel(static_cast<unsigned>(luck().below(sentinels_->count())));
        if (!s.is_paused())
            s.pause_for(luck().between(100ms, 5s));
    });
}

// Later, if one of its slots is half-moved then.
void contest::stop_primary(unsigned n, core::instant when)
{
    simulation_.world().at(when, [this, n, when] {
        if (!cluster_->fail_over(n, luck().between(500ms, 2s), luck().between(0ms, 1s)))
            stop_primary(n, when + 50ms);
    });
}

void contest::move_slot_of(unsigned lock)
{
    auto& world = simulation_.world();
    for (unsigned n = 0; n < options_.moves; ++n)
        world.at(world.now() + luck().between(1ms, 3s), [this, lock] { cluster_->move_on(lock_name(lock)); });
    for (unsigned n = 0; n < options_.half_moves; ++n) {
        auto const when = world.now() + luck().between(1ms, 3s);
        auto const lasts = luck().between(1ms, options_.longest_half_move);
        last_change_ = std::max(last_change_, when + lasts);
        world.at(when, [this, lock, lasts] { cluster_->move_on_slowly(lock_name(lock), lasts); });
    }
}

bool contest::all_done() const
{
    for (auto const& [where, count] : running_)
        if (count > 0 && !where->is_dead())
            return false;
    return true;
}

void contest::settle()
{
    for_each_server([](simulated_server& s) { s.faults = {}; });
    auto& world = simulation_.world();
    auto const limit = world.now() + 600s;
    while (!all_done() && world.now() < limit)
        world.run_for(1s);
    if (!all_done())
        throw std::runtime_error("somebody is stuck");
    world.run_for(10s);  // unused subscriptions end, and queued releases are sent
}

contest_result run_contest(contest_options const& o)
{
    return contest(o).run();
}

std::uint64_t seeds_or(std::uint64_t fallback)
{
    return number_of("HOLDFAST_SEEDS").value_or(fallback);
}

std::uint64_t first_seed()
{
    return number_of("HOLDFAST_SEED").value_or(1);
}

std::uint64_t last_seed(std::uint64_t fallback)
{
    return number_of("HOLDFAST_SEED").value_or(seeds_or(fallback));
}

void run_contests(contest_options options, std::uint64_t seeds)
{
    auto const only = number_of("HOLDFAST_SEED");
    for (auto seed = only.value_or(1); seed <= only.value_or(seeds); ++seed) {
        options.seed = seed;
        options.trace = only.has_value();
        auto const result = run_contest(options);
        if (only)
            WARN(result.trace);
        if (result.fault)
            FAIL(
                "seed " << seed << ": " << *result.fault << "\nreplay with HOLDFAST_SEED=" << seed
                        << " and this test's name");
    }
}

}  // namespace holdfast::test
