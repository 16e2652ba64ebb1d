//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "simulation/contest.hpp"

#include <charconv>
#include <cstdlib>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include "client/client_access.hpp"
#include "core/hash_slot.hpp"
#include "core/lock_name.hpp"
#include "core/response_time.hpp"
#include "engine/hold/grant.hpp"
#include "operations/operation.hpp"
#include "scripts_generated.hpp"
#include "simulation/cluster_rules.hpp"
#include "simulation/fair_order.hpp"
#include "support/replicated_server.hpp"
#include "support/script_word.hpp"
#include "support/simulated_cluster.hpp"
#include "support/tenure_of.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// Throws if the server executes a command that a client must never send.
class command_rules {
public:
    void operator()(executed const& e)
    {
        if (e.what.in_script || e.what.args.empty())
            return;
        auto const args = e.what.args;
        if (args[0] == "SET" && args[1].starts_with("holdfast_ack:"))
            return;
        if (args[0] == "SET" && args.size() > 3)
            on_acquire(e, args[2]);
        else if ((args[0] == "EVALSHA" || args[0] == "EVAL") && applied(e))
            on_script(e, args);
    }

private:
    static bool applied(executed const& e) { return e.what.reply && !e.what.reply->is_error(); }

    void on_script(executed const& e, simulated::words args)
    {
        namespace scripts = engine::scripts;
        auto const keys = static_cast<std::size_t>(std::stoul(std::string(args[2])));
        auto const first = args.subspan(3 + keys);
        auto const is_any = [&](auto const&... s) { return (is_script(args[1], s) || ...); };
        if (is_any(
                scripts::mutex_release,
                scripts::mutex_release_later,
                scripts::reentrant_release_later,
                scripts::fair_release_later,
                scripts::reentrant_release,
                scripts::read_release,
                scripts::write_release,
                scripts::fair_leave))
            retired_.emplace(first[0], e.client);
        else if (is_any(scripts::mutex_release_all, scripts::reentrant_release_all))
            for (std::size_t i = 0; i < first.size(); i += 2)
                retired_.emplace(first[i], e.client);
        else if (is_any(scripts::mutex_renew, scripts::reentrant_renew, scripts::read_renew))
            for (std::size_t i = 0; i < first.size(); i += 2)
                on_renewal(e, first[i]);
        else if (is_script(args[1], scripts::write_acquire))
            on_acquire(e, first[0], e.what.reply && e.what.reply->integer >= 0);
        else if (is_script(args[1], scripts::fair_refresh))
            for (auto const token : first.subspan(2))
                require_alive(e, token, "refresh");
        else if (is_script(args[1], scripts::fair_acquire))
            require_alive(e, first[0], "acquire");  // may be granted twice: the script finds its own grant
        else if (is_script(args[1], scripts::lock_holders) || is_script(args[1], scripts::lock_force_release))
            return;
        else
            on_acquire(e, first[0]);
    }

    // On one connection the order is exact: a command that arrives after the release was sent after it.
    void require_alive(executed const& e, std::string_view token, char const* what) const
    {
        if (retired_.contains({std::string(token), std::string(e.client)}))
            throw std::runtime_error(std::string(what) + " with a retired token " + std::string(token));
    }

    void on_renewal(executed const& e, std::string_view token) { require_alive(e, token, "renewal"); }

    void on_acquire(executed const& e, std::string_view token)
    {
        on_acquire(
            e,
            token,
            e.what.reply && !e.what.reply->is_error()
                && (e.what.reply->text == "OK" || (e.what.reply->is_nil() && e.what.args[0] != "SET")
                    || e.what.reply->integer > 1'000'000'000'000));
    }

    void on_acquire(executed const& e, std::string_view token, bool granted)
    {
        require_alive(e, token, "acquire");
        if (granted && !granted_.emplace(token).second)
            throw std::runtime_error("token " + std::string(token) + " was granted twice");
    }

