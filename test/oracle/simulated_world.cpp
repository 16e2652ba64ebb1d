//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/simulated_world.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "client/client_access.hpp"
#include "core/hash_slot.hpp"
#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 10> deniable{
    "set", "pexpire", "time", "publish", "evalsha", "hset", "exists", "type", "pttl", "info"};

std::string name_of_server(unsigned i)
{
    return "S" + std::to_string(i);
}

}  // namespace

simulated_world::simulated_world(program const& p, bool with_trace)
    : simulation_(std::make_unique<simulation>(simulation_options{
        .world = {.seed = p.seed, .trace = with_trace, .max_steps = 400'000 + p.steps.size() * 20'000}}))
{
    if (p.is_cluster)
        cluster_.emplace(*simulation_);
    if (p.is_watched) {
        watched_.emplace(*simulation_, name_of_server(0), replication_options{.replicas = 2});
        sentinels_.emplace(*simulation_, *watched_);
    }
}

// Handlers that never ran are destroyed here, and may write to the trace.
simulated_world::~simulated_world()
{
    sentinels_.reset();
    watched_.reset();
    cluster_.reset();
    simulation_.reset();
}

// ---- processes

process& simulated_world::process_at(std::int64_t i)
{
    return simulation_->at("P" + std::to_string(i));
}

simulated_server& simulated_world::server(unsigned i)
{
    return is_watched(i) ? watched_->primary() : simulation_->server(name_of_server(i));
}

std::vector<simulated_server*> simulated_world::nodes(unsigned i)
{
    if (!is_cluster(i))
        return {&server(i)};
    return {&cluster_->node(0), &cluster_->node(1), &cluster_->node(2)};
}

simulated_server& simulated_world::node_of(unsigned i, std::string_view key)
{
    return is_cluster(i) ? cluster_->server_of(key) : server(i);
}

asio::any_io_executor simulated_world::executor_of(std::int64_t i)
{
    return process_at(i).get_executor();
}

holdfast::client simulated_world::make_client(std::int64_t in, unsigned at, holdfast::config c)
{
    auto const make_io = [this, &p = process_at(in), at](
                             engine::strand st, holdfast::config const& config, engine::log l) {
        if (is_cluster(at))
            return simulation_->make_cluster_io(p, std::move(st), config, std::move(l), cluster_->names());
        if (is_watched(at))
            return simulation_->make_sentinel_io(p, std::move(st), config, std::move(l), sentinels_->names());
        return simulation_->make_io(p, std::move(st), config, std::move(l), name_of_server(at));
    };
    // Without it a failover may give a lock to two holders.
    c.acknowledged_by = is_watched(at) ? 1 : 0;
    return detail::client_access::make(executor_of(in), c, make_io);
}

// Handlers that are ready may run before f.
void simulated_world::run_inside(std::int64_t in, asio::any_io_executor, std::function<void()> f)
{
    if (is_frozen(in))
        return;
    bool done = false;
    asio::post(process_at(in).get_executor(), [&] {
        f();
        done = true;
    });
    simulation_->world().run_until([&] { return done; });
}

asio::awaitable<void> simulated_world::sleep(std::int64_t in, core::duration d)
{
    co_await process_at(in).sleep(d, asio::use_awaitable);
}

// ---- time

void simulated_world::run_for(core::duration d)
{
    simulation_->world().run_for(d);
}

void simulated_world::settle(std::function<bool()> const&)
{
    run_for(12s);
}

// Clients of a cluster ask for its slots each minute, and sentinels each second, so months of them would take long.
bool simulated_world::let_keys_expire()
{
    auto const time = longest + std::chrono::hours(24 * 100);
    if (!cluster_ && !watched_)
        run_for(time);
    else
        simulation_->for_each_server([time](simulated_server& s) { s.step_clock(time); });
    return true;
}

void simulated_world::finish()
{
    simulation_->world().run();
}

// ---- faults

