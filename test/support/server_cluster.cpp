//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/server_cluster.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/hash_slot.hpp"

namespace holdfast::test {
namespace {

// A node that does not know another one yet says that the cluster has failed.
constexpr auto step = std::chrono::milliseconds(10);
constexpr int most_steps = 6'000;

std::unique_ptr<cluster_node> make_node(std::vector<std::string> lines = {})
{
    lines.insert(
        lines.end(), {"cluster-node-timeout 1000", "cluster-require-full-coverage no", "repl-diskless-sync-delay 0"});
    return std::make_unique<cluster_node>(lines);
}

long epoch(cluster_node& n, std::string const& field)
{
    auto const info = n.command({"CLUSTER", "INFO"}).text;
    return std::stol(info.substr(info.find(field + ":") + field.size() + 1));
}

std::int64_t errors_of(cluster_node& n, std::string const& name)
{
    auto const count = n.info("errorstat_" + name);
    return count.empty() ? 0 : std::stoll(count.substr(count.find('=') + 1));
}

// What a node says of another one, or of itself.
std::string line_of(cluster_node& n, std::string const& id)
{
    auto const nodes = '\n' + n.command({"CLUSTER", "NODES"}).text;
    auto const at = nodes.find('\n' + id);
    return at == nodes.npos ? std::string() : nodes.substr(at + 1, nodes.find('\n', at + 1) - at - 1);
}

std::string slots_in(std::string const& line)
{
    return line.substr(std::min(line.size(), line.find("connected")));
}

template <class Condition>
void wait_until(Condition holds, char const* what)
{
    for (int i = 0; i < most_steps; ++i, std::this_thread::sleep_for(step))
        if (holds())
            return;
    throw std::runtime_error(what);
}

}  // namespace

template <class Action>
void server_cluster::for_each_node(Action act)
{
    for (auto const* const all : {&nodes_, &replicas_})
        for (auto const& n : *all)
            if (n->is_running())
                act(*n);
}

server_cluster::server_cluster(std::size_t primaries, replicas r, options_of const& more) : owners_(core::hash_slots)
{
    for (std::size_t i = 0; i != primaries; ++i)
        add_primary(more ? more(i) : node_options{});
    int const all = core::hash_slots;
    int const n = static_cast<int>(primaries);
    for (int i = 0; i != n; ++i)
        assign(static_cast<std::size_t>(i), all * i / n, all * (i + 1) / n - 1);
    for (std::size_t i = 1; i != primaries; ++i)
        nodes_[0]->command({"CLUSTER", "MEET", "127.0.0.1", ports_[i]});
    for (std::size_t i = 0; i != primaries; ++i)
        wait_until([&] { return is_ready(i); }, "the nodes of the cluster do not agree");
    if (r == replicas::one_each)
        add_replicas();
}

void server_cluster::add_primary(node_options const& o)
{
    auto& fresh = *nodes_.emplace_back(make_node(o.lines));
    ids_.push_back(fresh.command({"CLUSTER", "MYID"}).text);
    ports_.push_back(std::to_string(o.port != 0 ? o.port : fresh.port()));
}

void server_cluster::add_replicas()
{
    for (std::size_t i = 0; i != nodes_.size(); ++i) {
        replicas_.push_back(make_node());
        auto& fresh = *replicas_.back();
        fresh.command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(nodes_.front()->port())});
        wait_until(
            [&] {
                return fresh.command({"CLUSTER", "REPLICATE", ids_[i]}).text == "OK";
            },
            "the replica knows no primary");
        wait_until([&] { return nodes_[i]->online_replicas() == 1; }, "the replica has no data");
    }
    // Each node knows all others: only then a majority can promote a replica.
    auto const all = std::to_string(nodes_.size() + replicas_.size());
    for (auto& n : nodes_)
        wait_until(
            [&] {
                return n->command({"CLUSTER", "INFO"}).text.find("cluster_known_nodes:" + all) != std::string::npos;
            },
            "the nodes do not know each other");
    // Valkey 8.0 does not start again with a file that has a replica in a shard of its own.
    for_each_node([&](cluster_node& n) {
        wait_until([&] { return knows_shards(n); }, "the nodes do not agree on the shards");
        n.command({"CLUSTER", "SAVECONFIG"});
    });
}