    std::set<std::pair<std::string, std::string>> retired_;  // with the connection that sent the release
    std::set<std::string, std::less<>> granted_;
};

constexpr std::string_view lost_mark = " (lost)";

// Whether a server or a process may be unreachable for a time, or a message be lost or late.
bool has_faults(contest_options const& o) noexcept
{
    auto const& f = o.faults;
    return o.kill + o.pause + o.fail_overs + f.lose_request + f.lose_reply + f.delay_request + f.disconnect
               + f.refuse_connect + f.pause_server + f.restart_server
           > 0;
}

// Whether a server or a process may be unreachable for a time, or the answer of one may not count, so that a wait may
// end before a reply.
bool has_outages(contest_options const& o) noexcept
{
    // The session to a primary starts with the first lock there.
    return o.primaries > 0 || has_faults(o);
}

cluster_options nodes_of(contest_options const& o)
{
    return {
        .primaries = o.primaries,
        .replicas = o.replicas,
        .replication = o.replica_lag,
        .moves_are_acknowledged = o.config.acknowledged_by != 0};
}

struct participant {
    process* where;
    std::unique_ptr<holdfast::client> client;
    std::uint64_t started = 0;  // acquires that were started
    bool is_connected = false;  // has been connected
};

class contest {
public:
    explicit contest(contest_options const& o)
        : options_(o),
          simulation_({.world = {.seed = o.seed, .trace = o.trace}, .faults = o.faults, .network = o.network})
    {
        if (o.replicas > 0 && o.primaries == 0)
            replicated_.emplace(simulation_, "redis", replication_options{o.replicas, o.replica_lag});
        if (o.primaries > 0)
            cluster_.emplace(simulation_, nodes_of(o));
        // In every other contest the lease time is longer than the contest: a key that is left behind still exists. A
        // failover may undo a release.
        if (o.seed % 2 == 0 && o.kill == 0 && o.pause == 0 && o.fail_overs == 0)
            options_.config.lease = 10min;
    }

    contest_result run();

private:
    void start();
    void disturb();
    void disturb_replicas();
    void stop_primary(unsigned, core::instant when);
    void move_slot_of(unsigned lock);
    void settle();
    void audit();
    void excuse_failovers();
    bool is_late(std::size_t hold) const;
    void check_overlap(held_interval const&, std::int64_t since, std::int64_t bound) const;
    std::int64_t out_of_reach(simulated_server&);
    void check_leftovers();
    void check_promptness(core::instant since, core::duration time_limit) const;
    void check_gaps() const;
    void check_validity(lease const& l) const;
    std::int64_t time_to_live(std::string_view key);
    bool may_be_unavailable(participant const& p) const;
    static void check_end(std::string_view lock, error_code ec, bool may_be_unavailable);
    bool all_done() const;
    process& start_process(unsigned index);
    asio::awaitable<void> contend(participant& p, unsigned id);
    fair_lock make_fair(participant& p, unsigned n, bool is_fenced) const;
    template <class Lock>
    asio::awaitable<void> take(participant& p, Lock lock, std::string holder);
    asio::awaitable<void> take_side(participant& p, unsigned lock, owner me, std::string holder);
    asio::awaitable<void> write(participant& p, read_write_lock lock, bool reads_too, std::string holder);
    asio::awaitable<core::instant> spend_time(participant& p, lease& l);
    void record(lease const& l, std::string holder, core::instant from, core::instant to, bool shared);
    template <class Lock>
    asio::awaitable<lease> acquire(participant& p, Lock const& lock);
    asio::awaitable<void> hold(participant& p, lease l, std::string holder, bool shared = false);
    auto cancellable(participant& p, error_code& ec);

