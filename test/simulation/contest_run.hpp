//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_CONTEST_RUN_HPP
#define HOLDFAST_TEST_SIMULATION_CONTEST_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast.hpp>

#include "simulation/cluster_rules.hpp"
#include "simulation/command_rules.hpp"
#include "simulation/contest.hpp"
#include "support/replicated_server.hpp"
#include "support/simulated_cluster.hpp"
#include "support/simulated_sentinels.hpp"

namespace holdfast::test {

// What a hold whose lease was lost has behind its holder.
inline constexpr std::string_view lost_mark = " (lost)";

// Whether a server or a process may be unreachable for a time, or a message be lost or late.
bool has_faults(contest_options const&) noexcept;

struct participant {
    process* where;
    std::unique_ptr<holdfast::client> client;
    std::uint64_t started = 0;  // acquires that were started
    bool is_connected = false;  // has been connected
};

// One contest: contest.cpp starts the clients, disturbs them, and waits for the end.
class contest {
public:
    explicit contest(contest_options const&);

    contest_result run();

private:
    void start();
    void check_commands(simulated_server&);
    void draw_kinds();
    void add_client(process&);
    void begin_contention(participant&);
    engine::client_io make_io(process&, engine::strand, holdfast::config const&, engine::log);
    void disturb();
    void disturb_replicas();
    void hang_sentinel();
    void stop_primary(unsigned, core::instant when);
    void move_slot_of(unsigned lock);
    bool all_done() const;
    void settle();

    // What a contender does: contest_contenders.cpp.
    asio::awaitable<void> contend(participant&, unsigned id);
    fair_lock make_fair(participant&, unsigned lock, bool is_fenced) const;
    template <class Lock>
    asio::awaitable<void> take(participant&, Lock, std::string holder);
    asio::awaitable<void> take_side(participant&, unsigned lock, owner me, std::string holder);
    asio::awaitable<void> write(participant&, read_write_lock, bool reads_too, std::string holder);
    template <class Lock>
    asio::awaitable<lease> acquire(participant&, Lock const&);
    asio::awaitable<void> hold(participant&, lease, std::string holder, bool shared = false);
    asio::awaitable<core::instant> spend_time(participant&, lease&);
    void record(lease const&, std::string holder, core::instant from, core::instant to, bool shared);
    auto cancellable(participant&, error_code&);
    bool may_be_unavailable(participant const&) const;
    static void check_end(std::string_view lock, error_code, bool may_be_unavailable);

    // What must hold: contest_audit.cpp.
    void audit();
    void audit_client(participant&);
    void audit_waits() const;
    void audit_lock(unsigned lock);
    void excuse_failovers();
    bool is_late(std::size_t hold) const;
    void check_overlap(held_interval const&, std::int64_t since, std::int64_t bound) const;
    std::int64_t out_of_reach(simulated_server&);
    void check_leftovers();
    void check_promptness(core::instant since, core::duration time_limit) const;
    void check_gaps() const;
    void check_validity(lease const&);
    std::int64_t time_to_live(std::string_view key);

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

    contest_options options_;
    command_rules rules_;
    cluster_rules cluster_rules_;
    bool misses_a_right_ = false;
    core::instant last_change_ = core::instant::min();  // of the hash slots
    simulation simulation_;
    std::optional<simulated_cluster> cluster_;
    std::optional<replicated_server> replicated_;
    std::optional<simulated_sentinels> sentinels_;
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

}  // namespace holdfast::test

#endif