// A server before 7.0 has no shards.
bool server_cluster::knows_shards(cluster_node& n)
{
    auto const shards = n.command({"CLUSTER", "SHARDS"});
    return shards.is_error() || shards.items.size() == nodes_.size();
}

bool server_cluster::is_primary(cluster_node& n)
{
    return n.info("role") == "master";
}

void server_cluster::assign(std::size_t node, int first, int last)
{
    std::vector<std::string> add{"CLUSTER", "ADDSLOTS"};
    for (int slot = first; slot <= last; ++slot) {
        add.push_back(std::to_string(slot));
        owners_[static_cast<std::size_t>(slot)] = node;
    }
    nodes_[node]->command(add);
}

bool server_cluster::is_ready(std::size_t node)
{
    auto const info = nodes_[node]->command({"CLUSTER", "INFO"}).text;
    return info.find("cluster_state:ok") != info.npos && info.find("cluster_slots_assigned:16384") != info.npos;
}

std::string server_cluster::url() const
{
    std::string url = "redis+cluster://";
    for (auto const& n : nodes_)
        url += (&n == &nodes_.front() ? "" : ",") + ("127.0.0.1:" + std::to_string(n->port()));
    return url;
}

std::uint16_t server_cluster::slot_of(std::string_view key)
{
    return core::hash_slot(key);
}

void server_cluster::move(std::string_view key, std::size_t to)
{
    move_slot(slot_of(key), to);
}

void server_cluster::move_slot(std::uint16_t slot, std::size_t to)
{
    if (owners_.at(slot) == to)
        return;
    begin_move(slot, to);
    end_move(slot, to);
}

std::size_t server_cluster::move_slots(
    std::size_t from, std::size_t to, std::size_t count, std::vector<std::string> const& keys)
{
    std::size_t moved = 0;
    auto const move_one = [&](std::uint16_t slot) {
        if (moved == count || owners_[slot] != from)
            return;
        move_slot(slot, to);
        ++moved;
    };
    for (auto const& k : keys)
        move_one(slot_of(k));
    for (int slot = 0; slot != core::hash_slots; ++slot)
        move_one(static_cast<std::uint16_t>(slot));
    return moved;
}

void server_cluster::begin_move(std::string_view key, std::size_t to, std::vector<std::string> const& keys)
{
    begin_move(slot_of(key), to);
    for (auto const& k : keys)
        migrate(primary_of(key), to, k);
}

void server_cluster::begin_move(std::uint16_t number, std::size_t to)
{
    auto const from = owners_[number];
    auto const slot = std::to_string(number);
    nodes_[to]->command({"CLUSTER", "SETSLOT", slot, "IMPORTING", ids_[from]});
    nodes_[from]->command({"CLUSTER", "SETSLOT", slot, "MIGRATING", ids_[to]});
}

void server_cluster::end_move(std::string_view key, std::size_t to)
{
    end_move(slot_of(key), to);
}

void server_cluster::end_move(std::uint16_t number, std::size_t to)
{
    auto const from = owners_[number];
    auto const slot = std::to_string(number);
    for (auto const& k : nodes_[from]->command({"CLUSTER", "GETKEYSINSLOT", slot, "100"}).items)
        migrate(from, to, k.text);
    nodes_[to]->command({"CLUSTER", "SETSLOT", slot, "NODE", ids_[to]});
    await_epoch_of(to);
    for (auto& n : nodes_)
        n->command({"CLUSTER", "SETSLOT", slot, "NODE", ids_[to]});
    owners_[number] = to;
}

void server_cluster::migrate(std::size_t from, std::size_t to, std::string const& key)
{
    nodes_[from]->command({"MIGRATE", "127.0.0.1", ports_[to], key, "0", "5000"});
}