    std::string lock_name(unsigned i) const { return "L" + std::to_string(i); }
    chance& luck() { return simulation_.world().chance(); }
    simulated_server& server_of(unsigned lock)
    {
        if (replicated_)
            return replicated_->primary();
        return cluster_ ? cluster_->server_of(lock_name(lock)) : simulation_.server();
    }
    template <class Action>
    void for_each_server(Action act)
    {
        for (unsigned i = 0; replicated_ && i <= options_.replicas; ++i)
            act(replicated_->server(i));
        if (!cluster_ && !replicated_)
            return act(simulation_.server());
        if (!cluster_)
            return;
        for (auto const& name : cluster_->names())
            act(simulation_.server(name));
    }
    engine::client_io make_io(process&, engine::strand, holdfast::config const&, engine::log);

    contest_options options_;
    command_rules rules_;
    cluster_rules cluster_rules_;
    bool misses_a_right_ = false;
    core::instant last_change_ = core::instant::min();  // of the hash slots
    simulation simulation_;
    std::optional<simulated_cluster> cluster_;
    std::optional<replicated_server> replicated_;
    std::vector<participant> participants_;
    std::vector<contested_kind> kinds_;
    std::vector<rw_options> rw_options_;  // of each read-write lock
    std::vector<held_interval> holds_;
    std::vector<std::string> tokens_;                // of the grants of these holds
    std::set<std::string, std::less<>> late_words_;  // of the commands that former primaries have executed
    std::vector<held_interval> waits_;
    std::map<process*, unsigned> running_;
    contest_result result_;
};

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
    for_each_server([this](simulated_server& s) {
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
    });
    if (options_.is_cluster)
        simulation_.server().model().set_cluster_mode(true);
    for (unsigned i = 0; i < options_.locks; ++i)
        kinds_.push_back(options_.kind.value_or(static_cast<contested_kind>(luck().below(4))));
    if (options_.kind == contested_kind::read_write)
        for (unsigned i = 0; i < options_.locks; ++i)
            rw_options_.push_back(
                {.fencing = luck().happens(0.3),
                 .prefer = static_cast<preference>(luck().below(3)),
                 .peer_watchdog = luck().happens(0.5) ? 0ms : 1s});
    participants_.reserve(options_.processes);
    for (unsigned i = 0; i < options_.processes; ++i) {
        auto& where = simulation_.at("P" + std::to_string(i));
        auto config = options_.config;
        config.log = [this, &where](log_level, std::string_view line) {
            misses_a_right_ = misses_a_right_ || line.find("does not permit") != line.npos;
            simulation_.world().trace().add(simulation_.now(), where.name(), line);
        };
        auto const make_io = [this, &where](engine::strand s, holdfast::config const& c, engine::log l) {
            return this->make_io(where, std::move(s), c, std::move(l));
        };
        auto client = detail::client_access::make(where.get_executor(), config, make_io);
        participants_.push_back({&where, std::make_unique<holdfast::client>(std::move(client))});
        participants_.back().client->run(asio::detached);
        participants_.back().client->ready([&p = participants_.back()](error_code ec) { p.is_connected = !ec; });
    }
    for (auto& p : participants_)
        for (unsigned i = 0; i < options_.contenders; ++i) {
            ++running_[p.where];
            asio::co_spawn(p.where->get_executor(), contend(p, i), [this, where = p.where](std::exception_ptr e) {
                --running_[where];
                if (e)
                    std::rethrow_exception(e);
            });
        }
}

engine::client_io contest::make_io(process& p, engine::strand s, holdfast::config const& c, engine::log l)
{
    if (cluster_)
        return simulation_.make_cluster_io(p, std::move(s), c, std::move(l), cluster_->names());
    return simulation_.make_io(p, std::move(s), c, std::move(l), "redis");
}