void simulated_world::inject(step const& s, core::instant end)
{
    auto const all = nodes(server_of(s));
    auto& to = *all[std::size_t(s.get(field::to)) % all.size()];
    auto const heal_then = [&](std::function<void()> f) {
        if (end != core::never)
            simulation_->world().at(end, std::move(f));
    };
    switch (s.what) {
        case verb::pause: to.pause(); return heal_then([&to] { to.resume(); });
        case verb::out_of_memory:
            for (auto* const n : all)
                n->model().set_condition(simulated::condition::out_of_memory);
            return heal_then([all] {
                for (auto* const n : all)
                    n->model().set_condition(simulated::condition::normal);
            });
        case verb::deny:
            for (auto* const n : all)
                n->model().deny_command(deniable[std::size_t(s.get(field::how)) % deniable.size()]);
            return heal_then([all] {
                for (auto* const n : all)
                    n->model().allow_all();
            });
        case verb::lose_replies: to.faults.lose_reply = 1; return heal_then([&to] { to.faults.lose_reply = 0; });
        case verb::disconnect: return to.model().disconnect_all();
        case verb::restart:
            return to.restart(
                s.get(field::how) == 1,
                std::chrono::microseconds(std::clamp<std::int64_t>(s.get(field::us), 0, 5'000'000)));
        case verb::flush_scripts: return to.model().flush_scripts();
        case verb::freeze:
            if (auto& p = process_at(process_of(s)); end != core::never && !p.is_paused())
                p.pause_for(end - now());
            return;
        case verb::move_slot: return move_slot(s, end - now());
        case verb::replace_node: return replace_node(s, end - now());
        case verb::fail_over:
            if (sentinels_)
                sentinels_->fail_over(end - now());
            return;
        case verb::hang_sentinel:
            if (sentinels_ && !sentinels_->sentinel(unsigned(s.get(field::to)) % 3).is_paused())
                sentinels_->sentinel(unsigned(s.get(field::to)) % 3).pause_for(end - now());
            return;
        default: return;
    }
}

void simulated_world::move_slot(step const& s, core::duration time)
{
    auto const& d = design_of(s.get(field::lock));
    if (!is_cluster(d.server) || is_composite(d))
        return;
    auto const to = unsigned(s.get(field::to)) % 3;
    if (cluster_->names()[to] == cluster_->model().primary_of(core::hash_slot(d.key)))
        return;
    if (time > core::duration::zero())
        cluster_->move_slowly(d.key, to, time);
    else
        cluster_->move(d.key, to);
}

// The first node keeps its address, where clients find the others.
void simulated_world::replace_node(step const& s, core::duration downtime)
{
    using former = simulated_cluster::former_address;
    if (cluster_)
        cluster_->replace_container(
            1 + unsigned(s.get(field::to)) % 2, downtime, s.get(field::how) == 1 ? former::is_silent : former::refuses);
}

void simulated_world::delete_key(unsigned at, std::string_view key)
{
    for (auto* const n : nodes(at))
        n->model().keys().erase(std::string(key));
}

bool simulated_world::plant(lock_design const& d, std::int64_t how)
{
    auto& to = node_of(d.server, d.key);
    auto const key = std::string(d.key);
    auto const is_there = [&] { return std::ranges::count(keys(d.server), key) != 0; };
    if (is_there())
        return false;
    switch (how % 3) {
        case 0: to.execute({"SET", key, "application data"}); break;
        case 1: to.execute({"RPUSH", key, "application data"}); break;
        default: to.execute({"HSET", key, "user", "42"}); break;
    }
    return is_there();  // a faulty server may refuse it
}

void simulated_world::heal()
{
    for (unsigned i = 0; i < server_count; ++i)
        for (auto* const s : nodes(i)) {
            s->faults = {};
            s->resume();
            s->model().set_condition(simulated::condition::normal);
            s->model().allow_all();
        }
    for (unsigned i = 0; sentinels_ && i != 3; ++i) {
        sentinels_->sentinel(i).resume();
        watched_->server(i).faults = {};
        watched_->server(i).resume();
    }
    for (unsigned i = 0; i < process_count; ++i)
        process_at(i).resume();
}

// ---- what is left

bool simulated_world::exists(unsigned at, std::string_view key)
{
    return std::ranges::count(keys(at), key) != 0;
}

// Of a half-moved slot each node has a part.
std::vector<std::string> simulated_world::keys(unsigned at)
{
    std::vector<std::string> all;
    for (auto* const n : nodes(at)) {
        n->execute({"PING"});  // time passes on the server, too
        std::ranges::copy(n->model().keys().names(), std::back_inserter(all));
    }
    std::ranges::sort(all);
    return all;
}

std::string simulated_world::text(unsigned at, std::string_view key)
{
    auto const reply = node_of(at, key).execute({"GET", key});
    return reply.is_error() ? std::string() : reply.text;
}

std::int64_t simulated_world::subscribers(unsigned at, std::string_view channel)
{
    std::int64_t sum = 0;
    for (auto* const n : nodes(at))
        sum += n->model().publish(channel, "0") + n->model().publish_sharded(channel, "0");
    return sum;
}

engine::client_engine::census simulated_world::census(holdfast::client& c)
{
    return detail::client_access::state_of(c).count();
}

// ---- the trace

void simulated_world::note(std::string_view source, std::string_view what)
{
    if (is_traced())
        simulation_->world().trace().add(now(), source, what);
}

std::string simulated_world::trace()
{
    return simulation_->world().trace().text();
}

}  // namespace holdfast::test::oracle