// The destination has claimed the slot with a new configuration epoch. A node that does not know it yet would claim its
// own next slot with the same epoch, and a third node would believe the wrong one of the two: then keys are deleted.
void server_cluster::await_epoch_of(std::size_t node)
{
    auto const own = epoch(*nodes_[node], "cluster_my_epoch");
    for (auto& n : nodes_)
        wait_until([&] { return epoch(*n, "cluster_current_epoch") >= own; }, "a node does not learn of an epoch");
}

// ---- failover

void server_cluster::await_promotion(std::size_t i)
{
    wait_until([&] { return is_primary(*replicas_[i]); }, "the replica is not promoted");
    std::swap(nodes_[i], replicas_[i]);
    ids_[i] = nodes_[i]->command({"CLUSTER", "MYID"}).text;
    ports_[i] = std::to_string(nodes_[i]->port());
}

// The replica gives up after five seconds, for example when it is not connected to its primary yet.
void server_cluster::fail_over(std::size_t i)
{
    int steps = 0;
    wait_until(
        [&] {
            if (steps++ % 550 == 0)
                replicas_[i]->command({"CLUSTER", "FAILOVER"});
            return is_primary(*replicas_[i]);
        },
        "the replica does not fail over");
    await_promotion(i);
}

void server_cluster::await_health()
try {
    for (std::size_t i = 0; i != nodes_.size(); ++i) {
        int steps = 0;
        wait_until(
            [&] {
                if (++steps % 500 == 0)
                    assign_again(i);
                return is_healthy(i);
            },
            "the cluster does not recover");
    }
} catch (std::runtime_error const& e) {
    std::string views;
    for_each_node([&](cluster_node& n) {
        views += "\n" + std::to_string(n.port()) + ", link " + n.info("master_link_status") + ":\n"
                 + n.command({"CLUSTER", "NODES"}).text;
    });
    throw std::runtime_error(e.what() + views);
}

// As `redis-cli --cluster fix`. A replica of Redis 7.0 may receive two messages of its primary in the wrong order when a
// slot comes: then it keeps the mark that the primary does not claim the slot. When it is promoted, it leaves the slot
// to the former primary, which becomes a replica, and nobody has the slot.
void server_cluster::assign_again(std::size_t node)
{
    if (is_ready(node) || !is_primary(*nodes_[node]))
        return;
    for (std::size_t slot = 0; slot != owners_.size(); ++slot)
        if (owners_[slot] == node)
            nodes_[node]->command({"CLUSTER", "ADDSLOTS", std::to_string(slot)});  // refused if it is assigned
}

bool server_cluster::is_healthy(std::size_t i)
{
    auto& r = *replicas_[i];
    if (!is_ready(i) || is_primary(r) || r.info("master_link_status") != "up")
        return false;
    // A node with an older view would not vote, and a replica with one would be promoted without the slots of that view.
    auto const present = slots_in(line_of(*nodes_[i], ids_[i]));
    bool all_know = true;
    for_each_node([&](cluster_node& n) {
        auto const line = line_of(n, ids_[i]);
        bool const is_failing = n.command({"CLUSTER", "NODES"}).text.find("fail") != std::string::npos;
        all_know = all_know && !is_failing && line.find("master") != line.npos && slots_in(line) == present;
    });
    return all_know;
}

void server_cluster::kill(cluster_node& n)
{
    former_slots_requests_ += n.calls("cluster|slots");
    for (auto const* const name : {"MOVED", "ASK", "TRYAGAIN", "CROSSSLOT", "CLUSTERDOWN"})
        former_errors_[name] += errors_of(n, name);
    n.kill();
}

std::int64_t server_cluster::errors(std::string const& name)
{
    auto all = former_errors_[name];
    for_each_node([&](cluster_node& n) { all += errors_of(n, name); });
    return all;
}

std::int64_t server_cluster::slots_requests()
{
    auto all = former_slots_requests_;
    for_each_node([&](cluster_node& n) { all += n.calls("cluster|slots"); });
    return all;
}

}  // namespace holdfast::test