void contest::disturb()
{
    auto& world = simulation_.world();
    for (unsigned i = 0; i < options_.locks; ++i)
        move_slot_of(i);
    for (unsigned n = 0; n < options_.fail_overs; ++n)
        cluster_ ? stop_primary(n, world.now() + luck().between(1ms, 3s)) : disturb_replicas();
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
        if (luck().happens(0.7))
            replicated_->fail_over(luck().between(options_.unaware.least, options_.unaware.most));
        else
            replicated_->cut_off_replicas(luck().between(10ms, 2s));
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

void contest::audit()
{
    if (misses_a_right_)
        throw std::runtime_error("a client believes that it may not subscribe");
    if (cluster_ && options_.config.acknowledged_by == 0)
        excuse_failovers();
    if (options_.data_is_safe)
        if (auto const violation = find_violation(holds_))
            throw std::runtime_error(*violation);
    if (options_.data_is_safe && options_.at_least > 0ms)
        check_gaps();
    for (auto& p : participants_) {
        if (p.where->is_dead())
            continue;
        auto const stats = p.client->stats();
        if (stats.held + stats.waiting > 0)
            throw std::runtime_error(
                "gauges: " + std::to_string(stats.held) + " held, " + std::to_string(stats.waiting) + " waiting");
        auto const ended = stats.acquired + stats.busy + stats.unavailable + stats.cancelled + stats.failed;
        if (ended != p.started)
            throw std::runtime_error(
                std::to_string(p.started) + " acquires, of which " + std::to_string(ended) + " ended");
        auto const left = detail::client_access::state_of(*p.client).count();
        if (left != engine::client_engine::census{})
            throw std::runtime_error(
                "left behind: " + std::to_string(left.arbiters) + " arbiters, " + std::to_string(left.deadlines)
                + " deadlines, " + std::to_string(left.channels) + " channels, " + std::to_string(left.releases)
                + " releases");
        result_.handed_off += stats.handed_off;
    }
    // Between two writers, waiting readers have a turn of 20 ms.
    auto const turn = options_.kind == contested_kind::read_write ? core::duration(20ms) : core::duration::zero();
    auto const round_trips = 20 * options_.network.delay.most + turn;
    if (options_.is_prompt)
        check_promptness(core::instant::min(), round_trips);
    // A message may be lost in a change of the slots, so a waiter may be served by its next look; and a command is
    // postponed by half a second at most.
    if (options_.half_moves > 0 && !has_faults(options_))
        check_promptness(last_change_, options_.config.poll_interval * 5 / 4 + 600ms + round_trips);
    // The keys of a killed process expire when their lease time has ended, and so do those whose release was lost.
    if (options_.kill + options_.fail_overs > 0)
        simulation_.world().run_for(options_.config.lease + 30s);
    for (unsigned i = 0; i < options_.locks; ++i) {
        auto& server = server_of(i);
        if (server.execute({"EXISTS", lock_name(i)}).integer != 0)
            throw std::runtime_error("the key of " + lock_name(i) + " is left");
        for (auto const* const prefix : {"redisson_lock__channel:{", "redisson_rwlock:{"})
            for_each_server([&](simulated_server& s) {
                auto const channel = prefix + lock_name(i) + "}";
                auto const receivers = s.model().publish(channel, "0") + s.model().publish_sharded(channel, "0");
                if (options_.kill == 0 && receivers != 0)
                    throw std::runtime_error("a subscription for " + lock_name(i) + " is left");
            });
    }
    // The place of a killed fair waiter is removed by the next contender, or when the queue's time to live ends.
    bool const is_fair = options_.kind == contested_kind::fair || options_.kind == contested_kind::fenced_fair;
    if (!is_fair || (options_.kill + options_.fail_overs == 0 && options_.data_is_safe))
        check_leftovers();
    for (auto& p : participants_)
        p.client->stop();
    simulation_.world().run();
}

// Two kinds of hold may overlap with the next one of the same lock: one of which a failover has lost a write, and one
// that the former primary granted or renewed after the promotion, before the client knew its successor. Neither may do
// so for longer than until the next renewal: the silence of the former primary makes the client ask a seed or two, and
// the successor says that the key is gone. In the search of other overlaps such a hold ends with the promotion.
void contest::excuse_failovers()
{
    auto const bound = core::duration(options_.config.lease / 3 + 3s).count();
    for (auto const& f : cluster_->failovers()) {
        auto const promoted = f.promoted.time_since_epoch().count();
        for (std::size_t i = 0; i != holds_.size(); ++i) {
            auto& h = holds_[i];
            bool const is_lost = f.lost_writes && h.from < promoted;
            if (h.to <= promoted || !f.slots[core::hash_slot(h.lock)] || !(is_lost || is_late(i)))
                continue;
            check_overlap(h, std::max(h.from, promoted), bound);
            h.to = std::max(h.from, promoted);
            h.fence = 0;
        }
    }
}

// The grant of a write that was downgraded is not known any more.
bool contest::is_late(std::size_t hold) const
{
    return tokens_[hold].empty() || late_words_.contains(tokens_[hold]);
}

// The hold may be valid for that long after another one has begun.
void contest::check_overlap(held_interval const& h, std::int64_t since, std::int64_t bound) const
{
    for (std::size_t i = 0; i != holds_.size(); ++i)
        if (auto const& next = holds_[i]; next.lock == h.lock && next.from > since && next.from + bound < h.to
                                          && !(h.shared && next.shared) && !is_late(i))
            throw std::runtime_error(
                h.holder + " held " + h.lock + " for " + std::to_string((h.to - next.from) / 1'000'000)
                + " ms after its successor was granted it");
}

// How many keys a server of a cluster has of hash slots that are at another one. If a primary fails right after a slot
// has left it, its replica may not have learned that the keys are gone. No command reaches them.
std::int64_t contest::out_of_reach(simulated_server& s)
{
    if (!cluster_ || cluster_->failovers().empty())
        return 0;
    s.execute({"PING"});
    return std::ranges::count_if(
        s.model().keys().names(), [&](auto const& key) { return &cluster_->server_of(key) != &s; });
}

// Only the counters of fencing tokens may be left.
void contest::check_leftovers()
{
    std::int64_t left = 0;
    if (replicated_)
        left = replicated_->primary().execute({"DBSIZE"}).integer;
    else
        for_each_server([&](simulated_server& s) { left += s.execute({"DBSIZE"}).integer - out_of_reach(s); });
    for (unsigned i = 0; i < options_.locks; ++i)
        left -= server_of(i)
                    .execute({"EXISTS", core::fence_key(lock_name(i)), core::redisson_fence_key(lock_name(i))})
                    .integer;
    if (left != 0)
        throw std::runtime_error(std::to_string(left) + " keys are left");
}

// From then on, while a contender waits, a released lock is granted within that time: no wake-up was lost.
void contest::check_promptness(core::instant since, core::duration time_limit) const
{
    auto holds = holds_;
    std::ranges::sort(holds, {}, [](auto const& h) { return std::tie(h.lock, h.from); });
    std::size_t last = 0;  // index of the hold that ends last, of those before i
    for (std::size_t i = 1; i < holds.size(); ++i) {
        auto const& before = holds[last];
        auto const& after = holds[i];
        if (after.lock != before.lock || after.to > before.to)
            last = i;
        bool const was_released = !before.holder.ends_with(lost_mark);  // the key of a lost lease outlasts its validity
        auto const free_since = std::max(before.to, since.time_since_epoch().count());
        bool const is_gap = was_released && before.lock == after.lock && after.from - free_since > time_limit.count();
        bool const is_awaited = std::ranges::any_of(
            waits_, [&](auto const& w) { return w.lock == after.lock && w.from <= before.to && w.to >= after.from; });
        if (is_gap && is_awaited)
            throw std::runtime_error(
                after.lock + " was free for " + std::to_string((after.from - before.to) / 1'000) + " us at "
                + std::to_string(before.to) + " while somebody waited");
    }
}

// Nobody is granted a lock within `at_least` of the grant before. If the holder has lost its lease or was killed, the
// time counts from the server's execution, not from the receipt, which this test records.
void contest::check_gaps() const
{
    core::duration const slack = options_.network.delay.most;
    auto holds = holds_;
    std::ranges::sort(holds, {}, [](auto const& h) { return std::tie(h.lock, h.from); });
    for (std::size_t i = 1; i < holds.size(); ++i) {
        auto const gap = core::duration(holds[i].from - holds[i - 1].from);
        if (holds[i].lock == holds[i - 1].lock && gap + slack < options_.at_least)
            throw std::runtime_error(
                holds[i].lock + " was granted at " + std::to_string(holds[i].from) + ", only "
                + std::to_string(gap / 1us) + " us after the grant before");
    }
}

// As PTTL. Of a cluster, at the primary of the hash slot or, if the slot is half-moved, at the node that has the key.
std::int64_t contest::time_to_live(std::string_view key)
{
    std::int64_t left = -2;
    auto const* const primary = cluster_ ? &cluster_->server_of(key) : nullptr;
    bool const is_half_moved = cluster_ && !cluster_->model().destination_of(core::hash_slot(key)).empty();
    for_each_server([&](simulated_server& s) {
        if ((replicated_ && &s != &replicated_->primary()) || (primary && &s != primary && !is_half_moved))
            return;
        s.execute({"PING"});
        if (auto const* const found = s.model().keys().find(key))
            left = found->expires_at < 0 ? -1 : found->expires_at - s.model().keys().now_ms();
    });
    return left;
}

// A lease is never valid for longer than its key exists: else the server could grant the lock again meanwhile.
void contest::check_validity(lease const& l) const
{
    auto const& tenure = tenure_of(l);
    auto& self = const_cast<contest&>(*this);
    auto left = self.time_to_live(tenure.lock().key);
    if (tenure.held_grant && !tenure.held_grant->own_key().empty())
        left = std::min(left, self.time_to_live(tenure.held_grant->own_key()));
    if (tenure.is_valid() && left >= 0
        && tenure.valid_until() > simulation_.now() + std::chrono::milliseconds(left + 1))
        throw std::runtime_error("a lease of " + std::string(tenure.lock().name) + " outlasts its key");
    if (options_.config.acknowledged_by > 0 && tenure.is_valid() && left < 0)
        throw std::runtime_error("the primary does not know a lease of " + std::string(tenure.lock().name));
}

asio::awaitable<void> contest::contend(participant& p, unsigned id)
{
    auto const holder = p.where->name() + "." + std::to_string(id);
    auto const owner = p.client->make_owner();
    for (unsigned round = 0; round < options_.rounds; ++round) {
        auto const n = static_cast<unsigned>(luck().below(options_.locks));
        auto const kind = kinds_[n];
        if (kind == contested_kind::read_write) {
            co_await take_side(p, n, owner, holder);
            continue;
        }
        bool const fenced = kind == contested_kind::fenced_mutex || kind == contested_kind::fenced_reentrant
                            || kind == contested_kind::fenced_fair;
        if (kind == contested_kind::fair || kind == contested_kind::fenced_fair)
            co_await take(p, make_fair(p, n, fenced), holder);
        else if (kind == contested_kind::mutex || kind == contested_kind::fenced_mutex)
            co_await take(p, mutex(*p.client, lock_name(n), {.fencing = fenced}), holder);
        else
            co_await take(p, reentrant_lock(*p.client, lock_name(n), owner, {.fencing = fenced}), holder);
        if (luck().happens(0.3))
            co_await p.where->sleep(luck().between(0ms, 20ms), asio::use_awaitable);
    }
}

fair_lock contest::make_fair(participant& p, unsigned n, bool is_fenced) const
{
    return {*p.client, lock_name(n), {.fencing = is_fenced, .waiter_timeout = options_.waiter_timeout}};
}

template <class Lock>
asio::awaitable<void> contest::take(participant& p, Lock lock, std::string holder)
{
    auto l = co_await acquire(p, lock);
    if (!l.empty())
        co_await hold(p, std::move(l), holder);
}

// A completion token whose operation is sometimes cancelled, at a random moment, with any of the three types.
auto contest::cancellable(participant& p, error_code& ec)
{
    auto& signal = simulation_.world().new_signal();
    if (luck().happens(options_.cancel)) {
        auto const type = static_cast<asio::cancellation_type>(1u << luck().below(3));
        auto const when = luck().happens(0.5) ? luck().between(0us, 3ms) : luck().between(0ms, 200ms);
        simulation_.world().at(simulation_.now() + when, [&p, &signal, type] {
            asio::post(p.where->get_executor(), [&signal, type] { signal.emit(type); });
        });
    }
    return asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(asio::use_awaitable, ec));
}

// Whether a wait that begins now may end as unavailable: only because of an outage, because the first connection is
// not open, or because no reply has yet shown that the network is slower than a client assumes. An acquire may take
// several commands before its first reply, if the script is not loaded.
bool contest::may_be_unavailable(participant const& p) const
{
    bool const is_slow = 8 * options_.network.delay.most > core::response_time::least_answer_timeout;
    bool const was_answered = p.client->stats().round_trip.count > 0;
    return has_outages(options_) || !p.is_connected || (is_slow && !was_answered);
}

void contest::check_end(std::string_view lock, error_code ec, bool may_be_unavailable)
{
    if (ec == errc::unavailable && !may_be_unavailable)
        throw std::runtime_error("acquire of " + std::string(lock) + ": unavailable, but nothing was wrong");
    if (ec && ec != asio::error::operation_aborted && ec != errc::unavailable)
        throw std::runtime_error("acquire of " + std::string(lock) + ": " + ec.message());
}

template <class Lock>
asio::awaitable<lease> contest::acquire(participant& p, Lock const& lock)
{
    error_code ec;
    lease l;
    auto const start = simulation_.now();
    ++p.started;
    auto const lease_time = std::chrono::milliseconds(200 + luck().below(2'000));
    auto const way = luck().below(6);
    bool const is_limited = way <= 1;  // the others wait for the connection
    bool const is_excused = is_limited ? may_be_unavailable(p) : has_outages(options_);
    auto const least = options_.at_least > 0ms ? std::optional(options_.at_least) : std::nullopt;
    switch (way) {
        case 0: l = co_await lock.try_acquire({.at_least = least}, cancellable(p, ec)); break;
        case 1:
            l = co_await lock.try_acquire(
                {.wait = std::chrono::milliseconds(1 + luck().below(300)), .at_least = least}, cancellable(p, ec));
            break;
        case 2: l = co_await lock.acquire({.lease = lease_time, .at_least = least}, cancellable(p, ec)); break;
        case 3:
            l = co_await lock.acquire({.lease = lease_time, .renew = true, .at_least = least}, cancellable(p, ec));
            break;
        default: l = co_await lock.acquire({.at_least = least}, cancellable(p, ec)); break;
    }
    waits_.push_back(
        {std::string(lock.name()),
         p.where->name(),
         start.time_since_epoch().count(),
         simulation_.now().time_since_epoch().count()});
    if (!l.empty() && options_.data_is_safe && !(cluster_ && options_.fail_overs > 0))
        check_validity(l);
    result_.busy += !ec && l.empty();
    result_.cancelled += ec == asio::error::operation_aborted;
    check_end(lock.name(), ec, is_excused);
    co_return l;
}

asio::awaitable<void> contest::hold(participant& p, lease l, std::string holder, bool shared)
{
    auto const from = simulation_.now();
    ++result_.grants;
    ++result_.grants_of[p.where->name()];
    auto const to = co_await spend_time(p, l);
    if (options_.config.acknowledged_by > 0)
        check_validity(l);
    record(l, std::move(holder), from, to, shared);
    if (luck().happens(0.3))
        co_return;  // the destructor releases
    error_code ec;
    co_await l.release(cancellable(p, ec));
}

// Returns when it ends, or when the loss of the lease was noticed.
asio::awaitable<core::instant> contest::spend_time(participant& p, lease& l)
{
    auto end = simulation_.now();
    std::optional<core::instant> lost;
    if (options_.longest_hold > 0ms)
        end += luck().happens(0.02) ? options_.long_hold : luck().between(0ms, options_.longest_hold);
    while (simulation_.now() < end) {
        co_await p.where->sleep(std::min<core::duration>(end - simulation_.now(), 50ms), asio::use_awaitable);
        if (!lost && !l.valid())
            lost = simulation_.now();
    }
    if (luck().happens(0.05)) {
        error_code ec;
        co_await l.extend(std::chrono::milliseconds(100 + luck().below(1'000)), cancellable(p, ec));
    }
    co_return lost.value_or(simulation_.now());
}

// Records the interval of a hold, up to the end of its validity.
void contest::record(lease const& l, std::string holder, core::instant from, core::instant to, bool shared)
{
    auto const& tenure = tenure_of(l);
    to = std::min(to, tenure.valid_until());
    if (tenure.state() == lease_state::lost) {
        ++result_.lost;
        holder += lost_mark;
    }
    tokens_.emplace_back(tenure.held_grant ? tenure.held_grant->token() : std::string_view());
    holds_.push_back(
        {std::string(tenure.lock().name),
         std::move(holder),
         from.time_since_epoch().count(),
         to.time_since_epoch().count(),
         shared ? 0 : tenure.fence(),
         shared});
}

asio::awaitable<void> contest::take_side(participant& p, unsigned n, owner me, std::string holder)
{
    bool const is_owned = luck().happens(0.5);
    read_write_lock const lock = is_owned ? read_write_lock(*p.client, lock_name(n), me, rw_options_[n])
                                          : read_write_lock(*p.client, lock_name(n), rw_options_[n]);
    if (luck().happens(0.3))
        co_return co_await write(p, lock, is_owned, std::move(holder));
    auto l = co_await acquire(p, lock.read());
    if (!l.empty())
        co_await hold(p, std::move(l), std::move(holder), true);
}

// Holds the write side. At random, the owner also acquires a read, which may last longer, or downgrades the write.
asio::awaitable<void> contest::write(participant& p, read_write_lock lock, bool reads_too, std::string holder)
{
    auto l = co_await acquire(p, lock.write());
    if (l.empty())
        co_return;
    auto const from = simulation_.now();
    ++result_.grants;
    ++result_.grants_of[p.where->name()];
    auto to = co_await spend_time(p, l);
    lease after;
    error_code ec;
    auto const way = luck().below(4);
    if (way == 0)
        after = co_await l.downgrade(cancellable(p, ec));
    else if (way == 1 && reads_too) {
        ++p.started;
        bool const is_excused = may_be_unavailable(p);
        after = co_await lock.read().try_acquire({.wait = 200ms}, cancellable(p, ec));
        check_end(lock.read().name(), ec, is_excused);
    }
    // During the downgrade others may have begun to read, but not to write.
    if (l.empty())
        record(l, holder, to, simulation_.now(), true);
    else if (tenure_of(l).state() != lease_state::lost)
        to = simulation_.now();
    record(l, holder, from, to, false);
    if (!l.empty() && luck().happens(0.7))
        co_await l.release(cancellable(p, ec));
    l = lease();
    if (!after.empty())
        co_await hold(p, std::move(after), std::move(holder), true);
}

std::optional<std::uint64_t> number_of(char const* variable)
{
    auto const* text = std::getenv(variable);
    return text ? std::optional(std::strtoull(text, nullptr, 10)) : std::nullopt;
}

}  // namespace

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
